"""Rankings of songs: what a package of its own adds to topk-tune."""
