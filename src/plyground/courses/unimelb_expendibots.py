"""Expendibots players of Melbourne's COMP30024: a package with `Player(colour)`.

`python unimelb_expendibots.py package Player 60`: 60 seconds of computing for the whole game.
"""

import re
import sys
import time

import plyground_shim as shim

COLOURS = ("white", "black")
FILES = "abcdefgh"
MOVE = re.compile(r"(\d*)([a-h])([1-8])-([a-h])([1-8])")


def read_action(name):
    """Turn `2c3-c5` or `boom-c3` into the course's tuple."""
    if name.startswith("boom-"):
        return "BOOM", square(name[5], name[6])
    tokens, *squares = MOVE.match(name).groups()
    return "MOVE", int(tokens or 1), square(*squares[:2]), square(*squares[2:])


def write_action(action):
    """Turn the course's tuple into the action's name; numbers may be of any kind."""
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
    raise shim.Forfeit("illegal", f"its action is {action!r:.100}, which is none")


def square(letter, digit):
    return FILES.index(letter), int(digit) - 1


def name_of(x, y):
    if not (0 <= x < 8 and 0 <= y < 8):
        raise ValueError
    return FILES[int(x)] + str(int(y) + 1)


def main(package, name, seconds):
    game = {"spent": 0.0, "told": 0}

    def clocked(function, *arguments):
        """Call the player; what it computes counts, from its making on."""
        began = time.process_time()
        result = function(*arguments)
        game["spent"] += time.process_time() - began
        if game["spent"] > float(seconds):
            used = "computed for {:.2f} s, had {} s".format(game["spent"], seconds)
            raise shim.Forfeit("late", used)
        return result

    def begin(new_game):
        module = shim.load(package)
        game["player"] = clocked(getattr(module, name), COLOURS[new_game["seat"]])

    def choose(turn):
        for name, seat in zip(turn["played"], turn["by"]):
            clocked(game["player"].update, COLOURS[seat], read_action(name))
        game["told"] += len(turn["played"])
        if game["told"] != int(turn["position"].split()[-1]):
            raise shim.Forfeit("failed", "this interface knows the game's own start alone")
        return write_action(clocked(game["player"].action))

    shim.serve(begin, choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
