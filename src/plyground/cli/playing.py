"""What commands that play a plan share: its options, its workers and its store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.arena.cluster import Cluster
from plyground.arena.opening import RANDOM, RULES
from plyground.arena.plan import CLOCKS, Tournament
from plyground.arena.record import Record
from plyground.arena.referee import Referee
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Here, Pool, Processes, cores
from plyground.cli.arguments import open_store, say
from plyground.errors import BadOption

if TYPE_CHECKING:
    from plyground.arena.store import Store

Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Worker processes; one per core by default. 1: no extra process."),
]
Ray = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Ray cluster; 'local' starts one here."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the last run of this plan.")]
Clock = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(CLOCKS),
        help="What limits players: elapsed time (wall, the default) or their own CPU time.",
    ),
]
SecondsOf = Annotated[
    list[str] | None,
    typer.Option(metavar="AGENT=SECONDS", help="Thinking time per move of one agent; repeatable."),
]
Ponder = Annotated[
    bool | None,
    typer.Option("--ponder", help="Let bots compute while it is not their turn."),
]
OpeningRule = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(RULES),
        help="Which random openings are used: all, or only those that a shallow search values "
        "as about even (the default for two players and a game with a heuristic).",
    ),
]


@dataclass
class Playing:
    """A plan that is being played."""

    games: Iterator[Record]
    run: int
    """Its number in the store; 0 where nothing is stored."""
    stopped: bool = False
    """Whether Ctrl-C ended it early; the caller sets it."""


def crew(workers: int | None, ray: str | None, games: int | None = None) -> Pool:
    """Return the pool of workers; no more of them than there are games."""
    if ray is not None:
        return Cluster(ray)
    count = cores() if workers is None else workers
    if games is not None:
        count = min(count, games)
    return Here() if count == 1 else Processes(count)


@contextmanager
def playing(
    tournament: Tournament, pool: Pool, store: str, resume: bool, any_rule: bool = False
) -> Iterator[Playing]:
    """Play a plan; after Ctrl-C, print how many games are left.

    With `any_rule` (no opening rule was given) a run with random openings can be resumed as well,
    as earlier versions knew no other.
    """
    with ExitStack() as stack:
        keeper = None if store == "none" else stack.enter_context(open_store(store))
        Referee(tournament)  # what cannot be played is reported before a run is stored
        run = 0
        if keeper is not None:
            tournament, run = _run(keeper, tournament, resume, any_rule)
        games = stack.enter_context(closing(play_tournament(tournament, pool, keeper, run)))
        played = Playing(games, run)
        yield played
        games.close()
        if played.stopped and keeper is not None:
            left = tournament.total - keeper.run(run).kept
            say(f"{left} games are left: the same command with --resume plays them")


def _run(
    store: Store, tournament: Tournament, resume: bool, any_rule: bool
) -> tuple[Tournament, int]:
    """Return the run to resume, or a new one; report an earlier one that is unfinished."""
    plan, runs = tournament, store.runs(tournament)
    if any_rule and not runs:
        plan = tournament.ruled(RANDOM)
        runs = store.runs(plan)
    if resume:
        if not runs:
            raise BadOption(f"--resume: {store.name} has no run of this plan")
        if plan != tournament:
            say(f"run {runs[-1].id} was begun with random openings and keeps them")
        return plan, runs[-1].id
    if runs and runs[-1].kept < runs[-1].total:
        last = f"run {runs[-1].id} of this plan has {runs[-1].kept} of {runs[-1].total} games"
        say(f"{last}: --resume would have continued it")
    return tournament, store.begin(tournament)
