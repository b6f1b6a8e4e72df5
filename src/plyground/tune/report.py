"""The results of tuning, as tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import mean

from plyground.arena.sprt import Trial
from plyground.arena.tournament import Standing
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.text import counted
from plyground.tune.tuning import Candidate, Tuning

Generations = Sequence[Sequence[Candidate]]


def search_plot(generations: Generations) -> Plot:
    """Return a plot of the scores by generation."""
    numbers = tuple(range(1, len(generations) + 1))
    scores = [[candidate.score for candidate in generation] for generation in generations]
    best = tuple(map(max, scores))
    curves = (
        Curve("best so far", numbers, tuple(accumulate(best, max))),
        Curve("best of the generation", numbers, best),
        Curve("mean of the generation", numbers, tuple(map(mean, scores))),
    )
    return Plot("The search", "generation", "score against the opponents", curves)


def finalists_table(tuning: Tuning, generations: Generations, ranked: Sequence[Standing]) -> Table:
    """Return a table of the finalists' numbers and scores, and of the original agent's numbers."""
    search_scores = {one.agent: one.score for generation in generations for one in generation}
    names = [parameter.name for parameter in tuning.parameters]
    rows: list[tuple[Cell, ...]] = []
    for rank, row in enumerate(ranked, start=1):
        low, high = row.interval
        numbers = tuning.values(row.agent).values()
        scores = f"{search_scores[row.agent]:.1%}", f"{row.score:.1%}", f"{low:.1%} to {high:.1%}"
        rows.append((rank, *numbers, *scores))
    rows.append(("start", *tuning.values(tuning.agent).values(), None, None, None))
    headings = ("", *names, "score when found", "score in the final", "95% interval")
    return Table(
        f"The final, {counted(ranked[0].games, 'game')} each from fresh starts",
        headings,
        tuple(rows),
    )


def trials_table(trials: Mapping[str, Trial]) -> Table:
    """Return a table of sequential tests, one per row."""
    rows: list[tuple[Cell, ...]] = []
    for name, trial in trials.items():
        low, middle, high = trial.elo
        lower, upper = trial.sprt.bounds
        rows.append(
            (
                name,
                2 * trial.pairs,
                " ".join(map(str, trial.quarters)),
                f"{trial.score:.1%}",
                f"{middle:+.0f} ({low:+.0f} to {high:+.0f})",
                f"{trial.ratio:+.2f} ({lower:.2f}, {upper:.2f})",
                f"{trial.verdict or 'none'}",
            )
        )
    headings = ("test", "games", "pairs 0, ¼, ½, ¾, 1", "score", "Elo (95%)", "LLR", "accepted")
    sprt = next(iter(trials.values())).sprt
    return Table(f"SPRT, {sprt.elo0:g} or {sprt.elo1:g} Elo", headings, tuple(rows))
