"""Records of studies and trials, and the form in which they are stored."""
