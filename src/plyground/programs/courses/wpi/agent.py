"""The course's base class of players."""


class Agent:
    """A player with a name; the game sets `player` to 1 or 2."""

    def __init__(self, name):
        self.name = name
        self.player = None

    def go(self, brd):
        """Choose a column, counted from 0."""
        raise NotImplementedError("Please implement this method")
