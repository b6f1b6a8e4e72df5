"""How a bot behaves until it plays its trick; imported by all of this folder."""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def hear():
    """Give the next message; the game's end is the end of the program."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


def begin():
    """Answer the greeting and the new game, and wait for the first turn."""
    hear()
    say(type="hello", protocol=1)
    hear()
    say(type="ready")
    return hear()


def move(turn, action=0):
    say(type="move", turn=turn["turn"], action=action)
