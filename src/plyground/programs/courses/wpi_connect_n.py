"""Connect-N bots of WPI's CS4341: a package with `alpha_beta_agent.py` and `THE_AGENT`.

`python wpi_connect_n.py Group01 THE_AGENT`, or in place of the name a call of the class, such as
`AlphaBetaAgent("Group01", 4)`.
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


def find_agent(module, text):
    """Return the module's object of that name, or what a call of its class returns."""
    name, arguments, words = shim.read_call(text)
    if not hasattr(module, name):
        classes = [key for key, value in sorted(vars(module).items()) if is_agent(value, module)]
        example = f"{classes[0]}(...)" if classes else "its class"
        reason = f"alpha_beta_agent.py has no {name}: name {example} by the option agent="
        raise shim.ForfeitError("failed", reason)
    found = getattr(module, name)
    return found if arguments is None else found(*arguments, **words)


def is_agent(value, module):
    """Return whether a value is a class of agents that the module defines itself."""
    return isinstance(value, type) and hasattr(value, "go") and value.__module__ == module.__name__


def main(path, text):
    shim.offer("wpi")
    game = {"unseen": ""}

    def begin(new_game):
        package = os.path.basename(path)
        module = shim.load(os.path.join(path, "alpha_beta_agent.py"), package)
        game["agent"] = find_agent(module, text)
        game["agent"].player = new_game["seat"] + 1
        game["n"] = line_length(new_game["game"])
        game["seat"] = new_game["seat"]

    def choose(turn):
        if turn["turn"] == 1 and game["seat"] in turn["by"]:
            game["unseen"] = (
                "; the first {} plies were played without it: a bot that counts on seeing them "
                "needs --opening 0".format(len(turn["played"]))
            )
        try:
            column = int(game["agent"].go(read_board(turn["position"], game["n"])))
        except Exception as error:
            if not game["unseen"]:
                raise
            shim.print_traceback(error)
            raise shim.ForfeitError("failed", shim.described(error) + game["unseen"]) from None
        if game["unseen"] and column not in turn["legal"]:
            reason = f"its action is {column}, which is not legal"
            raise shim.ForfeitError("illegal", reason + game["unseen"])
        return column

    shim.serve(begin, choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
