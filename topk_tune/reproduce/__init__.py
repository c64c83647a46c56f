"""Reproduces the paper's tables and its figure, with our results and the paper's.

A cell is an algorithm on a data set. Its parameters are searched on held-out training rows. The
best few are compared there again with other seeds, and only the winner is tested on test rows.

- `paper`: the numbers of the paper;
- `cells`: the cells and their search spaces;
- `effort`: the budget of a cell;
- `outcomes`: runs or continues the search of a cell;
- `outcome_file`, `baseline_file`: outcomes and baselines in files;
- `aims`: what was to be reached;
- `tables`, `figures`, `page`: the results as Markdown and pictures.
"""
