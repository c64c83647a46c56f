"""Measurements: speed (`run`), the paper's tables (`table1`) and the large data set (`mediamill`).

They use the published data sets in ../shared/data where that folder exists, and otherwise say
so and go on with Yeast, which ships with river.
"""
