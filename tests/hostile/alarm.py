"""Sets a timer that continues it when it has been stopped.

failed: Operation not permitted
"""

import ctypes
import os
import signal
import struct
import time

from polite import begin, hear, move

CLOCK, SIGNAL = time.CLOCK_MONOTONIC, 0
signal.signal(signal.SIGCONT, lambda *_: None)  # an ignored signal wakes nobody
library = ctypes.CDLL(None, use_errno=True)
event = struct.pack("QiiQ40x", 0, signal.SIGCONT, SIGNAL, 0)
timer, often = ctypes.c_void_p(), struct.pack("qqqq", 0, 1_000_000, 0, 1_000_000)
turn = begin()
if library.timer_create(CLOCK, event, ctypes.byref(timer)):
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
library.timer_settime(timer, 0, often, None)
while turn["type"] == "turn":
    move(turn, turn["legal"][-1])
    turn = hear()
