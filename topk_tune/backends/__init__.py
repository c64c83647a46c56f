"""Backends: trials run in processes of this machine, or in actors of a Ray cluster.

Both keep a number of workers that hold the data and run one task after another. The study's
loop hands out tasks and collects events; it does not know which backend it uses.
"""
