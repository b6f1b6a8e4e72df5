"""Starts threads by the hundred.

failed: more than 40 processes and threads
"""

import threading
import time

from polite import begin

begin()
threading.stack_size(65_536)
for _ in range(300):
    threading.Thread(target=time.sleep, args=(1_000,), daemon=True).start()
time.sleep(1_000)
