"""Learning from games: heuristics fitted to results, and players that learn by playing."""
