"""Robot Reboot once more, from its rules alone: robots walk cell by cell, no tables, no speed."""

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

    def __init__(self, text, cap):
        walls, *robots, house, moves = text.split()
        self.cap, self.moves = cap, int(moves)
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
        """Give the place one step on, or None where a wall or a robot is in the way."""
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

    def score(self):
        return -self.moves if self.is_solved() or not self.is_over() else -self.cap

    def returns(self):
        return (1 + 2 * self.score() / self.cap,) if self.is_over() else (0.0,)

    def bound(self):
        """Count the target robot's moves to its house if it could stop at will, alone."""
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
        before = list(board.robots)
        board.play(action)
        total += naive_perft(board, depth - 1)
        board.robots, board.moves = before, board.moves - 1
    return total
