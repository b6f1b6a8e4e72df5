"""Plays well, and stays when the game is over.

finished
"""

import signal
import time

from polite import begin, hear, move

signal.signal(signal.SIGTERM, signal.SIG_IGN)
message = begin()
while message["type"] == "turn":
    move(message, message["legal"][-1])
    message = hear()
time.sleep(1_000)
