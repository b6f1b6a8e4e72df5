"""A program that connects, and crashes when it is asked to place its sheep."""

import os
import signal
import socket
import struct
import sys

server = socket.create_connection(("localhost", 8887))
server.sendall(struct.pack("<i", 7))
server.recv(4)
print("pasture is None", file=sys.stderr)
sys.stderr.flush()
os.kill(os.getpid(), signal.SIGSEGV)
