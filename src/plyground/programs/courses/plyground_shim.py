"""The bot's side of the protocol, whatever the course."""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import traceback
from importlib import machinery

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.getcwd()


class Forfeit(Exception):
    """The bot broke a rule of its course; `fault` says which kind."""

    def __init__(self, fault, reason):
        super().__init__(reason)
        self.fault = fault


def load(path, package=""):
    """Import the bot's file or package; its folder, then the one above, are where it imports from.

    A file may be compiled for this interpreter. With `package` the file is a module of its folder,
    which so has relative imports. Where a course gave its bots modules to import, ours are in
    front of everything.
    """
    given = [each for each in sys.path if os.path.dirname(each) == HERE]
    others = [each for each in sys.path if each != HERE and each not in given]
    folder, name = os.path.split(os.path.abspath(path))
    sys.path[:] = [*given, folder, os.path.dirname(folder), *others]
    if os.path.isfile(path) and not name.endswith(tuple(machinery.all_suffixes())):
        version = "{}.{}".format(*sys.version_info)
        raise Forfeit("failed", f"Python {version} cannot import {name}: was it made for another?")
    if os.path.isfile(path):
        name = name.partition(".")[0]
    return importlib.import_module(f"{package}.{name}" if package else name)


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
                random.seed(message["seed"])
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


def end_as(process):
    """End as the bot's own program ended, so that its signal and last words are told as ours."""
    try:
        status = process.wait(1)
    except subprocess.TimeoutExpired:
        raise Forfeit("failed", "its program hung up and went on") from None
    if status < 0:
        if status != -signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
        signal.pause()
    os._exit(status)


def told(error):
    """Return what went wrong, and where in the bot."""
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(HOME):
            where = f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return f"{type(error).__name__}: {error}{where}"
