"""Tron: SARSA(lambda), which the original study tried first and gave up."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plyground.agents import load_agent
from plyground.arena.match import play_match, start_seed
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.games import load_game
from plyground.games.tron.senses import senses
from plyground.learn.sarsa import Sarsa
from plyground.studies._findings import comparison, figure, sentence
from plyground.studies._share import Share
from plyground.studies._tron import BOTS
from plyground.studies.study import Findings, Laboratory, Study

TEACHERS = ("RandBot", "WallBot")


class TronSarsa(Study):
    """Wins against the course's bots, by the number of games learned from."""

    name = "tron_sarsa"
    title = "Tron: SARSA(lambda)"
    about = (
        "Before it searched, the original study's bot learned by SARSA(lambda), with a reward for "
        "a win and a penalty for a loss; it 'did not perform very well' against TA1 and TA2. Here "
        "the table is over a small description of the position: whether each of the four "
        "directions is blocked, a dead end, along a wall or open, and where the other is. It is "
        "learned from games against RandBot and WallBot in the empty room."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        rounds, episodes, games = (2, 150, 20) if self.quick else (20, 1000, 100)
        game, rider = load_game("tron"), Sarsa(senses)
        teachers = [load_agent(BOTS[name]) for name in TEACHERS]
        learned = range(0, (rounds + 1) * episodes, episodes)
        curves: dict[str, list[Share]] = {name: [] for name in TEACHERS}
        for so_far in learned:
            for name in TEACHERS:
                curves[name].append(Share(self._wins(rider, name, games), games))
            laboratory.progress(f"{so_far:,} games of {learned[-1]:,}")
            if so_far < learned[-1]:
                rider.learn(game, teachers, range(so_far, so_far + episodes), self.seed)
        rows: list[tuple[Cell, ...]] = []
        for name in BOTS:
            before, after = (self._wins(learner, name, games) for learner in (Sarsa(senses), rider))
            rows.append((name, before, after, Share(after, games).interval_text))
        headings = ("against", "untrained", "trained", "95% interval")
        title = f"Won, of {games}, after {rounds * episodes:,} games"
        drawn = tuple(Curve.of(f"against {name}", learned, curves[name]) for name in curves)
        axes = "games learned from", "share of games won"
        return Findings(
            tables=(Table(title, headings, tuple(rows)),),
            plots=(Plot("Wins while SARSA(lambda) learns", *axes, drawn),),
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        (table,) = tables
        match = re.search(r"of (\d+)", table.title)
        assert match is not None
        games = int(match[1])
        remarks = []
        for name, before, after, _ in table.rows:
            trained, untrained = (
                figure(label, won, Share(int(str(won)), games).interval_text)
                for label, won in (("trained", after), ("untrained", before))
            )
            remarks.append(sentence(f"against {name}: {comparison(trained, untrained)}"))
        return tuple(remarks)

    def _wins(self, rider: Sarsa, name: str, games: int) -> int:
        """Return the number of games the rider wins, from other starts than it learns from."""
        pair = [rider.agent(), load_agent(BOTS[name])]
        seed = start_seed(self.seed)
        records = play_match(load_game("tron"), pair, games, seed=seed, opening=0)
        return sum(record.returns[record.entrants.index(0)] > 0 for record in records)
