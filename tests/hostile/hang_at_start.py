"""Does not greet.

late: no hello
"""

import time

time.sleep(1_000)
