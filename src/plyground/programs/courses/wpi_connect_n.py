"""Connect-N bots of WPI's CS4341: a package with `alpha_beta_agent.py` and `THE_AGENT`.

`python wpi_connect_n.py Group01 THE_AGENT`
"""

import os
import re
import sys

import plyground_shim as shim


def read_board(text, n):
    """Return the course's board of a position's text."""
    from board import Board

    rows = [[".xo".index(cell) for cell in shim.expand(row)] for row in text.split("/")]
    board = Board(rows[::-1], len(rows[0]), len(rows), n)
    board.player = 1 + sum(cell != 0 for row in rows for cell in row) % 2
    return board


def line_length(game):
    """Return n from the game's spec."""
    match = re.search(r"\bn=(\d+)", game)
    return int(match.group(1)) if match else 4


def main(path, name):
    shim.offer("wpi")
    game = {}

    def begin(new_game):
        package = os.path.basename(path)
        module = shim.load(os.path.join(path, "alpha_beta_agent.py"), package)
        game["agent"] = getattr(module, name)
        game["agent"].player = new_game["seat"] + 1
        game["n"] = line_length(new_game["game"])

    def choose(turn):
        return int(game["agent"].go(read_board(turn["position"], game["n"])))

    shim.serve(begin, choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
