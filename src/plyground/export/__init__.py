"""What leaves the laboratory as files: replays, animations, reports of results."""
