"""Where a result comes from: versions, commit, processor, and the command that repeats it."""
