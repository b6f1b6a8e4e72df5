"""The correct part of the protocol, imported by all bots of this folder."""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def hear():
    """Return the next message; exit at the end of the game."""
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
