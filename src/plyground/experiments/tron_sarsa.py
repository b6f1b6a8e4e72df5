"""Tron: SARSA(lambda), which the seed tried first and left."""

from __future__ import annotations

from plyground.agents import load_agent
from plyground.arena.match import play_match
from plyground.arena.tournament import wilson
from plyground.experiments._tron import BOTS
from plyground.experiments.experiment import Experiment, Findings, Laboratory
from plyground.game import Position
from plyground.games import load_game
from plyground.games.tron.senses import Senses, senses
from plyground.learn.sarsa import Sarsa
from plyground.report import Cell, Curve, Plot, Table

TEACHERS = ("RandBot", "WallBot")


class Rider(Sarsa):
    """Learn by a table of what a rider senses."""

    name = "rider"

    def sense(self, position: Position) -> Senses:
        return senses(position)


class TronSarsa(Experiment):
    """Wins against the course's bots by games learned from."""

    name = "tron_sarsa"
    title = "Tron: SARSA(lambda)"
    about = (
        "Before it searched, the seed's bot learned by SARSA(lambda), with a reward for a win and "
        "a penalty for a loss; it 'did not perform very well' against TA1 and TA2. Here the table "
        "is over what a rider senses: whether each of the four directions is blocked, a dead end, "
        "along a wall or open, and where the other is; it learns from games against RandBot and "
        "WallBot in the empty room."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        rounds, episodes, games = (2, 150, 20) if self.quick else (20, 1000, 100)
        game, rider = load_game("tron"), Rider.make({})
        teachers = [load_agent(BOTS[name]) for name in TEACHERS]
        curves: dict[str, list[tuple[int, int]]] = {name: [] for name in TEACHERS}
        for number in range(rounds + 1):
            learned = number * episodes
            for name in TEACHERS:
                curves[name].append((learned, self._wins(rider, name, games)))
            laboratory.tell(f"{learned:,} games of {rounds * episodes:,}")
            if number < rounds:
                rider.learn(game, teachers, range(learned, learned + episodes), self.seed)
        rows: list[tuple[Cell, ...]] = []
        for name in BOTS:
            before, after = (self._wins(each, name, games) for each in (Rider.make({}), rider))
            rows.append((name, before, after, _interval(after, games)))
        headings = ("against", "untaught", "taught", "95% interval")
        title = f"Won, of {games}, after {rounds * episodes:,} games"
        return Findings(
            tables=(Table(title, headings, tuple(rows)),),
            plots=(
                Plot("SARSA(lambda) learns to ride", "games learned from", "share of games won",
                     tuple(_curve(name, points, games) for name, points in curves.items())),
            ),
            remarks=(
                f"The table has come to {len(rider.values):,} values. The seed's printed program "
                "adds the discount instead of multiplying by it, and lets no earlier action hear "
                "of an error; both are mended here. What it does not sense it cannot learn: how "
                "much room there is behind a door, which is what TA1 and TA2 count.",
            ),
        )  # fmt: skip

    def _wins(self, rider: Rider, name: str, games: int) -> int:
        """Count the games the rider wins; those of other starts than it learns from."""
        pair = [rider, load_agent(BOTS[name])]
        records = play_match(load_game("tron"), pair, games, seed=self.seed + 1, opening=0)
        return sum(record.returns[record.entrants.index(0)] > 0 for record in records)


def _interval(wins: int, games: int) -> str:
    low, high = wilson(wins / games, games)
    return f"{low:.0%} to {high:.0%}"


def _curve(name: str, points: list[tuple[int, int]], games: int) -> Curve:
    x = tuple(float(learned) for learned, _ in points)
    y = tuple(wins / games for _, wins in points)
    low, high = zip(*(wilson(share, games) for share in y), strict=True)
    return Curve(f"against {name}", x, y, low, high)
