"""Plays well, and goes on writing when the game is over.

finished
"""

from polite import begin, hear, move

message = begin()
while message["type"] == "turn":
    move(message, message["legal"][-1])
    message = hear()
while True:
    print("I should have won!")
