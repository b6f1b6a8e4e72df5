"""Kaggle's ConnectX: a file whose last function is `agent(observation, configuration)`.

`python kaggle_connectx.py submission.py`
"""

import re
import sys

import plyground_shim as shim


class Struct(dict):
    """A dictionary whose values are also attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


def find_agent(module):
    """Return the function `agent`, or the last one that the file defines, as Kaggle does."""
    if callable(getattr(module, "agent", None)):
        return module.agent
    functions = [
        value
        for value in vars(module).values()
        if callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    if not functions:
        raise shim.ForfeitError("failed", "the file defines no function")
    return functions[-1]


def observe(position, seat, n, seconds, overage):
    """Return (observation, configuration) of a position."""
    rows = [[".xo".index(cell) for cell in shim.expand(row)] for row in position.split("/")]
    board = [cell for row in rows for cell in row]
    stones = sum(cell != 0 for cell in board)
    observation = Struct(board=board, mark=seat + 1, step=stones, remainingOverageTime=overage)
    configuration = Struct(
        columns=len(rows[0]), rows=len(rows), inarow=n,
        timeout=seconds, actTimeout=seconds, agentTimeout=60, episodeSteps=1000, runTimeout=1200,
    )  # fmt: skip
    return observation, configuration


def main(path):
    game = {}

    def begin(new_game):
        match = re.search(r"\bn=(\d+)", new_game["game"])
        game["n"] = int(match.group(1)) if match else 4
        game["seat"] = new_game["seat"]
        game["agent"] = find_agent(shim.load(path))

    def choose(turn):
        clock = turn["seconds"], turn["overage"]
        arguments = observe(turn["position"], game["seat"], game["n"], *clock)
        code = getattr(game["agent"], "__code__", None)
        count = code.co_argcount if code else len(arguments)
        return int(game["agent"](*arguments[:count]))

    shim.serve(begin, choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
