"""What a bot of the course on Connect-N imports."""
