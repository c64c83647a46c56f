"""Studies: made, run, confirmed, estimated and put beside what others reach."""
