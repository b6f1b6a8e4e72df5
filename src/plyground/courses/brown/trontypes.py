"""The symbols of a board."""


class CellType:
    """What a cell can hold; a board is a list of lists of these."""

    SPACE = " "
    WALL = "#"
    BARRIER = "x"
    TRAP = "*"
    SPEED = "^"
    BOMB = "!"
    ARMOR = "@"
    powerup_list = (TRAP, SPEED, BOMB, ARMOR)


class PowerupType:
    """What a player can have: the keys of a state's `player_powerups`."""

    SPEED = CellType.SPEED
    ARMOR = CellType.ARMOR
