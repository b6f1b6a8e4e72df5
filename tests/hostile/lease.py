"""Takes a lease on a file, so that whoever opens it has to wait.

failed: Operation not permitted
"""

import fcntl
import os

from polite import begin, hear, move

turn = begin()
fcntl.fcntl(os.open("own", os.O_CREAT | os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)
while turn["type"] == "turn":
    move(turn, turn["legal"][-1])
    turn = hear()
