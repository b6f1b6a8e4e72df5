"""The bot's side of the protocol, whatever the course."""

import importlib
import json
import os
import random
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.getcwd()


class Forfeit(Exception):
    """The bot broke a rule of its course; `fault` says which kind."""

    def __init__(self, fault, reason):
        super().__init__(reason)
        self.fault = fault


def load(path):
    """Import the bot's file or package; its folder, then the one above, are where it imports from.

    Where a course gave its bots modules to import, ours are in front of everything.
    """
    given = [each for each in sys.path if os.path.dirname(each) == HERE]
    others = [each for each in sys.path if each != HERE and each not in given]
    folder, name = os.path.split(os.path.abspath(path))
    sys.path[:] = [*given, folder, os.path.dirname(folder), *others]
    return importlib.import_module(name[:-3] if name.endswith(".py") else name)


def offer(folder):
    """Let the bot import what lies in a folder beside this file."""
    sys.path.insert(0, os.path.join(HERE, folder))


def expand(row):
    """Write the numbers in a row as so many dots."""
    cells = ""
    count = ""
    for symbol in row + ".":
        if symbol.isdigit():
            count += symbol
        else:
            cells += "." * int(count or 0) + symbol
            count = ""
    return cells[:-1]


def serve(begin, choose, finish=lambda: None):
    """Play a game: `begin(new_game)`, `choose(turn)` gives an action, `finish()` is at the end.

    What the bot prints goes to standard error, and what it reads is nothing: the pipes are ours.
    """
    messages = os.fdopen(os.dup(0), "r", encoding="ascii")
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def answer(**message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    for line in messages:
        message = json.loads(line)
        kind = message["type"]
        try:
            if kind == "hello":
                answer(type="hello", protocol=1)
            elif kind == "new_game":
                random.seed(0)
                begin(message)
                answer(type="ready")
            elif kind == "turn":
                random.seed(message["seed"])
                answer(type="move", turn=message["turn"], action=choose(message))
            elif kind == "result":
                finish()
        except Forfeit as forfeit:
            answer(type="failed", fault=forfeit.fault, reason=str(forfeit))
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            answer(type="failed", reason=told(error))


def told(error):
    """Say what went wrong, and where in the bot."""
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(HOME):
            where = f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return f"{type(error).__name__}: {error}{where}"
