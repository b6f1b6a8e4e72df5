"""The bot's end of the connection, for bots without the course's own file.

Messages are little-endian 32-bit integers. They do not contain the map's size, which is taken from
the environment.
"""

import os
import socket
import struct

try:
    import numpy
except ImportError:
    numpy = None

PORT = 8887
SIZE = int(os.environ.get("PLYGROUND_MAP_SIZE", "12"))
idTeam = 1
socketServer = None


def GetMap():
    """Return (package, player, map) of the request to place sheep."""
    package, player = _receive(3)[1:]
    return package, player, _grid()


def GetBoard():
    """Return (whether the game is over, package, map, sheep)."""
    going_on, package = _receive(2)
    if not going_on:
        return True, package, None, None
    return False, package, _grid(), _grid()


def SendInitPos(id_package, pos):
    _send(1, id_package, pos[0], pos[1])


def SendStep(id_package, Step):
    (x, y), number, direction = Step
    _send(1, id_package, x, y, number, direction)


def _StopConnect():
    if socketServer is not None:
        socketServer.close()


def _connect():
    global socketServer
    if socketServer is None:
        socketServer = socket.create_connection(("127.0.0.1", PORT))
        _send(idTeam)
    return socketServer


def _receive(count):
    connection, data = _connect(), b""
    while len(data) < 4 * count:
        received = connection.recv(4 * count - len(data))
        if not received:
            raise ConnectionError("the referee has closed the connection")
        data += received
    return struct.unpack(f"<{count}i", data)


def _send(*words):
    _connect().sendall(struct.pack(f"<{len(words)}i", *(int(word) for word in words)))


def _grid():
    cells = _receive(SIZE * SIZE)
    columns = [list(cells[x * SIZE : (x + 1) * SIZE]) for x in range(SIZE)]
    return columns if numpy is None else numpy.array(columns, dtype=float)
