"""Measurements: speed (`run`), the paper's tables (`table1`), `mediamill` and `tree_size`.

They use the published data sets in ../shared/data where that folder exists, and otherwise say
so and go on with Yeast, which ships with river.
"""
