"""A student's program for the course on Battle Sheep, over TCP with one recv per field."""

import socket
import struct
import sys

from bot import GetStep, InitPos

SIZE = int(sys.argv[1])
server = socket.create_connection(("localhost", 8887))


def receive(count):
    data = server.recv(4 * count)
    assert len(data) == 4 * count
    return struct.unpack("<%di" % count, data)


def send(*words):
    server.sendall(struct.pack("<%di" % len(words), *words))


def grid(cells):
    return [list(cells[x * SIZE : x * SIZE + SIZE]) for x in range(SIZE)]


send(7)  # idTeam
player = None
while receive(1)[0]:
    package = receive(1)[0]
    if player is None:
        player = receive(1)[0]
        x, y = InitPos(grid(receive(SIZE * SIZE)))
        send(1, package - 1, 99, 99)  # an answer to another request: ignored
        send(1, package, x, y)
    else:
        map_stat, sheep_stat = grid(receive(SIZE * SIZE)), grid(receive(SIZE * SIZE))
        (x, y), count, direction = GetStep(player, map_stat, sheep_stat)
        send(1, package, x, y, count, direction)
