"""One training of one seed, which is what a worker runs, and what is measured of it."""
