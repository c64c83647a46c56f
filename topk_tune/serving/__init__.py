"""A ranker that is served by HTTP, goes on learning from feedback, and loses nothing.

A ranking that was shown is *open* until its feedback comes. What is shown and what is learned goes
into a journal first (`state`); requests that come together share one write to the disk
(`committing`). From time to time the booster is saved, a new journal begins, and the earlier one
becomes a part of the log in Parquet (`log`), from which other boosters can learn.
"""
