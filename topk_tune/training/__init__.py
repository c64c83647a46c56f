"""Training of one configuration with one seed, as a worker runs it, and its metrics."""
