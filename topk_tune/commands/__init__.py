"""What the commands do; `topk_tune.cli` declares them."""
