"""A student's file for the course on Tron: alpha-beta with free cells, and the course's own bots."""

import random

import numpy  # a student's bot may use installed packages

from support import flood_fill
from tronproblem import *
from trontypes import CellType, PowerupType

DEPTH = int(open("depth.txt").read())


class StudentBot:
    """Looks two plies ahead, and counts the cells it could still reach."""

    def decide(self, asp):
        state = asp.get_start_state()
        me = state.ptm
        assert set("UDLR") == asp.get_available_actions(state)
        assert not asp.is_terminal_state(state)
        assert TronProblem.is_cell_player(state.board, state.player_locs[me])
        assert state.player_has_armor(me) == (PowerupType.ARMOR in state.player_powerups[me])
        print("thinking about", state.player_locs, state.get_remaining_turns_speed(me))
        safe = sorted(TronProblem.get_safe_actions(state.board, state.player_locs[me]))
        return max(safe or ["U"], key=lambda action: self.value(asp, state, action, DEPTH, me))

    def value(self, asp, state, action, depth, me):
        after = asp.transition(state, action)
        if asp.is_terminal_state(after):
            return 1000 * asp.evaluate_state(after)[me] - 500
        if depth <= 1:
            return numpy.subtract(*[flood_fill(after.board, after.player_locs[p]) for p in (me, 1 - me)])
        values = [self.value(asp, after, each, depth - 1, me) for each in "UDLR"]
        return max(values) if after.ptm == me else min(values)

    def cleanup(self):
        pass


class RandBot:
    """Play any safe action."""

    def decide(self, asp):
        state = asp.get_start_state()
        safe = TronProblem.get_safe_actions(state.board, state.player_locs[state.ptm])
        return random.choice(sorted(safe)) if safe else "U"

    def cleanup(self):
        pass


class BuggyBot:
    """Has a bug."""

    def decide(self, asp):
        return asp.board
