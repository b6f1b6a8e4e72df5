"""Other people's programs: how they are confined, spoken to, and fitted to their courses."""
