"""Tron as the course has it: two players by turns, four power-ups, nobody draws."""

import random

from adversarialsearchproblem import AdversarialSearchProblem, GameState
from trontypes import CellType, PowerupType

U, D, L, R = "U", "D", "L", "R"
STEPS = {U: (-1, 0), D: (1, 0), L: (0, -1), R: (0, 1)}
MOVES_OF_SPEED = 4
TRAPS = 3


class TronState(GameState):
    """A board, where the players are (None: crashed), who is to move, and what each has."""

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
    """The game from a state on."""

    def __init__(self, state):
        self.set_start_state(state)

    def get_available_actions(self, state):
        """Give all four: running into something is allowed."""
        return {U, D, L, R}

    def is_terminal_state(self, state):
        return None in state.player_locs

    def evaluate_state(self, state):
        assert self.is_terminal_state(state)
        return [0.0 if place is None else 1.0 for place in state.player_locs]

    def transition(self, state, action):
        assert not self.is_terminal_state(state)
        mover = state.ptm
        after = TronState(
            [list(row) for row in state.board],
            list(state.player_locs),
            1 - mover,
            {player: dict(has) for player, has in state.player_powerups.items()},
        )
        row, column = state.player_locs[mover]
        target = self.move((row, column), action)
        cell = after.board[target[0]][target[1]]
        after.board[row][column] = CellType.BARRIER
        own = after.player_powerups[mover]
        if cell == CellType.BARRIER and PowerupType.ARMOR in own:
            del own[PowerupType.ARMOR]
        elif cell in (CellType.WALL, CellType.BARRIER) or self.is_cell_player(state.board, target):
            after.player_locs[mover] = None
            return after
        after.player_locs[mover] = target
        after.board[target[0]][target[1]] = str(mover + 1)
        left = own.pop(PowerupType.SPEED, 0) - 1
        if left > 0:
            own[PowerupType.SPEED] = left
        self._gather(after, mover, cell)
        if PowerupType.SPEED in own:
            after.ptm = mover
        return after

    def _gather(self, state, mover, cell):
        own = state.player_powerups[mover]
        if cell == CellType.SPEED:
            own[PowerupType.SPEED] = MOVES_OF_SPEED
        elif cell == CellType.ARMOR:
            own[PowerupType.ARMOR] = True
        elif cell == CellType.BOMB:
            for row, column in _around(state.board, state.player_locs[mover], 4):
                if state.board[row][column] == CellType.BARRIER:
                    state.board[row][column] = CellType.SPACE
        elif cell == CellType.TRAP:
            row, column = state.player_locs[1 - mover]
            spaces = [
                place
                for place in _around(state.board, (row, column), 2)
                if max(abs(place[0] - row), abs(place[1] - column)) == 2
                and state.board[place[0]][place[1]] == CellType.SPACE
            ]
            for place in random.sample(spaces, min(TRAPS, len(spaces))):
                state.board[place[0]][place[1]] = CellType.BARRIER

    @staticmethod
    def move(loc, direction):
        """Give the place one step away."""
        down, across = STEPS[direction]
        return loc[0] + down, loc[1] + across

    @staticmethod
    def is_cell_player(board, loc):
        return board[loc[0]][loc[1]] in ("1", "2")

    @staticmethod
    def get_safe_actions(board, loc, has_shield=False):
        """Give the actions that do not crash, as a set; a shield takes one through a barrier."""
        safe = set()
        for action in STEPS:
            row, column = TronProblem.move(loc, action)
            cell = board[row][column]
            barrier = cell == CellType.BARRIER and not has_shield
            if not (cell == CellType.WALL or barrier or cell in ("1", "2")):
                safe.add(action)
        return safe


def _around(board, loc, reach):
    """Give the places of the square round a place, as far as they are on the board."""
    for row in range(max(0, loc[0] - reach), min(len(board), loc[0] + reach + 1)):
        for column in range(max(0, loc[1] - reach), min(len(board[0]), loc[1] + reach + 1)):
            yield row, column
