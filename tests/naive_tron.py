"""A slow, independent implementation of Tron with a dictionary of cells."""

from collections import deque

STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
POWERS = "*^!@"


class NaiveTron:
    """Cells by (row, column); players are 0 and 1, their heads the symbols 1 and 2."""

    def __init__(self, rows, simultaneous=False):
        self.height, self.width = len(rows), len(rows[0])
        self.cells = {(y, x): symbol for y, row in enumerate(rows) for x, symbol in enumerate(row)}
        self.simultaneous = simultaneous
        self.heads = [self.find("1"), self.find("2")]
        self.turn = 0
        self.crashed = []
        self.pending = None
        self.armor = [False, False]
        self.speed = [0, 0]

    @classmethod
    def from_text(cls, text, simultaneous=False):
        """Read the board, the turn and the pending action from the game's text; ignore the rest."""
        board, turn, *fields = text.split()
        game = cls(board.replace(".", " ").split("/"), simultaneous)
        game.turn = int(turn) - 1
        extra = dict(field.split("=") for field in fields)
        game.pending = extra.get("pending")
        game.armor = [player in extra.get("armor", "") for player in "12"]
        game.speed = [int(moves) for moves in extra.get("speed", "0,0").split(",")]
        return game

    def copy(self):
        other = object.__new__(NaiveTron)
        other.__dict__ = {
            name: value.copy() if isinstance(value, dict | list) else value
            for name, value in self.__dict__.items()
        }
        return other

    def find(self, symbol):
        return next(cell for cell, here in self.cells.items() if here == symbol)

    def target(self, player, action):
        (y, x), (down, across) = self.heads[player], STEPS[action]
        return y + down, x + across

    def is_over(self):
        return bool(self.crashed)

    def returns(self):
        if len(self.crashed) != 1:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.crashed == [0] else (1.0, -1.0)

    def play(self, action, choose_traps=lambda spaces: []):
        """Play a letter; `choose_traps` picks from the spaces where a trap may put barriers."""
        if self.simultaneous:
            if self.pending is None:
                self.pending, self.turn = action, 1
            else:
                self.play_both(self.pending, action)
                self.pending, self.turn = None, 0
            return
        player = self.turn
        cell = self.target(player, action)
        here = self.cells[cell]
        self.turn = 1 - player
        if here == "x" and self.armor[player]:
            self.armor[player] = False
        elif here not in (" ", *POWERS):
            self.crashed = [player]
            return
        self.move(player, cell)
        if self.speed[player]:
            self.speed[player] -= 1
            self.turn = player
        if here == "*":
            for trap in choose_traps(self.spaces_round(self.heads[1 - player])):
                self.cells[trap] = "x"
        elif here == "^":
            self.speed[player] = 4
        elif here == "!":
            self.clear_round(cell)
        elif here == "@":
            self.armor[player] = True

    def play_both(self, first, second):
        """Move both at once; cells taken before are taken, and both in one cell crash."""
        targets = [self.target(0, first), self.target(1, second)]
        self.crashed = [player for player in (0, 1) if self.cells[targets[player]] != " "]
        if targets[0] == targets[1]:
            self.crashed = [0, 1]
        for player in (0, 1):
            if player not in self.crashed:
                self.move(player, targets[player])

    def move(self, player, cell):
        self.cells[self.heads[player]] = "x"
        self.cells[cell] = "12"[player]
        self.heads[player] = cell

    def square(self, centre, reach):
        return [
            (centre[0] + down, centre[1] + across)
            for down in range(-reach, reach + 1)
            for across in range(-reach, reach + 1)
        ]

    def spaces_round(self, centre):
        """List the free cells on the border of the 5 x 5 square around a cell."""
        border = set(self.square(centre, 2)) - set(self.square(centre, 1))
        return sorted(cell for cell in border if self.cells.get(cell) == " ")

    def clear_round(self, centre):
        for cell in self.square(centre, 4):
            if self.cells.get(cell) == "x":
                self.cells[cell] = " "

    def rows(self):
        return ["".join(self.cells[y, x] for x in range(self.width)) for y in range(self.height)]

    def text(self):
        """Write the position as the game does, but for the random stream."""
        fields = {
            "crashed": "".join("12"[player] for player in self.crashed),
            "pending": self.pending or "",
            "speed": ",".join(map(str, self.speed)) if any(self.speed) else "",
            "armor": "".join("12"[player] for player in (0, 1) if self.armor[player]),
        }
        extra = "".join(f" {name}={value}" for name, value in fields.items() if value)
        return "/".join(self.rows()).replace(" ", ".") + f" {self.turn + 1}{extra}"

    # Heuristics, cell by cell -------------------------------------------------------------------

    def seen_heads(self):
        """Return both heads, the first moved by the pending action; None if that is a crash."""
        if self.pending in (None, "?"):
            return list(self.heads)
        cell = self.target(0, self.pending)
        return [cell if self.cells[cell] == " " else None, self.heads[1]]

    def free(self, cell):
        return self.cells[cell] in (" ", *POWERS)

    def distances(self, head, heads=()):
        """Return the distance of every cell that a head can reach over free cells."""
        if head is None:
            return {}
        found, queue = {head: 0}, deque([head])
        while queue:
            y, x = queue.popleft()
            for down, across in STEPS.values():
                cell = y + down, x + across
                if self.free(cell) and cell not in heads and cell not in found:
                    found[cell] = found[y, x] + 1
                    queue.append(cell)
        return found

    def free_cells(self):
        total = self.width * self.height
        return tuple(len(self.distances(head)) / total for head in self.seen_heads())

    def voronoi(self):
        far = 10**6
        heads = self.seen_heads()
        first, second = (self.distances(head, heads) for head in heads)
        return self.share(lambda cell: first.get(cell, far) - second.get(cell, far))

    def manhattan_voronoi(self):
        first, second = self.seen_heads()

        def apart(head, cell):
            return 10**6 if head is None else abs(head[0] - cell[0]) + abs(head[1] - cell[1])

        def lag(cell):
            counts = self.free(cell) or cell in (first, second)
            return apart(first, cell) - apart(second, cell) if counts else 0

        return self.share(lag)

    def chambers(self, cell=1, way=3, contact=0.15):
        """Assign each cell to the nearer player, or the one to move; then evaluate its chambers.

        Return None if the riders are separated.
        """
        heads = self.seen_heads()
        reached = [self.distances(head, heads) for head in heads]
        owned = [set(), set()]
        for place in set(reached[0]) | set(reached[1]):
            lag = reached[0].get(place, 10**6) - reached[1].get(place, 10**6)
            if lag or not self.simultaneous:
                owned[self.turn if lag == 0 else int(lag > 0)].add(place)
        worth = []
        meets = False
        for own in (0, 1):
            free = set(reached[0]) | set(reached[1])
            others = free - owned[own]
            ways = {place: len(near(place) & free) for place in owned[own]}
            sizes = {place: cell + way * ways[place] for place in owned[own]}
            fronts = {place for place in owned[own] if near(place) & others}
            if heads[own] and near(heads[own]) & others <= {heads[1 - own]}:
                fronts -= {heads[own]}
            meets |= bool(fronts)
            pace = {place: (cell + 2 * way) * reached[own][place] for place in owned[own]}
            found = explore(heads[own], owned[own], sizes, fronts, pace) if heads[own] else 0
            worth.append(found)
        value = contact * (worth[0] - worth[1]) / (len(self.cells) * (cell + 4 * way))
        return (value, -value) if meets else None

    def share(self, lag):
        """Count cells by the sign of the first's lag behind the second, as a share of all."""
        signs = [lag(cell) for cell in self.cells]
        value = sum((sign < 0) - (sign > 0) for sign in signs) / len(signs)
        return value, -value


def near(place):
    return {(place[0] + down, place[1] + across) for down, across in STEPS.values()}


def spread(start, within):
    """Return the connected cells around a cell."""
    found, left = {start}, [start]
    while left:
        fresh = (near(left.pop()) & within) - found
        found |= fresh
        left += fresh
    return found


def explore(door, places, sizes, fronts, pace):
    """Return the best value of the chambers behind a door, including those behind them."""
    best = 0
    beyond = places - {door}
    for part in {frozenset(spread(first, beyond)) for first in near(door) & beyond}:
        whole = part | {door}
        chamber = set(part)
        for cut in part:
            chamber &= spread(door, whole - {cut}) | {cut}
        behind = {
            place: explore(
                place, (part - spread(door, whole - {place})) | {place}, sizes, fronts, pace
            )
            for place in chamber
        }
        size = sum(sizes[place] for place in chamber)
        worth = size + max(behind.values())
        if chamber & fronts:
            walked = max(pace[place] + behind[place] for place in chamber) - pace[door]
            worth = (worth + max(size, walked)) // 2
        best = max(best, worth)
    return best


def naive_perft(game, depth):
    """Count the lines of exactly `depth` plies."""
    if depth == 0:
        return 1
    if game.is_over():
        return 0
    total = 0
    for action in STEPS:
        after = game.copy()
        after.play(action)
        total += naive_perft(after, depth - 1)
    return total
