"""The course's Tron: two players in turns, four power-ups, no draws.

Bots call and override even methods whose names begin with an underscore.
"""

import random

from adversarialsearchproblem import AdversarialSearchProblem, GameState
from boardprinter import BoardPrinter
from trontypes import CellType, PowerupType

U, D, L, R = "U", "D", "L", "R"
STEPS = {U: (-1, 0), D: (1, 0), L: (0, -1), R: (0, 1)}
TRAP_QUANTITY = 3
TRAP_REACH = 2
BOMB_RADIUS = 4
SPEED_BOOST = 4


class TronState(GameState):
    """A board, the players' places (None: crashed), the player to move, and their power-ups."""

    def __init__(self, board, player_locs, ptm, player_powerups):
        self.board = board
        self.player_locs = player_locs
        self.ptm = ptm
        self.player_powerups = player_powerups

    def player_to_move(self):
        return self.ptm

    def player_has_armor(self, player):
        return PowerupType.ARMOR in self.player_powerups[player]

    def get_remaining_turns_speed(self, player):
        return self.player_powerups[player].get(PowerupType.SPEED, 0)


class TronProblem(AdversarialSearchProblem):
    """A game that begins at a state."""

    def __init__(self, board_file_loc, first_player):
        """Begin a game on a map from a file, with the players at random places."""
        board = self._board_from_board_file(board_file_loc)
        places = self._randomize_player_locs(board)
        nothing = {player: {} for player in range(len(places))}
        self._begin(TronState(board, places, first_player, nothing))

    @classmethod
    def from_state(cls, state):
        """Return the problem of a game that begins at a state."""
        problem = cls.__new__(cls)
        problem._begin(state)
        return problem

    def _begin(self, state):
        self.set_start_state(state)
        self._num_players = len(state.player_locs)

    def get_available_actions(self, state):
        """Return all four actions: running into something is allowed."""
        return {U, D, L, R}

    def is_terminal_state(self, state):
        return None in state.player_locs

    def evaluate_state(self, state):
        assert self.is_terminal_state(state)
        return [0.0 if place is None else 1.0 for place in state.player_locs]

    def transition(self, state, action):
        assert not self.is_terminal_state(state)
        mover = state.ptm
        other = (mover + 1) % self._num_players
        board = [list(row) for row in state.board]
        places = list(state.player_locs)
        powerups = {player: dict(items) for player, items in state.player_powerups.items()}
        own = powerups[mover]
        row, column = places[mover]
        target = self.move((row, column), action)
        cell = board[target[0]][target[1]]
        board[row][column] = CellType.BARRIER
        if cell == CellType.BARRIER and PowerupType.ARMOR in own:
            del own[PowerupType.ARMOR]
        elif cell != CellType.SPACE and not CellType.is_powerup(cell):
            places[mover] = None
            return TronState(board, places, other, powerups)
        self._move_player_and_update(board, state, places, target[0], target[1])
        next_player = mover if own.get(PowerupType.SPEED) else other
        if next_player == mover:
            own[PowerupType.SPEED] -= 1
            if not own[PowerupType.SPEED]:
                del own[PowerupType.SPEED]
        if cell == CellType.SPEED:
            self._add_powerup(mover, powerups, PowerupType.SPEED, SPEED_BOOST)
        elif cell == CellType.ARMOR:
            self._add_powerup(mover, powerups, PowerupType.ARMOR, 1)
        elif cell == CellType.BOMB:
            board = self._remove_barriers(board, target)
        elif cell == CellType.TRAP:
            board = self._add_barriers(board, places[other])
        return TronState(board, places, next_player, powerups)

    # Effects of a move --------------------------------------------------------------------------

    @staticmethod
    def _move_player_and_update(board, state, player_locs, r1, c1):
        """Put the head of a state's player to move on a cell."""
        board[r1][c1] = str(state.ptm + 1)
        player_locs[state.ptm] = (r1, c1)

    @staticmethod
    def _add_powerup(player, player_powerups, powerup, value):
        player_powerups[player][powerup] = value

    @staticmethod
    def _add_barriers(board, loc):
        """Put barriers on random free cells of the border of the 5 x 5 square round a place."""
        spaces = [
            place
            for place in _around(board, loc, TRAP_REACH)
            if max(abs(place[0] - loc[0]), abs(place[1] - loc[1])) == TRAP_REACH
            and board[place[0]][place[1]] == CellType.SPACE
        ]
        for row, column in random.sample(spaces, min(TRAP_QUANTITY, len(spaces))):
            board[row][column] = CellType.BARRIER
        return board

    @staticmethod
    def _remove_barriers(board, loc):
        """Clear the barriers in the 9 x 9 square round a place."""
        for row, column in _around(board, loc, BOMB_RADIUS):
            if board[row][column] == CellType.BARRIER:
                board[row][column] = CellType.SPACE
        return board

    # Beginning of a game ------------------------------------------------------------------------

    @staticmethod
    def _board_from_board_file(board_file_loc):
        """Return the board of a map file; every `?` becomes a random power-up."""
        with open(board_file_loc) as file:
            rows = file.read().rstrip().splitlines()
        return [
            [random.choice(CellType.powerup_list) if cell == "?" else cell for cell in row.rstrip()]
            for row in rows
        ]

    @staticmethod
    def _player_locs_from_board(board):
        """Return the players' places, in the order of players."""
        places = {
            int(cell): (row, column)
            for row, line in enumerate(board)
            for column, cell in enumerate(line)
            if TronProblem._is_int(cell)
        }
        return [places[player] for player in sorted(places)]

    @staticmethod
    def _randomize_player_locs(board, player_locs=None):
        """Move both players to a random point-symmetric pair of free cells; return these."""
        for row, column in player_locs or TronProblem._player_locs_from_board(board):
            board[row][column] = CellType.SPACE
        last = len(board) - 1, len(board[0]) - 1
        pairs = [
            [(row, column), (last[0] - row, last[1] - column)]
            for row, line in enumerate(board)
            for column, cell in enumerate(line)
            if cell == board[last[0] - row][last[1] - column] == CellType.SPACE
            and (row, column) != (last[0] - row, last[1] - column)
        ]
        places = random.choice(pairs)
        for player, (row, column) in enumerate(places):
            board[row][column] = str(player + 1)
        return places

    @staticmethod
    def _is_int(s):
        try:
            int(s)
        except ValueError:
            return False
        return True

    # Helpers for bots ---------------------------------------------------------------------------

    @staticmethod
    def move(loc, direction):
        """Return the place one step away."""
        down, across = STEPS[direction]
        return loc[0] + down, loc[1] + across

    @staticmethod
    def is_cell_player(board, loc):
        return board[loc[0]][loc[1]] in ("1", "2")

    @staticmethod
    def get_safe_actions(board, loc, has_shield=False):
        """Return the actions that do not crash; with a shield barriers are passable."""
        safe = set()
        for action in STEPS:
            row, column = TronProblem.move(loc, action)
            cell = board[row][column]
            barrier = cell == CellType.BARRIER and not has_shield
            if not (cell == CellType.WALL or barrier or cell in ("1", "2")):
                safe.add(action)
        return safe

    @staticmethod
    def visualize_state(state, colored):
        print(BoardPrinter.state_to_string(state, colored))


def _around(board, loc, reach):
    """Yield the places of the square round a place that are on the board."""
    for row in range(max(0, loc[0] - reach), min(len(board), loc[0] + reach + 1)):
        for column in range(max(0, loc[1] - reach), min(len(board[0]), loc[1] + reach + 1)):
            yield row, column
