"""Robot Reboot: the original study's AlphaZero, from the first samples to its last table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from plyground.arena.plan import Tournament
from plyground.arena.workers import cores
from plyground.errors import PlygroundError
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.game import Game
from plyground.games import load_game
from plyground.processes import end_executor, new_executor
from plyground.studies._findings import Figure, comparison, figures, leader, listed, sentence, steps
from plyground.studies._share import Share
from plyground.studies.study import Findings, Laboratory, Study

if TYPE_CHECKING:
    from plyground.studies._robots_iterations import Iterations
    from plyground.studies._robots_network import Epoch

FEW = 30
"""Starts on which the original study compared UCT with AlphaZero."""

THREADS = 8
"""More threads than this do not make the search faster: its steps are short."""

UCT, ALPHAZERO = "UCT", "AlphaZero"
NETWORK = "network that comes with Plyground"
MODERN = (
    (
        "MCTS with a tree, 50 random play-outs per action",
        "mcts(simulations=600, exploration=0.4, reuse=False)",
    ),
    (f"{NETWORK}, alone", "network(weights=robots)"),
    (f"{NETWORK}, 64 evaluations per move", "alphazero(weights=robots, evaluations=64)"),
    ("shortest solutions", "shortest"),
)  # fmt: skip

ORIGINAL = "original "


class Data(NamedTuple):
    """Samples lost and won, for training and for validation."""

    name: str
    guide: int
    """The number of the network that guided the search."""
    training: tuple[int, int]
    validation: tuple[int, int]

    @property
    def share(self) -> Share:
        """How many were won of all."""
        won = self.training[1] + self.validation[1]
        return Share(won, sum(self.training) + sum(self.validation))

    @property
    def row(self) -> tuple[Cell, ...]:
        """The row of the table."""
        won = self.share.count_text, self.share.interval_text
        lost = self.training[0] + self.validation[0]
        return (self.name, f"f{self.guide}", *won, lost, *self.training, *self.validation)


REPORTED_DATA = (
    Data("original, Figure 4", 0, (2799, 701), (1200, 300)),
    Data("original, for f1", 0, (2100 - 79, 79), (900 - 34, 34)),
    Data("original, for f2", 1, (2091 - 60, 60), (897 - 26, 26)),
)
REPORTED_NETWORKS: tuple[tuple[str, int, float, float | None, float | None], ...] = (
    ("original f0", 10, -19.53, None, None),
    ("original f1", 12, -19.43, 1.37, 0.06),
    ("original f2", 12, -19.43, 1.33, 1.34),
)
"""Won of 400, mean score, losses of training and validation."""
REPORTED_PLAYERS = ((ORIGINAL + UCT, 18, -9.13), (ORIGINAL + ALPHAZERO, 17, -9.60))
"""Won of 30, mean score."""
REPORTED_STARTS = 400


class RobotsAlphaZero(Study):
    """Samples, training and selection as in the original study, and iterations that it wished."""

    name = "robots_alphazero"
    title = "Robot Reboot: the original study's AlphaZero"
    about = (
        "The original study searches 5,000 near starts, guided by an untrained network f0 that "
        "sees the maze as 31 x 31 x 9 numbers: for every legal action 50 play-outs of up to 20 "
        "moves. A sample is the share p of play-outs won after each action, the result v of the "
        "game that the network plays alone, and the start s. f1 is trained on 70% of the samples, "
        "f2 on samples guided by the better network; both are compared with f0 on 400 near "
        "starts, alone, and the search with the best network is compared with the same search "
        "without one (UCT) on 30. The study then ran out of credit. Here the iterations go on "
        "until two in a row bring nothing, at most 10, and all players have the same 400 starts. "
        "Figures 10 to 12 of the study plot losses without numbers."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        try:
            from plyground.studies._robots_iterations import Iterations, Sizes
        except ImportError as error:
            needed = f"{self.name} needs {error.name}"
            raise PlygroundError(f"{needed}: pip install 'plyground[learn]'") from None
        game = load_game("robots(cap=6)" if self.quick else "robots")
        plans = {name: self._plan(game, spec) for name, spec in MODERN}
        # All plans have the same starts, and a puzzle has no random opening.
        pairings = next(iter(plans.values())).pairings(0, ())
        starts = [game.start(pairing.seed) for pairing in pairings]
        setups = np.stack([position.setup for position in starts])
        states = np.stack([position.state for position in starts])
        threads = 1 if self.quick else min(THREADS, cores())
        sizes = Sizes(8, 1, 3, 4, 2) if self.quick else Sizes(threads=threads)
        dealers = None if self.quick else new_executor(cores())
        try:
            iterations = Iterations(
                game, setups, states, sizes, seed=self.seed, dealers=dealers,
                folder=laboratory.folder, progress=laboratory.progress,
            )  # fmt: skip
            modern = {
                name: iterations.scores_of(name, partial(_play, laboratory, game, plan))
                for name, plan in plans.items()
            }
            iterations.run()
        finally:
            if dealers is not None:
                end_executor(dealers)
        best = iterations.best_number
        players = {
            UCT: iterations.play_searching(UCT, None),
            f"{ALPHAZERO}, f0": iterations.play_searching("f0", iterations.first),
        }
        if best:
            name = f"{ALPHAZERO}, f{best}, the best"
            players[name] = iterations.play_searching(f"f{best}", iterations.best)
        return self._findings(iterations, players | modern, -game.facts.longest)

    def _plan(self, game: Game, agent: str) -> Tournament:
        """Return the plan in which an agent of this project plays the test starts."""
        games = 8 if self.quick else 400
        return Tournament.make(
            {"game": str(game), "agents": [agent], "games": games, "seed": self.seed}
        )

    def _findings(
        self, iterations: Iterations, players: dict[str, list[int]], lost: int
    ) -> Findings:
        rounds, starts = iterations.rounds, len(iterations.states)

        def outcome(scores: Sequence[int]) -> tuple[Share, float]:
            return Share(sum(score > lost for score in scores), len(scores)), mean(scores)

        data = [
            *REPORTED_DATA,
            *(
                Data(f"for f{number}", made.guide, made.training, made.validation)
                for number, made in enumerate(rounds)
                if number
            ),
        ]
        alone: list[tuple[Cell, ...]] = [
            _row(name, Share(won, REPORTED_STARTS), score, *losses, None, None)
            for name, won, score, *losses in REPORTED_NETWORKS
        ]
        for number, made in enumerate(rounds):
            losses = made.curve[-1][:2] if number else (None, None)
            more = (made.accuracy, "yes" if made.kept else "no") if number else (None, None)
            alone.append(_row(f"f{number}", *outcome(made.scores), *losses, *more))
        modern = f"{NETWORK}, alone"
        alone.append(_row(modern, *outcome(players[modern]), None, None, None, None))
        tables = [
            Table(
                "Samples",
                (
                    "samples", "guided by", "won", "95% interval", "lost", "training: lost",
                    "training: won", "validation: lost", "validation: won",
                ),
                tuple(each.row for each in data),
            ),
            Table(
                f"Networks alone, {starts} near starts",
                (
                    "network", "solved", "95% interval", "mean score", "training loss",
                    "validation loss", "accuracy", "kept",
                ),
                tuple(alone),
            ),
        ]  # fmt: skip
        for count in (min(FEW, starts), starts):
            rows = [_row(name, Share(won, FEW), score) for name, won, score in REPORTED_PLAYERS]
            rows += [_row(name, *outcome(scores[:count])) for name, scores in players.items()]
            headings = ("player", "solved", "95% interval", "mean score")
            tables.append(Table(f"{count} near starts", headings, tuple(rows)))
        return Findings(tuple(tables), _plots(iterations, data, outcome(players[modern])[0]))

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        samples, alone, few, many = tables
        remarks = []
        ours, theirs = _apart(figures(samples, "won"))
        pairs = list(zip((ours[0], *ours), theirs, strict=False))
        remarks += [f"samples won: {comparison(*pair)}" for pair in pairs]
        ours, theirs = _apart(figures(alone, "solved"))
        *own, modern = ours
        kept = [str(row[0]) for row in alone.rows if row[-1] == "yes"]
        first, best = own[0], [each for each in own if each.name in ("f0", *kept)][-1]
        pairs = [*zip(own, theirs, strict=False), (best, first), (best, modern)]
        remarks += [f"networks alone: {comparison(*pair)}" for pair in pairs if pair[0] != pair[1]]
        remarks.append(f"networks alone, starts solved: {steps(own)}")
        made = sum(row[-1] is not None for row in alone.rows)
        better = "none had a higher mean score than f0"
        if kept:
            better = f"these had a higher mean score than all before: {listed(kept)}"
        remarks.append(f"of {made} trained networks, {better}")
        for table in (few, many):
            ours, theirs = _apart(figures(table, "solved"))
            uct, guided = ours[0], [each for each in ours if each.name.startswith(ALPHAZERO)]
            if table is few:
                pairs = [(uct, theirs[0]), (guided[-1], theirs[1])]
                remarks += [f"{table.title}: {comparison(*pair)}" for pair in pairs]
            remarks += [f"{table.title}: {comparison(each, uct)}" for each in guided]
        remarks.append(leader(ours, f"{many.title}, solved"))
        return tuple(map(sentence, remarks))


def _play(laboratory: Laboratory, game: Game, plan: Tournament) -> list[int]:
    """Return the scores of the plan's only agent, in the order of the starts."""
    records = sorted(laboratory.play(plan), key=lambda record: record.number)
    lost = -game.facts.longest
    return [-len(record.actions) if record.returns[0] > -1 else lost for record in records]


def _apart(all_figures: Sequence[Figure]) -> tuple[list[Figure], list[Figure]]:
    """Return our figures, and those of the original study."""
    theirs = [each for each in all_figures if each.name.startswith(ORIGINAL.strip())]
    return [each for each in all_figures if each not in theirs], theirs


def _row(name: str, share: Share, score: float, *more: Cell) -> tuple[Cell, ...]:
    return name, share.count_text, share.interval_text, score, *more


def _plots(iterations: Iterations, data: Sequence[Data], modern: Share) -> tuple[Plot, ...]:
    rounds = iterations.rounds
    won = Curve.of("won", range(len(data)), [each.share for each in data])
    names = tuple(each.name for each in data)
    numbers = range(len(rounds))
    lost = -iterations.game.facts.longest
    shares = [
        Share(sum(score > lost for score in made.scores), len(made.scores)) for made in rounds
    ]
    reported = [Share(won, REPORTED_STARTS) for _, won, *_ in REPORTED_NETWORKS]
    ends = numbers[:: len(numbers) - 1]
    return (
        Plot("Figure 4: samples that are won", "share of samples", "", (won,), names=names),
        _losses("Figure 10: f1, the rate is not reduced", iterations.constant),
        _losses("Figure 11: f1", rounds[1].curve),
        _losses("Figure 12: f2", rounds[2].curve),
        Plot(
            "Networks alone", "iteration", "share of starts solved",
            (
                Curve.of("networks", numbers, shares),
                Curve.of("original networks", range(len(reported)), reported),
                Curve.of(NETWORK, ends, [modern, modern]),
            ),
        ),
    )  # fmt: skip


def _losses(title: str, epochs: Sequence[Epoch]) -> Plot:
    x = tuple(range(1, len(epochs) + 1))
    training, validation = (tuple(epoch[part] for epoch in epochs) for part in (0, 1))
    curves = Curve("training", x, training), Curve("validation", x, validation)
    return Plot(title, "epoch", "loss", curves)
