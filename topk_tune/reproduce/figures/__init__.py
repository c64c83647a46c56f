"""The figures: each runs or continues its studies, and is a picture with a table.

- `drawn`: what they have in common;
- `feedback`: Figure 1, the paper's: how TopOpt learns with feedback of several sizes;
- `exploring`: Figure 2: constant exploration beside exploration that ends;
- `price`: Figure 3: the price of feedback, tuned at each size.
"""
