"""The compiled part: arrays in, arrays out, split by stage.

A round walks through the stages in this order:

- `route`: from a feature row to a leaf of each tree, and the distributions found there;
- `ties`, `ranking`, `schedule`, `schemes`, `swaps`: scores to a ranking, and its randomisation;
- `pairs`: what was seen, as pairs of a relevant and an irrelevant label, each with its weight;
- `cost`: the cost vectors, as learner weights;
- `leaf`, `split`, `screen`, `gain`: what a tree does with a weighted label;
- `losses`: what the round cost, for the record only.

`steps` are the parts of a round that any learners can stand between, and `rounds` puts them
together with the native trees; only these two are called from outside. `state` names the arrays
that all of them share, and `compiling` says how they are compiled and cached.
"""
