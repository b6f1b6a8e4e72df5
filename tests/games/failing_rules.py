"""Tic-tac-toe whose penalty fails: an error of the rules, not of a player."""

from pathlib import Path

from plyground.registry import load_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
TicTacToe = load_file(EXAMPLE).TicTacToe


class FailingRules(TicTacToe):
    name = "failing_rules"

    def penalty(self, position, fault, seed):
        raise ZeroDivisionError("the penalty's own error")
