"""A student's player for the course on Expendibots: takes what it can, else moves forward."""

import copy
import json
import random

from keen_team.rules import Rules


class KeenPlayer:
    def __init__(self, colour):
        with open("keen_team/weights.json") as file:
            self.weights = json.load(file)
        self.sign = 1 if colour == "white" else -1
        self.colour = colour
        self.rules = Rules()

    def action(self):
        print("I am", self.colour)
        return max(self.rules.actions(self.sign), key=self.value)

    def value(self, action):
        after = copy.deepcopy(self.rules)
        after.apply(action)
        return self.weights["lead"] * after.lead(self.sign) + random.random()

    def update(self, colour, action):
        assert colour in ("white", "black")
        self.rules.apply(action)


class OtherPlayer(KeenPlayer):
    """The team's second entry, which always plays the first action it finds."""

    def action(self):
        return next(self.rules.actions(self.sign))
