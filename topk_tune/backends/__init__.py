"""Where trials run: processes of this machine, or actors of a Ray cluster.

Both keep a number of workers that hold the data and run one task after another. The study's
loop hands out tasks and collects events; it never learns what is behind.
"""
