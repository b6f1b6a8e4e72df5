"""The bot's side of the wire protocol, shared by the shims of all courses."""

import ast
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import traceback
from importlib import machinery, util

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.getcwd()


class ForfeitError(Exception):
    """The bot broke a rule of its course; `fault` is illegal, late or failed."""

    def __init__(self, fault, reason):
        super().__init__(reason)
        self.fault = fault


def load(path, package=""):
    """Import and return the bot's file or package, which may import from its folder and the parent.

    A file may be an extension module for this interpreter. With `package` the file is a module of
    its folder, so that relative imports work. The course's modules (see `offer`) come first on the
    path.
    """
    offered = [entry for entry in sys.path if os.path.dirname(entry) == HERE]
    others = [entry for entry in sys.path if entry != HERE and entry not in offered]
    folder, name = os.path.split(os.path.abspath(path))
    sys.path[:] = [*offered, folder, os.path.dirname(folder), *others]
    if os.path.isfile(path) and not name.endswith(tuple(machinery.all_suffixes())):
        version = "{}.{}".format(*sys.version_info)
        raise ForfeitError(
            "failed", f"Python {version} cannot import {name}: made for another version?"
        )
    for course_folder in offered:
        add_own_names(course_folder, folder)
    if os.path.isfile(path):
        name = name.partition(".")[0]
    return importlib.import_module(f"{package}.{name}" if package else name)


def add_own_names(course_folder, folder):
    """Add to the course's modules what the bot's copies of them define besides.

    Students add helpers to the files that are handed out. The rules stay the course's: a name that
    a module, or a class of it, has already keeps its meaning, also within the helpers.
    """
    for file in sorted(os.listdir(course_folder)):
        name = file[: -len(".py")]
        path = os.path.join(folder, file)
        if not file.endswith(".py") or name == "__init__" or not os.path.isfile(path):
            continue
        spec = util.spec_from_file_location(name, path)
        copy = util.module_from_spec(spec)
        try:
            spec.loader.exec_module(copy)
        except Exception:
            traceback.print_exc()
            print(f"what {name}.py adds to the course's module is left out", file=sys.stderr)
            continue
        course = importlib.import_module(name)
        add_missing(course, copy)
        for key, value in vars(copy).items():
            if isinstance(value, type) and isinstance(getattr(course, key, None), type):
                add_missing(getattr(course, key), value)
        vars(copy).update(vars(course))


def add_missing(target, source):
    """Set the attributes of a module or class that another one has and it has not."""
    for key, value in list(vars(source).items()):
        if not key.startswith(("__", "_abc_")) and not hasattr(target, key):
            setattr(target, key, value)


def offer(folder):
    """Let the bot import the course's modules in a folder beside this file."""
    sys.path.insert(0, os.path.join(HERE, folder))


def read_call(text: str) -> tuple:
    """Return the name in a text such as `Name("x", 4)`, and its literal arguments.

    For a name alone the arguments are None; nothing is evaluated.
    """
    tree = ast.parse(text.strip(), mode="eval").body
    if isinstance(tree, ast.Name):
        return tree.id, None, None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise ValueError("it is neither a name nor a call")
    words = {argument.arg: ast.literal_eval(argument.value) for argument in tree.keywords}
    if None in words:
        raise ValueError("it has arguments after **")
    return tree.func.id, [ast.literal_eval(argument) for argument in tree.args], words


def expand(row):
    """Return a row of a position's text with every number replaced by so many dots."""
    cells = ""
    count = ""
    for symbol in row + ".":
        if symbol.isdigit():
            count += symbol
        else:
            cells += "." * int(count or 0) + symbol
            count = ""
    return cells[:-1]


def serve(begin, choose, finish=lambda: None, prepare=lambda: None):
    """Play a game: call `begin(new_game)`, `choose(turn)` for every action, `finish()` at the end.

    What `prepare()` does, before the first answer, is not taken from the bot's time for a game.

    The shim keeps standard input and output for itself: what the bot prints goes to standard error,
    and its input is empty.
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
                prepare()
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
        except ForfeitError as forfeit:
            answer(type="failed", fault=forfeit.fault, reason=str(forfeit))
        except (Exception, SystemExit) as error:
            print_traceback(error)
            answer(type="failed", reason=described(error))


def end_as(process):
    """End with the status or signal of the bot's own program, so that it is reported as such."""
    try:
        status = process.wait(1)
    except subprocess.TimeoutExpired:
        raise ForfeitError("failed", "its program closed the connection and did not end") from None
    if status < 0:
        if status != -signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
        signal.pause()
    os._exit(status)


def print_traceback(error):
    """Print an error's traceback from where it leaves the shims."""
    step = error.__traceback__
    while step is not None and step.tb_frame.f_code.co_filename.startswith(HERE + os.sep):
        step = step.tb_next
    traceback.print_exception(type(error), error, step or error.__traceback__)


def described(error):
    """Return an error as one line, with its place in the bot's files."""
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith(HOME):
            where = f" ({os.path.basename(frame.filename)}, line {frame.lineno})"
    return f"{type(error).__name__}: {error}{where}"
