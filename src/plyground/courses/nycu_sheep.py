"""Battle Sheep bots of NYCU's AI Capstone: functions `InitPos` and `GetStep`, or over TCP.

`python nycu_sheep.py bot.py` imports a bot; `python nycu_sheep.py --tcp PROGRAM ARGUMENT...` starts
one that connects to port 8887, where each message is little-endian words of 32 bits.
"""

import re
import socket
import struct
import subprocess
import sys
import time

import plyground_shim as shim

PORT = 8887
CELL = re.compile(r"([.#]|[a-d])(\?|\d*)")


def read_maps(text):
    """Give mapStat[x][y] (-1 wall, 0 free, else the owner) and sheepStat[x][y] (0 where hidden)."""
    rows = [CELL.findall(row) for row in text.split(" ")[0].split("/")]
    owners = [["#.abcd".index(cell) - 1 for cell, _ in row] for row in rows]
    sheep = [
        [0 if cell in ".#" or count == "?" else int(count or 1) for cell, count in row]
        for row in rows
    ]
    return [list(column) for column in zip(*owners)], [list(column) for column in zip(*sheep)]


def is_placing(turn):
    return ">" not in turn["names"][0]


class Module:
    """A bot that is called."""

    def __init__(self, path):
        self.path = path

    def begin(self, new_game):
        self.player = new_game["seat"] + 1
        self.module = shim.load(self.path)

    def choose(self, turn):
        map_stat, sheep_stat = read_maps(turn["position"])
        if is_placing(turn):
            x, y = self.module.InitPos(map_stat)
            return f"{int(x)},{int(y)}"
        (x, y), number, direction = self.module.GetStep(self.player, map_stat, sheep_stat)
        return f"{int(x)},{int(y)}>{int(direction)}:{int(number)}"

    def finish(self):
        pass


class Tcp:
    """A bot that connects."""

    def __init__(self, command):
        self.command = command
        self.package = 0

    def begin(self, new_game):
        """Listen until the bot has connected, and no longer: the port is for all bots."""
        self.player = new_game["seat"] + 1
        with listening() as listener:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=2)
            listener.settimeout(0.05)
            while True:
                try:
                    self.connection, _ = listener.accept()
                    break
                except socket.timeout:
                    if self.process.poll() is not None:
                        reason = "its program ended and did not connect"
                        raise shim.Forfeit("failed", reason) from None
        self.connection.settimeout(None)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.receive(1)  # idTeam

    def choose(self, turn):
        map_stat, sheep_stat = read_maps(turn["position"])
        cells = [cell for column in map_stat for cell in column]
        if is_placing(turn):
            self.send(1, self.player, *cells)
            x, y = self.answer(2)
            return f"{x},{y}"
        self.send(1, *(cells + [cell for column in sheep_stat for cell in column]))
        x, y, number, direction = self.answer(4)
        return f"{x},{y}>{direction}:{number}"

    def finish(self):
        self.send(0)
        self.connection.close()

    def send(self, going_on, *words):
        """Send a message in one piece, with a number that grows."""
        self.package += 1
        message = (going_on, self.package, *words)
        self.connection.sendall(struct.pack(f"<{len(message)}i", *message))

    def answer(self, size):
        """Read the answer to what was sent last; others are ignored."""
        while True:
            _, package, *words = self.receive(2 + size)
            if package == self.package:
                return words

    def receive(self, size):
        data = b""
        while len(data) < 4 * size:
            read = self.connection.recv(4 * size - len(data))
            if not read:
                raise shim.Forfeit("failed", "its program closed the connection")
            data += read
        return struct.unpack(f"<{size}i", data)


def listening():
    """Wait until the port is free, and listen."""
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", PORT))
            listener.listen(1)
            return listener
        except OSError:  # another bot is about to connect
            listener.close()
            time.sleep(0.01)


if __name__ == "__main__":
    bot = Tcp(sys.argv[2:]) if sys.argv[1] == "--tcp" else Module(sys.argv[1])
    shim.serve(bot.begin, bot.choose, bot.finish)
