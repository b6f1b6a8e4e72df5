"""A bot that plays any legal action.

plyground match tron "remote(command='python3 random_bot.py')" random
"""

import json
import random
import sys
from typing import Any


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer to a message; None where none is expected."""
    if message["type"] == "hello":
        return {"type": "hello", "protocol": 1, "name": "random bot"}
    if message["type"] == "new_game":
        print(f"I play {message['game']} from seat {message['seat']}", file=sys.stderr)
        return {"type": "ready"}
    if message["type"] == "turn":
        random.seed(message["seed"])
        action = random.choice(message["legal"])
        return {"type": "move", "turn": message["turn"], "action": action}
    return None  # "result" and "bye"


for line in sys.stdin:
    reply = answer(json.loads(line))
    if reply is not None:
        print(json.dumps(reply), flush=True)
