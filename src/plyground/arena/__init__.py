"""Games between agents: single games, matches and tournaments."""
