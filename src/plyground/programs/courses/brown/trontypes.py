"""The symbols of a board."""


class CellType:
    """The symbols of cells; a board is a list of lists of these."""

    SPACE = " "
    WALL = "#"
    BARRIER = "x"
    TRAP = "*"
    SPEED = "^"
    BOMB = "!"
    ARMOR = "@"
    powerup_list = (TRAP, SPEED, BOMB, ARMOR)

    @staticmethod
    def is_powerup(cell):
        return cell in CellType.powerup_list


class PowerupType:
    """The power-ups a player can have: keys of a state's `player_powerups`."""

    TRAP = "TRAP"
    SPEED = "SPEED"
    BOMB = "BOMB"
    ARMOR = "ARMOR"
