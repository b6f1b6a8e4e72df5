"""Options, workers and stores of the commands that play a plan."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from plyground.arena.cluster import Cluster
from plyground.arena.opening import RANDOM, RULES
from plyground.arena.plan import CLOCKS, Run, Tournament
from plyground.arena.record import Record
from plyground.arena.referee import Referee
from plyground.arena.resume import extend, find_run
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Here, Pool, Processes, cores
from plyground.cli.arguments import open_store, say
from plyground.errors import OptionError
from plyground.text import counted

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
Add = Annotated[
    list[str] | None,
    typer.Option(
        "--add",
        metavar="AGENT",
        help="With --resume: an agent, or a folder of bots, that the run lacks or has in another "
        "version under the same label; only the missing games are played. Repeatable.",
    ),
]
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

    plan: Tournament
    """With the agents in the order of the run that is resumed."""
    games: Iterator[Record]
    run: int
    """Number of the run in the store; 0 if nothing is stored."""
    stopped: bool = False
    """Whether Ctrl-C ended it early; set by the caller."""
    verdict: str | None = None
    """What a sequential test of its games decided; set by the caller."""


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
    tournament: Tournament,
    pool: Pool,
    store: str,
    resume: bool,
    any_rule: bool = False,
    added: Collection[str] | None = None,
) -> Iterator[Playing]:
    """Return a context in which a plan is played; after Ctrl-C, print how many games are left.

    With `any_rule` (no opening rule was given), a run with random openings can be resumed as well,
    as earlier versions had no other rule. A run that is resumed may lack the agents with labels in
    `added`, or have others under these labels; None if the command has no option --add.
    """
    if resume and store == "none":
        raise OptionError("--resume: nothing was kept, as the store is 'none'")
    if added and not resume:
        raise OptionError("--add needs --resume; in a new run, name all agents after the game")
    with ExitStack() as stack:
        database = None if store == "none" else stack.enter_context(open_store(store))
        Referee(tournament)  # raises errors in the plan before a run is stored
        run = 0
        if database is not None:
            if resume:
                tournament, run = _resumed(database, tournament, any_rule, added)
            else:
                run = _begun(database, tournament, any_rule)
        games = stack.enter_context(closing(play_tournament(tournament, pool, database, run)))
        played = Playing(tournament, games, run)
        yield played
        games.close()
        if played.verdict is not None and database is not None:
            database.decide(run, played.verdict)
        if played.stopped and database is not None:
            left = tournament.total - database.run(run).kept
            say(f"{counted(left, 'game')} left: the same command with --resume plays the rest")


def _resumed(
    store: Store, tournament: Tournament, any_rule: bool, added: Collection[str] | None
) -> tuple[Tournament, int]:
    """Return the plan and number of the run to resume; it is extended by the added agents."""
    plan, runs = _latest(store, tournament, any_rule)
    if runs and not added:
        if plan != tournament:
            say(f"run {runs[-1].id} was started with random openings and keeps them")
        return plan, runs[-1].id
    found = find_run(store, tournament, added or ())
    if found is None:
        others = " but for the agents added" if added else ""
        others += "; --add names agents that a run lacks" if added == [] else ""
        raise OptionError(f"--resume: {store.name} has no run of this plan{others}")
    run, plan = found
    if added:
        extend(store, run, plan)
        run = store.run(run.id)
        say(f"run {run.id} has {counted(len(plan.agents), 'agent')} and {run.progress}")
    return plan, run.id


def _begun(store: Store, tournament: Tournament, any_rule: bool) -> int:
    """Return the number of a new run; tell if it could have continued an unfinished one."""
    _, runs = _latest(store, tournament, any_rule)
    if runs and runs[-1].kept < runs[-1].total and not runs[-1].verdict:
        last = runs[-1]
        say(f"run {last.id} of this plan has {last.progress}: --resume would have continued it")
    return store.begin(tournament)


def _latest(store: Store, tournament: Tournament, any_rule: bool) -> tuple[Tournament, list[Run]]:
    """Return the runs of a plan, or else those of it with random openings, and their plan."""
    runs = store.runs(tournament)
    if runs or not any_rule:
        return tournament, runs
    plan = tournament.ruled(RANDOM)
    return plan, store.runs(plan)
