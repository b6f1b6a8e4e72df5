"""Boards as text."""

from trontypes import CellType

COLOURS = {"1": "34;1", "2": "31;1", CellType.WALL: "37", CellType.BARRIER: "35"}
POWERUP_COLOUR = "33;1"


class BoardPrinter:
    """Writes boards as text, optionally coloured for a terminal."""

    @staticmethod
    def state_to_string(state, colored=False):
        """Return the board, and a line that says who is to move."""
        board = BoardPrinter.board_to_string(state.board, colored)
        return f"{board}player {state.ptm + 1} to move\n"

    @staticmethod
    def board_to_string(board, colored=False):
        """Return the rows of a board, one per line."""
        cells = BoardPrinter.cell_to_string
        return "".join("".join(cells(cell, colored) for cell in row) + "\n" for row in board)

    @staticmethod
    def cell_to_string(cell, colored=False):
        colour = POWERUP_COLOUR if CellType.is_powerup(cell) else COLOURS.get(cell)
        return f"\033[{colour}m{cell}\033[0m" if colored and colour else cell
