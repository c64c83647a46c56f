"""Studies: created, run, confirmed, estimated and compared with baselines."""
