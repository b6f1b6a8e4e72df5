"""What a bot of the course on Tron imports."""
