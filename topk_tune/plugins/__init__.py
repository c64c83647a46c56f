"""Named things: what there is of each kind, and what others bring along."""
