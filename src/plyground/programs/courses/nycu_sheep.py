"""Battle Sheep bots of NYCU's AI Capstone: functions `InitPos` and `GetStep`, or over TCP.

`python nycu_sheep.py bot.py` imports a bot, or starts it if it is a program, like the course's
template; `python nycu_sheep.py --tcp PROGRAM ARGUMENT...` starts any program. A program connects to
port 8887; messages are little-endian 32-bit integers.
"""

import ast
import os
import re
import socket
import struct
import subprocess
import sys
import time
from importlib import machinery

import plyground_shim as shim

try:
    import numpy
except ImportError:  # the bot's interpreter need not have it
    numpy = None

CLIENT = "STcpClient"
PORT = 8887
CELL = re.compile(r"([.#]|[a-d])(\?|\d*)")


def read_maps(text):
    """Return mapStat[x][y] (-1 wall, 0 free, else the owner) and sheepStat[x][y] (0 if hidden)."""
    rows = [CELL.findall(row) for row in text.split(" ")[0].split("/")]
    owners = [["#.abcd".index(cell) - 1 for cell, _ in row] for row in rows]
    sheep = [
        [0 if cell in ".#" or count == "?" else int(count or 1) for cell, count in row]
        for row in rows
    ]
    return [list(column) for column in zip(*owners)], [list(column) for column in zip(*sheep)]


def as_grid(columns):
    """Return a map in the course's form: an array of floats, or lists without NumPy."""
    return columns if numpy is None else numpy.array(columns, dtype=float)


def cells_of(columns):
    return [cell for column in columns for cell in column]


def is_placing(turn):
    return ">" not in turn["names"][0]


def before_placing(turn, seat):
    """Return mapStat as it was before a player's placement, which a random opening made for it.

    With hidden counts the placements are unknown; then the cells that earlier players own now are
    used instead.
    """
    owners = read_maps(turn["position"])[0]
    placed = {tuple(map(int, name.split(","))) for name in turn["played"][:seat]}
    for x, column in enumerate(owners):
        for y, owner in enumerate(column):
            earlier = (x, y) in placed if turn["played"] else owner <= seat
            if owner > 0 and not earlier:
                column[y] = 0
    return owners


def is_program(path):
    """Return whether a bot's file must be started, not imported: it calls the course's client."""
    if not path.endswith(".py"):
        return not path.endswith(tuple(machinery.EXTENSION_SUFFIXES))
    with open(path, "rb") as file:
        try:
            tree = ast.parse(file.read())
        except SyntaxError:
            return False  # importing it reports the error
    nodes = list(ast.walk(tree))
    client = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            client |= {name.asname or name.name for name in node.names if name.name == CLIENT}
        elif isinstance(node, ast.ImportFrom) and node.module == CLIENT:
            client |= {name.asname or name.name for name in node.names}
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    sources = (getattr(function, "value", function) for function in called)
    return any(isinstance(source, ast.Name) and source.id in client for source in sources)


class Module:
    """A bot that is imported, and whose functions are called."""

    def __init__(self, path):
        self.path = path

    def begin(self, new_game):
        self.player = new_game["seat"] + 1
        self.module = shim.load(self.path)

    def choose(self, turn):
        map_stat, sheep_stat = map(as_grid, read_maps(turn["position"]))
        if is_placing(turn):
            x, y = self.module.InitPos(map_stat)
            return f"{int(x)},{int(y)}"
        if turn["turn"] == 1:  # a random opening placed for the bot, but it may prepare here
            self.module.InitPos(as_grid(before_placing(turn, self.player - 1)))
        (x, y), number, direction = self.module.GetStep(self.player, map_stat, sheep_stat)
        return f"{int(x)},{int(y)}>{int(direction)}:{int(number)}"

    def finish(self):
        pass


class Tcp:
    """A bot that is started as a program, and connects."""

    def __init__(self, command):
        self.command = command
        self.package = 0

    def begin(self, new_game):
        """Start the bot and listen until it has connected; then free the port for other bots."""
        self.player = new_game["seat"] + 1
        size = re.search(r"\bsize=(\d+)", new_game["game"])
        paths = [os.environ.get("PYTHONPATH", ""), os.path.join(shim.HERE, "nycu")]
        own = {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PLYGROUND_MAP_SIZE": size.group(1) if size else "12",
        }
        with listening() as listener:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=2, env=dict(os.environ, **own)
            )
            listener.settimeout(0.05)
            while True:
                try:
                    self.connection, _ = listener.accept()
                    break
                except socket.timeout:
                    if self.process.poll():
                        shim.end_as(self.process)
                    elif self.process.returncode == 0:
                        reason = "its program ended without connecting"
                        raise shim.ForfeitError("failed", reason) from None
        self.connection.settimeout(None)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.receive(1)  # idTeam

    def choose(self, turn):
        map_stat, sheep_stat = read_maps(turn["position"])
        if is_placing(turn):
            x, y = self.place(map_stat)
            return f"{x},{y}"
        if turn["turn"] == 1:  # a random opening placed for the bot: its answer is ignored
            self.place(before_placing(turn, self.player - 1))
        self.send(1, *cells_of(map_stat), *cells_of(sheep_stat))
        x, y, number, direction = self.answer(4)
        return f"{x},{y}>{direction}:{number}"

    def place(self, map_stat):
        """Return the cell on which the bot places its sheep."""
        self.send(1, self.player, *cells_of(map_stat))
        return self.answer(2)

    def finish(self):
        self.send(0)
        self.connection.close()

    def send(self, going_on, *words):
        """Send one message with the next package number."""
        self.package += 1
        message = (going_on, self.package, *words)
        try:
            self.connection.sendall(struct.pack(f"<{len(message)}i", *message))
        except OSError:
            shim.end_as(self.process)

    def answer(self, size):
        """Return the answer to the last message; answers to earlier ones are ignored."""
        while True:
            _, package, *words = self.receive(2 + size)
            if package == self.package:
                return words

    def receive(self, size):
        data = b""
        while len(data) < 4 * size:
            try:
                read = self.connection.recv(4 * size - len(data))
            except OSError:  # reset by a program that crashed
                read = b""
            if not read:
                shim.end_as(self.process)
            data += read
        return struct.unpack(f"<{size}i", data)


def listening():
    """Return a socket that listens on the port, once it is free."""
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", PORT))
            listener.listen(1)
            return listener
        except OSError:  # the port is in use: another bot is about to connect
            listener.close()
            time.sleep(0.01)


if __name__ == "__main__":
    argument = sys.argv[1]
    if argument == "--tcp":
        bot = Tcp(sys.argv[2:])
    elif is_program(argument):
        program = os.path.abspath(argument)
        bot = Tcp([sys.executable, program] if argument.endswith(".py") else [program])
    else:
        bot = Module(argument)
    shim.serve(bot.begin, bot.choose, bot.finish)
