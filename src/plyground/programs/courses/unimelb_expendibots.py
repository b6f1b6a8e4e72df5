"""Expendibots players of Melbourne's COMP30024: a package with `Player(colour)`.

`python unimelb_expendibots.py package Player 60`: 60 seconds of CPU time for the whole game.
"""

import os
import re
import resource
import sys
import time

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
    raise shim.Forfeit("illegal", f"its action is {action!r:.100}, which is not an action")


def square(letter, digit):
    return FILES.index(letter), int(digit) - 1


def name_of(x, y):
    if not (0 <= x < 8 and 0 <= y < 8):
        raise ValueError
    return FILES[int(x)] + str(int(y) + 1)


class Budget:
    """The CPU time of a player: that of this process and its descendants, less the shim's own.

    The shim's own time is that of the main thread between calls of the player.
    """

    def __init__(self, seconds):
        self.seconds = seconds
        self.spent = 0.0
        self.began = self.shim_time = self.left = None

    def call(self, function, *arguments):
        """Call the player and return its result; raise Forfeit once its time is spent.

        CPU time counts from the first call on.
        """
        if self.began is None:
            self.shim_time = 0.0
            self.began = cpu_seconds()
        else:
            self.shim_time += thread_time() - self.left
        result = function(*arguments)
        self.left = thread_time()
        self.spent = max(self.spent, cpu_seconds() - self.began - self.shim_time)
        if self.spent > self.seconds:
            used = f"computed for {self.spent:.2f} s, had {self.seconds} s"
            raise shim.Forfeit("late", used)
        return result


def cpu_seconds():
    """Return the CPU seconds of this process, of children it waited for, and of running ones."""
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + waited.ru_utime + waited.ru_stime + sum(map(cpu_time, children()))


def thread_time():
    """Return the CPU seconds of this thread; Python 3.6 has no `time.thread_time`."""
    if hasattr(time, "thread_time"):
        return time.thread_time()
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return used.ru_utime + used.ru_stime


def children(pid="self"):
    """Yield all descendants of a process, on systems with /proc."""
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                for child in file.read().split():
                    yield child
                    yield from children(child)
    except OSError:
        pass  # the process has just ended


def cpu_time(pid):
    """Return the CPU seconds of a process and of the children it waited for."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            times = file.read().rpartition(")")[2].split()[11:15]
    except OSError:
        return 0.0
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def main(package, name, seconds):
    game = {"updates": 0}
    budget = Budget(float(seconds))

    def begin(new_game):
        module = shim.load(package)
        game["player"] = budget.call(getattr(module, name), COLOURS[new_game["seat"]])

    def choose(turn):
        for name, seat in zip(turn["played"], turn["by"]):
            budget.call(game["player"].update, COLOURS[seat], read_action(name))
        game["updates"] += len(turn["played"])
        if game["updates"] != int(turn["position"].split()[-1]):
            raise shim.Forfeit("failed", "this interface supports only the usual first position")
        return write_action(budget.call(game["player"].action))

    shim.serve(begin, choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
