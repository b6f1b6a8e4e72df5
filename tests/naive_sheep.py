"""A slow, independent implementation of Battle Sheep with dictionaries of places.

Actions are texts: `x,y` places all sheep, `x,y>direction:sheep` moves; directions are the course's
1 to 9 less 5, with dx = (d - 1) % 3 - 1 and dy = (d - 1) // 3 - 1.
"""

import re

SQUARE_STEPS = {d: ((d - 1) % 3 - 1, (d - 1) // 3 - 1) for d in (1, 2, 3, 4, 6, 7, 8, 9)}
HEX_STEPS = {d: SQUARE_STEPS[d] for d in (2, 3, 4, 6, 7, 8)}
SQUARE_SIDES = [(0, -1), (-1, 0), (1, 0), (0, 1)]
HEX_SIDES = list(HEX_STEPS.values())


class NaiveSheep:
    """`pasture` is a set of (x, y); `owner` and `sheep` map taken cells to who and how many."""

    def __init__(self, size, pasture, players, sheep, hexagonal=False, teams=False):
        self.size, self.pasture, self.players = size, set(pasture), players
        self.each, self.hexagonal, self.teams = sheep, hexagonal, teams
        self.steps = HEX_STEPS if hexagonal else SQUARE_STEPS
        self.sides = HEX_SIDES if hexagonal else SQUARE_SIDES
        self.owner, self.sheep = {}, {}
        self.turn = 0

    @classmethod
    def from_text(cls, text, game):
        """Read rows of `#`, `.` and letters with numbers, then who is to move."""
        rows, mover = text.split(" ")
        owner, sheep, pasture = {}, {}, set()
        for y, row in enumerate(rows.split("/")):
            for x, (letter, number) in enumerate(re.findall(r"([.#a-d])(\d*)", row)):
                if letter != "#":
                    pasture.add((x, y))
                if letter in "abcd":
                    owner[x, y] = "abcd".index(letter)
                    sheep[x, y] = int(number or 1)
        naive = cls(y + 1, pasture, game.players, game.sheep, game.hex, game.teams)
        naive.owner, naive.sheep = owner, sheep
        naive.turn = None if mover == "-" else "abcd".index(mover)
        return naive

    def copy(self):
        other = NaiveSheep(
            self.size, self.pasture, self.players, self.each, self.hexagonal, self.teams
        )
        other.owner, other.sheep, other.turn = dict(self.owner), dict(self.sheep), self.turn
        return other

    def own(self, player):
        return sorted(place for place, who in self.owner.items() if who == player)

    def is_free(self, place):
        return place in self.pasture and place not in self.owner

    def is_border(self, place):
        x, y = place
        return any((x + dx, y + dy) not in self.pasture for dx, dy in self.sides)

    def target(self, place, direction):
        """Walk over free cells as far as they go; None if there is not even one."""
        (x, y), (dx, dy) = place, self.steps[direction]
        end = None
        while self.is_free((x + dx, y + dy)):
            x, y = end = x + dx, y + dy
        return end

    def moves(self, player):
        """List a player's moves as (place, direction, sheep)."""
        return [
            (place, direction, number)
            for place in self.own(player)
            for direction in self.steps
            if self.target(place, direction)
            for number in range(1, self.sheep[place])
        ]

    def is_over(self):
        return self.turn is None

    def legal(self):
        """List the legal actions as texts."""
        if self.is_over():
            return []
        if not self.own(self.turn):
            free = (place for place in self.pasture if self.is_free(place))
            return [f"{x},{y}" for x, y in free if self.is_border((x, y))]
        return [f"{x},{y}>{d}:{number}" for (x, y), d, number in self.moves(self.turn)]

    def play(self, text):
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        place = tuple(numbers[:2])
        if len(numbers) == 2:
            self.owner[place], self.sheep[place] = self.turn, self.each
        else:
            end = self.target(place, numbers[2])
            self.sheep[place] -= numbers[3]
            self.owner[end], self.sheep[end] = self.turn, numbers[3]
        self.turn = self.next()

    def next(self):
        """Return the next player: one who has to place, else the next who can move."""
        for step in range(1, self.players + 1):
            player = (self.turn + step) % self.players
            if not self.own(player) or self.moves(player):
                return player
        return None

    def regions(self, player):
        """List the sizes of a player's regions."""
        return sorted(map(len, self.connected(self.own(player))), reverse=True)

    def connected(self, places):
        """List the regions of places that share sides."""
        left, regions = set(places), []
        while left:
            region = {left.pop()}
            while True:
                more = {
                    (x + dx, y + dy) for x, y in region for dx, dy in self.sides
                } & left  # fmt: skip
                if not more:
                    break
                region |= more
                left -= more
            regions.append(region)
        return regions

    def score(self, player):
        """Return the sum of size ** 1.25; with hexagons the cells, then the largest region."""
        sizes = self.regions(player)
        if self.hexagonal:
            return (sum(sizes), max(sizes, default=0))
        return round(sum(size**1.25 for size in sizes), 9)

    def ranks(self):
        """Return each player's course points by rank; ties share them."""
        scores = [self.score(player) for player in range(self.players)]
        order = sorted(scores, reverse=True)
        points = (5, 3, 2, 1)
        return [
            sum(points[place] for place, other in enumerate(order) if other == score)
            / order.count(score)
            for score in scores
        ]

    def returns(self):
        if self.teams:
            totals = [self.team_score(player) for player in range(4)]
            return tuple(
                float((mine > theirs) - (mine < theirs))
                for mine, theirs in zip(totals, totals[1:] + totals[:1], strict=True)
            )
        points = self.ranks()
        mean = sum(points) / self.players
        return tuple((point - mean) / (5 - mean) for point in points)

    def team_score(self, player):
        own, partner = self.score(player), self.score((player + 2) % 4)
        if self.hexagonal:
            return (own[0] + partner[0], own[1] + partner[1])
        return round((own + partner) / 2, 9)

    def worth(self, player, held, spread, exits):
        """Return the score, plus each sheep that can leave its stack: `exits` per direction."""
        score = self.score(player)
        worth = held * (score[0] + score[1] / 1024 if self.hexagonal else score)
        for x, y in self.own(player):
            ways = sum(self.is_free((x + dx, y + dy)) for dx, dy in self.steps.values())
            worth += spread * min(self.sheep[x, y] - 1, exits * ways)
        return worth

    def heuristic(self, held, spread, exits):
        """Return each player's lead over the mean of its opponents, as a share."""
        worths = [self.worth(player, held, spread, exits) for player in range(self.players)]
        if self.teams:
            worths = [worths[0] + worths[2], worths[1] + worths[3]] * 2
        values = []
        for player, own in enumerate(worths):
            others = [
                worth
                for other, worth in enumerate(worths)
                if (other % 2 != player % 2 if self.teams else other != player)
            ]
            mean = sum(others) / len(others)
            values.append((own - mean) / (own + mean + 1))
        return tuple(values)

    def nearest(self):
        """Let all stacks spread at once; return the free cells that each player alone got first."""
        edges = [
            {place for place in self.own(player) if self.sheep[place] > 1}
            for player in range(self.players)
        ]
        territories = [set() for _ in edges]
        free = {place for place in self.pasture if self.is_free(place)}
        while any(edges):
            reached = [
                {(x + dx, y + dy) for x, y in edge for dx, dy in self.steps.values()} & free
                for edge in edges
            ]
            free -= set().union(*reached)
            for player, places in enumerate(reached):
                others = (cells for other, cells in enumerate(reached) if other != player)
                edges[player] = places.difference(*others)
                territories[player] |= edges[player]
        return territories

    def prospect(self, player, territory):
        """Return the score if each region is filled as far as there are sheep that can leave."""
        total = 0.0
        for region in self.connected({*self.own(player), *territory}):
            held = [place for place in region if place in self.owner]
            spare = 0
            for x, y in held:
                ways = sum(self.is_free((x + dx, y + dy)) for dx, dy in self.steps.values())
                spare += min(self.sheep[x, y] - 1, ways)
            size = len(held) + min(spare, len(region) - len(held)) if held else 0
            total += size if self.hexagonal else size**1.25
        return total

    def territory(self, width):
        """Return the mean of each player's leads, a lead of `width` counting half."""
        prospects = [self.prospect(player, own) for player, own in enumerate(self.nearest())]
        if self.teams:
            prospects = [prospects[0] + prospects[2], prospects[1] + prospects[3]]
        values = []
        for own in prospects:
            leads = [own - other for other in prospects]
            values.append(sum(lead / (width + abs(lead)) for lead in leads) / (len(leads) - 1))
        return tuple(values * 2 if self.teams else values)

    def text(self):
        """Write the position as the game's own text does."""

        def cell(place):
            if place not in self.pasture:
                return "#"
            if place not in self.owner:
                return "."
            sheep = self.sheep[place]
            return "abcd"[self.owner[place]] + (str(sheep) if sheep > 1 else "")

        lines = ("".join(cell((x, y)) for x in range(self.size)) for y in range(self.size))
        return f"{'/'.join(lines)} {'-' if self.turn is None else 'abcd'[self.turn]}"


def naive_perft(naive, depth):
    """Count the lines of exactly `depth` plies."""
    if depth == 0:
        return 1
    total = 0
    for action in naive.legal():
        after = naive.copy()
        after.play(action)
        total += naive_perft(after, depth - 1)
    return total
