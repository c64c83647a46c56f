"""The search at work: what is proposed, run, pruned and told, until a stop rule is met."""
