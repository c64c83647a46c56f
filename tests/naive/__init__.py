"""Naive twins of the kernels: slow, obvious, and written from the definitions.

Plain Python over lists, sets and dictionaries: no numba, no tables, no scratch space, nothing
shared with `booster`. A module a stage:

- `draws`: random numbers;
- `schedule`: how much a round explores;
- `ranking`: scores to a ranking, its randomisation, the expert that ranks;
- `estimator`: how likely a pair is to be seen, by going through all that can happen;
- `cost`: whole cost vectors, by their definitions;
- `tree`: a Hoeffding tree of node objects;
- `nonzero`: such a tree that observes only what is not zero, and naive Bayes in its leaves;
- `leaves`: its leaves, compared with those of the forest;
- `losses`: what is reported;
- `boosting`: a whole round, of any of the four algorithms;
- `replay`: a booster and its twin over the same stream, compared after each round.
"""
