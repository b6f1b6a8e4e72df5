"""What a bot of the course on Battle Sheep imports."""
