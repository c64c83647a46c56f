"""The paper's tables and its figure again: ours beside the paper's, cell by cell.

A cell is an algorithm on a data set. Its parameters are searched for on held-out training rows;
the best few are compared there once more, on other seeds; the winner alone meets the test rows.

- `paper`: what the paper reports;
- `cells`: the cells, and where each is searched;
- `effort`: how much to spend on a cell;
- `outcomes`: a cell through the tuner, run or gone on with;
- `kept`: outcomes in a file;
- `tables`, `figure`, `page`: what came out, for people.
"""
