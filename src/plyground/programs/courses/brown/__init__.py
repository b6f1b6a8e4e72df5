"""The modules that bots of the Tron course import."""
