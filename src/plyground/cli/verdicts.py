"""How a sequential test and ratings look in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic

from rich.progress import BarColumn, Progress, TextColumn

from plyground.arena.plan import Tournament
from plyground.arena.ratings import Ratings
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.sprt import Sprt, Trial, run_trial
from plyground.cli.arguments import say
from plyground.cli.terminal import Watched, console, errors, more_starts, table, told_repeats
from plyground.games import load_game

TICK = 0.1
"""Seconds between two looks at a trial."""


def follow(
    asked: Sprt, plan: Tournament, records: Iterator[Record]
) -> tuple[Trial, Watched, float]:
    """Follow a trial under a bar from one bound to the other, until its end or Ctrl-C.

    Return where it stands, what was seen, and the share of its games that equal another and still
    count: games that agents with chance, or programs from outside, happened to play again.
    """
    watched, games = Watched(), {}  # type: Watched, dict[int, int]
    repeats, options = Repeats(load_game(plan.game).facts), plan.changed()
    lower, upper = asked.bounds
    trial = Trial(asked, (0,) * 5)
    shown = 0.0
    columns = TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[more]}")
    with Progress(*columns, console=errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"LLR {lower:.2f}", total=upper - lower, more=f"{upper:.2f}")
        try:
            noted = _noted(records, watched, games)
            for trial in run_trial(asked, noted, lambda record: repeats.is_new(record, options)):
                if monotonic() - shown > TICK:
                    shown = monotonic()
                    left = min(trial.games_left, plan.games - 2 * trial.pairs - trial.repeats)
                    more = (
                        f"{upper:.2f}: now {trial.ratio:+.2f}, {2 * trial.pairs:,} games, "
                        f"Elo {trial.elo[1]:+.0f}, about {left:,} more"
                    )
                    bar.update(task, completed=trial.ratio - lower, more=more)
        except KeyboardInterrupt:
            watched.stopped = True
    played = 2 * trial.pairs + trial.repeats
    different = len({game for number, game in games.items() if number < played})
    return trial, watched, max(0, 2 * trial.pairs - different) / max(1, 2 * trial.pairs)


def _noted(records: Iterable[Record], watched: Watched, games: dict[int, int]) -> Iterator[Record]:
    """Pass records on; games of the same moves from the same start, A in the same seat, are one."""
    for record in records:
        watched.count += 1
        if record.fault is not None:
            watched.forfeits.append(record)
        games[record.number] = hash((record.start, record.actions, record.entrants))
        yield record


def warn_of_few_starts(trial: Trial, equal: float, opening: int) -> None:
    """Say so where agents that never roll dice had too few starts."""
    if trial.repeats:
        say(f"{told_repeats(trial.repeats)}; {more_starts(opening)}")
    elif equal > 0.1:
        few = f"{equal:.0%} of the games equal an earlier one: the verdict is about few starts"
        say(f"{few}; {more_starts(opening)}")


def _elo(trial: Trial) -> str:
    low, middle, high = trial.elo
    return f"{middle:+.0f} ({low:+.0f} to {high:+.0f})"


def show_trial(tournament: Tournament, trial: Trial) -> None:
    """Print where a trial ended, and what that means."""
    lower, upper = trial.sprt.bounds
    title = "{}: A = {}, B = {}".format(tournament.game, *tournament.agents)
    headings = ["games", "pairs 0, ¼, ½, ¾, 1", "score", "Elo (95%)", "LLR", "bounds", "verdict"]
    row = [
        f"{2 * trial.pairs:,}",
        " ".join(map(str, trial.counts)),
        f"{trial.score:.1%}",
        _elo(trial),
        f"{trial.ratio:+.2f}",
        f"{lower:.2f}, {upper:.2f}",
        trial.verdict or "none",
    ]
    console.print(table(headings, [row], title))
    told = {
        "H1": f"accepted: A is {trial.sprt.elo1:g} Elo stronger, rather than {trial.sprt.elo0:g}",
        "H0": f"accepted: A is {trial.sprt.elo0:g} Elo stronger, rather than {trial.sprt.elo1:g}",
        None: "not decided",
    }
    console.print(told[trial.verdict], style="bold")


def show_ratings(game: str, rated: Ratings) -> None:
    """Print a row an agent; then what each scored against each, and how likely it is stronger."""
    headings = ["", "agent", "Elo", "95% interval", "games", "score"]
    rows: list[list[object]] = []
    for place, row in enumerate(rated.rows, start=1):
        low, high = row.interval()
        interval = f"{low:+.0f} to {high:+.0f}"
        rows.append([place, row.agent, f"{row.elo:+.0f}", interval, row.games, f"{row.score:.1%}"])
        if row.skill is not None:
            rows[-1].append("{:.1f} ± {:.1f}".format(*row.skill))
    if rated.rows[0].skill is not None:
        headings.append("openskill")
    console.print(table(headings, rows, game))
    worth = f"; moving first is worth {rated.first_seat:+.0f} Elo" if rated.first_seat else ""
    console.print(f"Equals draw {rated.draws:.0%}{worth}.")
    numbers = range(len(rated.rows))
    cells = [
        [row + 1, rated.rows[row].agent, *(_met(rated, row, column) for column in numbers)]
        for row in numbers
    ]
    title = "points/games, and how likely the row is stronger than the column"
    console.print(table(["", "agent", *(str(each + 1) for each in numbers)], cells, title))


def _met(rated: Ratings, row: int, column: int) -> str:
    if row == column:
        return ""
    met = f"{rated.scores[row, column]:g}/{rated.games[row, column]}"
    return f"{met}\n{rated.superiority[row, column]:.1%}"
