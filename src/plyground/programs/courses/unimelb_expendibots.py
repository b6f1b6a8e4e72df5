"""Expendibots players of Melbourne's COMP30024: a package with `Player(colour)`.

`python unimelb_expendibots.py package Player`
"""

import re
import sys

import plyground_shim as shim

COLOURS = ("white", "black")
FILES = "abcdefgh"
MOVE = re.compile(r"(\d*)([a-h])([1-8])-([a-h])([1-8])")


def read_action(name):
    """Return the course's tuple of an action such as `2c3-c5` or `boom-c3`."""
    if name.startswith("boom-"):
        return "BOOM", square(name[5], name[6])
    tokens, *squares = MOVE.match(name).groups()
    return "MOVE", int(tokens or 1), square(*squares[:2]), square(*squares[2:])


def write_action(action):
    """Return the text of an action in the course's form; its numbers may be of any type."""
    try:
        if action[0] == "BOOM":
            _, (x, y) = action
            return "boom-" + name_of(x, y)
        kind, tokens, (x, y), (to_x, to_y) = action
        if kind == "MOVE":
            number = "" if tokens == 1 else str(int(tokens))
            return f"{number}{name_of(x, y)}-{name_of(to_x, to_y)}"
    except (TypeError, ValueError, IndexError, KeyError):
        pass
    raise shim.ForfeitError("illegal", f"its action is {action!r:.100}, which is not an action")


def square(letter, digit):
    return FILES.index(letter), int(digit) - 1


def name_of(x, y):
    if not (0 <= x < 8 and 0 <= y < 8):
        raise ValueError
    return FILES[int(x)] + str(int(y) + 1)


def main(package, name):
    game = {"updates": 0}

    def prepare():
        game["module"] = shim.load(package)

    def begin(new_game):
        game["player"] = getattr(game["module"], name)(COLOURS[new_game["seat"]])

    def choose(turn):
        for name, seat in zip(turn["played"], turn["by"]):
            game["player"].update(COLOURS[seat], read_action(name))
        game["updates"] += len(turn["played"])
        if game["updates"] != int(turn["position"].split()[-1]):
            raise shim.ForfeitError(
                "failed", "this interface supports only the usual first position"
            )
        return write_action(game["player"].action())

    shim.serve(begin, choose, prepare=prepare)


if __name__ == "__main__":
    main(*sys.argv[1:])
