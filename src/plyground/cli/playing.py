"""Options, workers and stores of the commands that play a plan."""

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
    typer.Option(min=1, help="Worker processes (default: one per core); 1 plays in this process."),
]
Ray = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Ray cluster; 'local' starts one."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the last run of this plan.")]
Clock = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(CLOCKS),
        help="Time that limits players: elapsed time (wall, the default) or their CPU time.",
    ),
]
SecondsOf = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AGENT=SECONDS", help="Thinking time per move of one agent in seconds; repeatable."
    ),
]
Nodes = Annotated[int | None, typer.Option(help="Nodes a search may visit.")]
Simulations = Annotated[int | None, typer.Option(help="Simulations a search may run.")]
MaxPlies = Annotated[int | None, typer.Option(help="Plies after which a game is a draw.")]
Ponder = Annotated[
    bool | None,
    typer.Option("--ponder", help="Let bots compute while it is not their turn."),
]
OpeningRule = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(RULES),
        help="Which random openings to use: all, or only those that a shallow search evaluates "
        "as about even (the default for two players and a game with a heuristic).",
    ),
]


@dataclass
class Playing:
    """A plan that is being played."""

    games: Iterator[Record]
    run: int
    """Number of the run in the store; 0 if nothing is stored."""
    stopped: bool = False
    """Whether Ctrl-C ended it early; set by the caller."""


def new_pool(workers: int | None, ray: str | None, games: int | None = None) -> Pool:
    """Return a pool of workers, at most one per game."""
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
    """Return a context in which a plan is played; after Ctrl-C, print how many games are left.

    With `any_rule` (no opening rule was given), a run with random openings can be resumed as well,
    as earlier versions had no other rule.
    """
    with ExitStack() as stack:
        database = None if store == "none" else stack.enter_context(open_store(store))
        Referee(tournament)  # raises errors in the plan before a run is stored
        run = 0
        if database is not None:
            tournament, run = _run(database, tournament, resume, any_rule)
        games = stack.enter_context(closing(play_tournament(tournament, pool, database, run)))
        played = Playing(games, run)
        yield played
        games.close()
        if played.stopped and database is not None:
            left = tournament.total - database.run(run).kept
            say(f"{left} games are left: the same command with --resume plays them")


def _run(
    store: Store, tournament: Tournament, resume: bool, any_rule: bool
) -> tuple[Tournament, int]:
    """Return the plan and number of the run to resume, or of a new one; report unfinished ones."""
    plan, runs = tournament, store.runs(tournament)
    if any_rule and not runs:
        plan = tournament.ruled(RANDOM)
        runs = store.runs(plan)
    if resume:
        if not runs:
            raise BadOption(f"--resume: {store.name} has no run of this plan")
        if plan != tournament:
            say(f"run {runs[-1].id} was started with random openings and keeps them")
        return plan, runs[-1].id
    if runs and runs[-1].kept < runs[-1].total:
        last = f"run {runs[-1].id} of this plan has {runs[-1].kept} of {runs[-1].total} games"
        say(f"{last}: --resume would have continued it")
    return tournament, store.begin(tournament)
