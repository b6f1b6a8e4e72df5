"""The modules that bots of the Battle Sheep course import."""
