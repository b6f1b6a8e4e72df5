"""The modules that bots of the Connect-N course import."""
