"""Files for people: replays, animations, reports of results."""
