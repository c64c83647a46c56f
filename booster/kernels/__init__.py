"""The compiled part: arrays in, arrays out, split by stage.

The stages of a round, in order:

- `route`: from a feature row to a leaf of each tree, and the distributions at these leaves;
- `ties`, `ranking`, `schedule`, `schemes`, `swaps`: scores to a ranking, and its randomisation;
- `pairs`: the feedback as pairs of a relevant and an irrelevant label, each with its weight;
- `cost`: the cost vectors, as learner weights;
- `leaf`, `split`, `screen`, `gain`: how a tree learns a weighted label;
- `losses`: the losses of the round, for the record only.

`steps` has the parts of a round that work with any learners, and `rounds` combines them with the
native trees; only these two are called from outside. `state` names the arrays that all stages
share, and `compiling` says how the kernels are compiled and cached.
"""
