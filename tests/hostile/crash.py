"""Has a bug.

failed: ZeroDivisionError: integer division or modulo by zero
"""

from polite import begin

turn = begin()
print(turn["seed"] // 0)
