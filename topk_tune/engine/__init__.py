"""The search: proposes, runs and prunes trials until a stop rule applies."""
