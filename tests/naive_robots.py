"""A slow, independent implementation of Robot Reboot: robots walk cell by cell."""

from copy import copy
from itertools import count

LETTERS = "ygrbsopk"
STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
BITS = {"N": 1, "E": 2, "S": 4, "W": 8}


def place_of(name):
    """Read a place such as C4 or AB12 as (column, row)."""
    letters = "".join(letter for letter in name if letter.isalpha())
    column = 0
    for letter in letters:
        column = column * 26 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) + 1
    return column - 1, int(name[len(letters) :]) - 1


class NaiveRobots:
    """Walls by place, robots as a list of places."""

    def __init__(self, text, cap, rounds=1):
        words = text.split()
        fields = dict(word.split("=") for word in words if "=" in word)
        walls, *robots, house, moves = (word for word in words if "=" not in word)
        self.cap, self.moves = cap, int(moves)
        self.rounds = rounds
        self.round, self.spent = int(fields.get("round", 1)), int(fields.get("spent", 0))
        self.random = int(fields.get("random", 0)) % 2**64
        self.houses = [
            (place_of(each[1:]), LETTERS.find(each[0]))  # -1: any robot's
            for each in fields.get("houses", "").split(",")
            if each
        ]
        self.walls = {
            (x, y): {side for side in "NESW" if int(digit, 16) & BITS[side]}
            for y, row in enumerate(walls.split("/"))
            for x, digit in enumerate(row)
        }
        self.robots = [place_of(robot[1:]) for robot in robots]
        self.target = LETTERS.index(house[0])
        self.house = place_of(house[2:])
        self.actions = [(r, side) for r in range(len(robots)) for side in "NESW"]

    def step(self, place, side):
        """Return the next place, or None if a wall or a robot is in the way."""
        x, y = place
        beside = x + STEPS[side][0], y + STEPS[side][1]
        return None if side in self.walls[place] or beside in self.robots else beside

    def stop(self, action):
        """Walk until something is in the way."""
        robot, side = self.actions[action]
        place = self.robots[robot]
        while (beside := self.step(place, side)) is not None:
            place = beside
        return place

    def can_move(self):
        return [
            action
            for action, (robot, _) in enumerate(self.actions)
            if self.stop(action) != self.robots[robot]
        ]

    def is_solved(self):
        return self.robots[self.target] == self.house

    def is_over(self):
        return self.is_solved() or self.moves >= self.cap or not self.can_move()

    def legal(self):
        return [] if self.is_over() else self.can_move()

    def play(self, action):
        self.robots[self.actions[action][0]] = self.stop(action)
        self.moves += 1
        if self.round < self.rounds and (self.is_solved() or self.moves >= self.cap):
            self.spent, self.moves, self.round = self.spent + self.moves, 0, self.round + 1
            self.draw()

    def score(self):
        lost = self.is_over() and not self.is_solved()
        return -self.spent - (self.cap * (self.rounds - self.round + 1) if lost else self.moves)

    def returns(self):
        if not self.is_over():
            return (0.0,)
        last = 0.5 if self.is_solved() and self.moves == self.cap else 0.0
        return (1 + 2 * (self.score() + last) / (self.cap * self.rounds),)

    # The next round -----------------------------------------------------------------------------

    def below(self, bound):
        """Draw a number from the stream."""
        self.random = (self.random - 7046029254386353131) % 2**64
        mixed = self.random * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 30) * 0x94D049BB133111EB % 2**64
        return ((mixed ^ mixed >> 31) >> 32) * bound >> 32

    def draw(self):
        """Draw a target on which its robot does not stand, and that the walls do not rule out."""
        for _ in range(64):
            self.house, owner = self.houses[self.below(len(self.houses))]
            self.target = self.below(len(self.robots)) if owner < 0 else owner
            bound = self.bound()
            if not self.is_solved() and bound is not None and bound <= self.cap:
                return
        self.house, self.target = next(
            (house, robot)
            for house, owner in self.houses
            for robot, place in enumerate(self.robots)
            if owner in (-1, robot) and place != house
        )

    def bound(self):
        """Count the moves to the target if the target robot were alone and could stop anywhere."""
        robots, self.robots = self.robots, []
        reached = {robots[self.target]}
        for moves in count():
            if self.house in reached:
                break
            further = set(reached)
            for start in reached:
                for side in "NESW":
                    place = start
                    while (beside := self.step(place, side)) is not None:
                        place = beside
                        further.add(place)
            if further == reached:
                moves = None
                break
            reached = further
        self.robots = robots
        return moves


def naive_perft(board, depth):
    """Count the lines of exactly `depth` plies."""
    if depth == 0:
        return 1
    total = 0
    for action in board.legal():
        after = copy(board)
        after.robots = list(board.robots)
        after.play(action)
        total += naive_perft(after, depth - 1)
    return total
