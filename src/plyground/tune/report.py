"""What a tuning found, as tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import mean

from plyground.arena.sprt import Trial
from plyground.arena.tournament import Standing
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.tune.tuning import Candidate, Tuning

Generations = Sequence[Sequence[Candidate]]


def search_plot(generations: Generations) -> Plot:
    """Draw how good candidates became, generation by generation."""
    numbers = tuple(range(1, len(generations) + 1))
    scores = [[each.score for each in generation] for generation in generations]
    best = tuple(max(each) for each in scores)
    curves = (
        Curve("best so far", numbers, tuple(accumulate(best, max))),
        Curve("best of the generation", numbers, best),
        Curve("mean of the generation", numbers, tuple(map(mean, scores))),
    )
    return Plot("The search", "generation", "score against the opponents", curves)


def finalists_table(tuning: Tuning, generations: Generations, ranked: Sequence[Standing]) -> Table:
    """Show the finalists' numbers and scores, and the numbers of the agent that was tuned."""
    found = {each.agent: each.score for generation in generations for each in generation}
    names = [dial.name for dial in tuning.dials]
    rows: list[tuple[Cell, ...]] = []
    for place, each in enumerate(ranked, start=1):
        low, high = each.interval
        numbers = tuning.values(each.agent).values()
        scores = f"{found[each.agent]:.1%}", f"{each.score:.1%}", f"{low:.1%} to {high:.1%}"
        rows.append((place, *numbers, *scores))
    rows.append(("start", *tuning.values(tuning.agent).values(), None, None, None))
    headings = ("", *names, "score when found", "score in the final", "95% interval")
    return Table(
        f"The final, {ranked[0].games} games each from fresh starts", headings, tuple(rows)
    )


def trials_table(trials: Mapping[str, Trial]) -> Table:
    """Show sequential tests side by side."""
    rows: list[tuple[Cell, ...]] = []
    for name, trial in trials.items():
        low, middle, high = trial.elo
        lower, upper = trial.sprt.bounds
        rows.append(
            (
                name,
                2 * trial.pairs,
                " ".join(map(str, trial.counts)),
                f"{trial.score:.1%}",
                f"{middle:+.0f} ({low:+.0f} to {high:+.0f})",
                f"{trial.ratio:+.2f} ({lower:.2f}, {upper:.2f})",
                f"{trial.verdict or 'none'}",
            )
        )
    headings = ("test", "games", "pairs 0, ¼, ½, ¾, 1", "score", "Elo (95%)", "LLR", "accepted")
    asked = next(iter(trials.values())).sprt
    return Table(f"SPRT, {asked.elo0:g} or {asked.elo1:g} Elo", headings, tuple(rows))
