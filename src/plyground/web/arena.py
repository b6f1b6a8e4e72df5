"""Tournaments on the site: those in the store, and those that this server plays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from plyground.arena.faults import located
from plyground.arena.plan import Pairing, Run, Tournament, check_member, new_plan, split_label
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.store import Store
from plyground.arena.tournament import Standings, play_tournament
from plyground.arena.workers import Processes
from plyground.errors import OptionError, StoreError, TextError, show_traceback
from plyground.export.standings import meetings
from plyground.games import GAMES
from plyground.web import journal
from plyground.web.catalogue import LEVEL_SECONDS, Opponent
from plyground.web.forms import RunForm
from plyground.web.games import Games, NotFoundError
from plyground.web.paths import shown_name, shown_names, shown_record, shown_text
from plyground.web.pool import BusyError
from plyground.web.state import replay_of

PAGE = 200
"""Games that are listed at a time."""

MOST_RUNS = 200
MOST_RECORDS = 20_000
"""Games of a run that standings are computed from; of a longer run, evenly drawn ones."""

FRESH = 60.0
"""Seconds for which results are kept: games may be replaced while their number stays the same."""

RunNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a run in the store.")]
GameNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a game, from 1.")]


class _Workers(Processes):
    """Worker processes that end in the middle of their games when they are told to."""

    def __init__(self, count: int, stop: threading.Event) -> None:
        super().__init__(count)
        self._stop = stop

    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        for batch in super().play(plan, pairings):
            yield batch
            if self._stop.is_set():
                return


class Arena:
    """The runs of the store; one tournament at a time is played here, in processes of its own."""

    def __init__(self, store: str, workers: int) -> None:
        self._store, self._workers = store, workers
        self._lock = threading.Lock()
        """Held while the fields below are changed: requests come in threads of their own."""
        self._playing: int | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._known: dict[int, tuple[float, Run, dict[str, Any]]] = {}
        """By number: when a run's results were computed, the run then, and the results."""
        self.problem = ""
        """Why the last tournament ended early."""

    def open(self, warn: Callable[[str], None] = lambda line: None) -> Store:
        """Return the store, open for a request; `warn` receives its warnings."""
        return Store(self._store, warn, journal.PATIENCE)

    @property
    def playing(self) -> int | None:
        """The number of the run that is being played."""
        return self._playing if self._thread is not None and self._thread.is_alive() else None

    def start(self, plan: Tournament) -> int:
        """Begin a tournament; return the number of its run."""
        with self._lock:
            if self.playing is not None:
                raise BusyError(f"run {self.playing} is being played: one tournament at a time")
            with self.open() as store:
                run = store.begin(plan)
            stop = self._stop = threading.Event()
            self._playing, self.problem = run, ""
            self._thread = threading.Thread(target=self._play, args=(plan, run, stop), daemon=True)
            self._thread.start()
        return run

    def _play(self, plan: Tournament, run: int, stop: threading.Event) -> None:
        pool = _Workers(min(self._workers, plan.total), stop)
        try:
            with (
                Store(self._store, lambda line: None) as store,
                closing(pool),
                closing(play_tournament(plan, pool, store, run)) as games,
            ):
                for _ in games:
                    pass  # they are stored, and read from the store
        except Exception as error:
            show_traceback(error)
            self.problem = located(error)

    def stop(self) -> None:
        """End the tournament that is being played; its games so far are kept."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(20)

    def run(self, number: int) -> Run:
        """Return a run by its number."""
        with self.open() as store:
            try:
                return store.run(number)
            except StoreError:  # its text names the file of the store
                raise NotFoundError(f"there is no run {number}") from None

    def record(self, number: int, game: int) -> Record:
        """Return a game of a run by its number, from 1."""
        self.run(number)
        with self.open() as store:
            record = store.record(number, game - 1)
        if record is None:
            raise NotFoundError(f"run {number} has no game {game}")
        return record

    def results(self, number: int) -> dict[str, Any]:
        """Return the plan of a run with standings and cross table; computed again if it changed."""
        run = self.run(number)
        since, known, results = self._known.get(number, (0.0, None, {}))
        if known != run or monotonic() - since > FRESH:
            results = self._computed(run)
            with self._lock:
                self._known[number] = monotonic(), run, results
                while len(self._known) > 20:
                    del self._known[next(iter(self._known))]
        is_playing = self.playing == number
        problems = self.problem if self._playing == number else "", results["problem"]
        problem = shown_text("; ".join(filter(None, problems)))
        return results | {"playing": is_playing, "mine": is_playing, "problem": problem}

    def _computed(self, run: Run) -> dict[str, Any]:
        names, facts = names_of(run), GAMES.recall(run.tournament["game"]).facts
        repeats = Repeats(facts)
        problems: list[str] = []
        with self.open(warn=problems.append) as store:
            chosen = _drawn(run, facts.players)
            stored = _members(run, store.records(run.id, chosen), problems.append)
            records = [record for record in stored if repeats.is_new(record, run.tournament)]
        table = Standings(names)
        for record in records:
            table.add(record)
        rows, shown = table.rows(), dict(zip(names, shown_names(names), strict=True))
        met = meetings(records, facts.teams)
        ranked = [row.entrant for row in rows]
        return summary_of(run) | {
            "format": run.tournament.get("format", "round_robin"),
            "problem": "; ".join(problems),
            "sides": table.sides,
            "standings": [
                {
                    "rank": rank,
                    "name": shown[row.agent],
                    "games": row.games,
                    "wins": row.wins,
                    "draws": row.draws,
                    "losses": row.losses,
                    "firsts": row.firsts,
                    "forfeits": row.forfeits,
                    "faults": row.faults,
                    "points": row.points,
                    "mean_points": row.mean_points,
                    "score": row.score,
                    "low": row.interval[0],
                    "high": row.interval[1],
                    "milliseconds": 1000 * row.seconds / max(1, row.moves),
                }
                for rank, row in enumerate(rows, start=1)
            ],
            "cross": {
                "names": [shown[row.agent] for row in rows],
                "cells": [
                    [
                        None
                        if (meeting := met.get((one, other))) is None
                        else {"score": meeting.points / meeting.games, "games": meeting.games}
                        for other in ranked
                    ]
                    for one in ranked
                ],
            },
        }


def _members(run: Run, records: Iterable[Record], warn: Callable[[str], None]) -> Iterator[Record]:
    """Yield the records that are of a run's plan; warn of others, as any program can write them."""
    game, agents = run.tournament["game"], run.tournament["agents"]
    for record in records:
        try:
            check_member(game, agents, run.total, record)
        except TextError as error:
            warn(f"game {record.number + 1} of run {run.id} is left out: {error}")
        else:
            yield record


def _drawn(run: Run, players: int) -> Callable[[int], bool]:
    """Return which games of a run to count, by number: all, or evenly drawn starts of all tables.

    Games are numbered by table, so that the first ones would be those of a few agents.
    """
    most = int(min(1.0, MOST_RECORDS / max(1, run.kept)) * 2**32)
    return lambda number: number // players * 0x9E3779B1 % 2**32 < most


def names_of(run: Run) -> list[str]:
    """Return the names of a run's agents, distinct where they have to be."""
    return list(run.tournament.get("names") or run.tournament["agents"])


def summary_of(run: Run) -> dict[str, Any]:
    """Return a run in short, as plain data."""
    return {
        "run": run.id,
        "game": shown_name(run.tournament["game"]),
        "agents": shown_names(names_of(run)),
        "kept": run.kept,
        "total": run.total,
        "verdict": run.verdict,
        "started": run.begun,
    }


def new_router(arena: Arena, games: Games) -> APIRouter:
    """Return the routes of tournaments."""
    router = APIRouter(prefix="/api/runs", tags=["arena"])

    @router.get("")
    def list_runs() -> dict[str, Any]:
        """List the runs in the store, the latest first."""
        with arena.open() as store:
            runs = store.runs()[-MOST_RUNS:]
        rows = [summary_of(run) | {"playing": run.id == arena.playing} for run in reversed(runs)]
        return {"runs": rows, "playing": arena.playing}

    @router.post("", status_code=201)
    def start(form: RunForm) -> dict[str, Any]:
        """Start a tournament between agents."""
        game = games.catalogue.game(form.game, form.options)
        agents = [games.opponent(game, chosen) for chosen in form.agents]
        labels = [_labelled(agent) for agent in agents]
        if len(set(labels)) < len(labels):
            raise OptionError("an agent is entered twice")
        seconds = LEVEL_SECONDS if any(agent.level for agent in agents) else None
        plan = new_plan(
            {
                "game": repr(game),
                "agents": labels,
                "games": form.games,
                "format": form.format,
                "seconds": form.seconds or seconds,
                "seed": form.seed,
            }
        )
        return {"run": arena.start(plan)}

    @router.get("/{number}")
    def read_run(number: RunNumber) -> dict[str, Any]:
        """Return the plan of a run, with standings and cross table."""
        return arena.results(number)

    @router.post("/{number}/stop")
    def stop(number: RunNumber) -> dict[str, Any]:
        """End a tournament that this server plays."""
        if arena.playing != number:
            raise OptionError(f"run {number} is not being played by this server")
        arena.stop()
        return {"run": number}

    @router.get("/{number}/games")
    def list_games(
        number: RunNumber, after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0
    ) -> dict[str, Any]:
        """List games of a run after a number, 200 at a time."""
        arena.run(number)
        rows = []
        with arena.open() as store:
            for record in store.records(number):
                if record.number >= after:
                    rows.append(_in_short(record))
                if len(rows) == PAGE:
                    break
        return {"games": rows}

    @router.get("/{number}/games/{game}")
    def read_game(number: RunNumber, game: GameNumber) -> dict[str, Any]:
        """Return one game of a run, to step through."""
        return replay_of(arena.record(number, game)) | {"games": arena.run(number).total}

    return router


def _labelled(agent: Opponent) -> str:
    """Return an agent as an entrant of a plan: by its name, if that can be a label."""
    labelled = f"{agent.name}={agent.spec}"
    return labelled if split_label(labelled)[0] == agent.name else agent.spec


def _in_short(record: Record) -> dict[str, Any]:
    record = shown_record(record)
    return {
        "number": record.number + 1,
        "agents": record.names,
        "returns": record.returns,
        "ending": record.ending,
        "plies": len(record.actions),
        "outcome": record.outcome,
    }
