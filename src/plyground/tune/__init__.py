"""Search over an agent's numbers; what a candidate is worth, games tell."""
