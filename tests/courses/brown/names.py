"""A student's bot that uses and inherits members of the course's class beyond its interface."""

import random

import tronproblem
from boardprinter import BoardPrinter
from tronproblem import BOMB_RADIUS, SPEED_BOOST, TRAP_QUANTITY, TronProblem, TronState
from trontypes import CellType, PowerupType

assert (TRAP_QUANTITY, BOMB_RADIUS, SPEED_BOOST) == (3, 4, 4)
assert (PowerupType.SPEED, PowerupType.ARMOR) == ("SPEED", "ARMOR")
assert CellType.is_powerup("^") and not CellType.is_powerup("x")


class Calm(TronProblem):
    """A game whose power-ups have no effect."""

    def _add_barriers(self, board, loc):
        return board

    def __init__(self):
        with open("room.txt", "w") as file:
            file.write("#####\n#1 ?#\n#   #\n#? 2#\n#####\n")
        TronProblem.__init__(self, "room.txt", 1)


class StudentBot:
    """Play the first safe action in an order that is drawn once per game."""

    def __init__(self):
        self.order = random.sample("UDLR", 4)

    def decide(self, asp):
        state = asp.get_start_state()
        me = state.player_to_move()
        assert asp._num_players == 2
        assert asp._player_locs_from_board(state.board) == state.player_locs
        assert asp._is_int("7") and not asp._is_int("x")
        asp.visualize_state(state, True)
        assert "#" in BoardPrinter.state_to_string(state, False)
        self.check_parts(state)
        self.check_map()
        safe = TronProblem.get_safe_actions(state.board, state.player_locs[me])
        return next((action for action in self.order if action in safe), "U")

    def check_parts(self, state):
        board = [list("#######")] + [list("#     #") for _ in range(5)] + [list("#######")]
        places = [(1, 1), (5, 5)]
        TronProblem._move_player_and_update(board, state, places, 2, 3)
        assert board[2][3] == str(state.ptm + 1) and places[state.ptm] == (2, 3)
        trapped = TronProblem._add_barriers(board, (3, 3))
        assert sum(row.count("x") for row in trapped) == TRAP_QUANTITY
        assert not any("x" in row for row in TronProblem._remove_barriers(trapped, (3, 3)))
        has = {0: {}, 1: {}}
        TronProblem._add_powerup(1, has, PowerupType.SPEED, SPEED_BOOST)
        assert TronState(board, places, 0, has).get_remaining_turns_speed(1) == 4

    def check_map(self):
        calm = Calm()
        start = calm.get_start_state()
        assert start.ptm == 1 and "?" not in sum(start.board, [])
        assert calm._board_from_board_file("room.txt")[0] == list("#####")
        assert sorted(calm._randomize_player_locs(start.board)) == sorted(
            calm._player_locs_from_board(start.board)
        )
        (row, column), other = calm._player_locs_from_board(start.board)
        assert other == (4 - row, 4 - column)

    def cleanup(self):
        pass
