"""Export and import of games between stores: one line of JSON per game.

A file of games is untrusted data: nothing that it names is run. Agents are only texts, and a game
that is a file is accepted only if the user loaded that file. Every game is replayed, and refused
with its line number if it does not follow the rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from math import isclose
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, TextIO

from plyground.arena.match import COURSE, forfeited
from plyground.arena.plan import Run, Tournament, check_member, digest
from plyground.arena.record import ADJUDICATED, FINISHED, PERSON, RESIGNED, Record, positions
from plyground.arithmetic import derive_seed
from plyground.errors import PlygroundError, TextError
from plyground.game import Game, Position
from plyground.games import GAMES
from plyground.text import cleaned, counted

if TYPE_CHECKING:
    from plyground.arena.store import Store

HERE = ("id", "kept", "verdict")
"""What a run has in one store only."""

LONGEST_LINE = 2**20
"""Bytes per line at most; a game of 2,000 plies takes some 60,000."""


def export_games(store: Store, runs: list[Run], out: TextIO) -> int:
    """Write every game of the runs as one line with its run and record; return their number."""
    count = 0
    for run in runs:
        for record in store.records(run.id):
            out.write(_line(run, record))
            count += 1
    return count


def _line(run: Run, record: Record) -> str:
    plan = {name: value for name, value in asdict(run).items() if name not in HERE}
    return json.dumps({"run": plan, "record": record.to_json()}, separators=(",", ":")) + "\n"


def import_games(store: Store, path: Path) -> int:
    """Store the games of a file if all of them are valid; return their number.

    Law: all or nothing. Afterwards the store has every game of the file; a game that is stored
    already, or twice in the file, counts once. Another game of the same run and number is an error.
    """
    with TemporaryFile("w+", encoding="utf-8") as valid:  # so that the store is locked only briefly
        try:
            count = 0
            for run, record in _checked(path):
                valid.write(_line(run, record))
                count += 1
            valid.flush()
        except OSError as error:
            raise TextError(f"{cleaned(str(path))} cannot be imported: {error.strerror}") from None
        store.add_all(partial(_reread, valid))
    return count


def _reread(valid: IO[str]) -> Iterator[tuple[Run, Record]]:
    valid.seek(0)
    for line in valid:
        data = json.loads(line)
        yield Run.read(**data["run"]), Record.from_json(data["record"])


def _checked(path: Path) -> Iterator[tuple[Run, Record]]:
    """Yield the games of a file, each once and after it has been checked."""
    plans: dict[str, tuple[Game, Tournament]] = {}
    lines: dict[int, tuple[int, int]] = {}
    with path.open("rb") as file:
        for row, line in enumerate(iter(partial(file.readline, LONGEST_LINE + 1), b""), start=1):
            try:
                if len(line) > LONGEST_LINE:
                    raise TextError(f"longer than {LONGEST_LINE} bytes")
                run, record = _read(json.loads(line.decode()))
                plan_digest = digest(run.tournament)
                if plan_digest not in plans:
                    plans[plan_digest] = _plan(run)
                _check_membership(run, plans[plan_digest][1], record)
                _check_replay(*plans[plan_digest], record)
                # Hashes, as a file may have millions of games.
                game = hash((plan_digest, run.begun, record.number))
                first, content = lines.setdefault(game, (row, hash(record)))
                if content != hash(record):
                    raise TextError(
                        f"line {first} has another game {record.number + 1} of this run"
                    )
            except (PlygroundError, ValueError, RecursionError) as error:
                reason = "nested too deeply" if isinstance(error, RecursionError) else error
                raise TextError(f"{cleaned(str(path))}, line {row}: {reason}") from None
            if first == row:
                yield run, record


def _read(data: Any) -> tuple[Run, Record]:
    """Return the run and record of a line; this checks types, not whether the game is valid."""
    if not isinstance(data, dict) or set(data) != {"run", "record"}:
        raise TextError('a line must be {"run": {...}, "record": {...}}')
    run = data["run"]
    if not isinstance(run, dict) or set(run) != {"tournament", "total", "begun"}:
        raise TextError("a run must have 'tournament', 'total' and 'begun'")
    return Run.read(**run), Record.from_json(data["record"])


def _plan(run: Run) -> tuple[Game, Tournament]:
    """Return a run's game, and its plan with every agent replaced, so that none is loaded."""
    game = GAMES.recall(run.tournament["game"])
    about_agents = ("seconds_of", "names")
    options = {name: value for name, value in run.tournament.items() if name not in about_agents}
    options["agents"] = ["random"] * len(run.tournament["agents"])
    return game, Tournament.make(options | {"game": repr(game)})


def _check_membership(run: Run, plan: Tournament, record: Record) -> None:
    """Check a record against the run that it claims to belong to."""
    check_member(run.tournament["game"], run.tournament["agents"], run.total, record)
    if run.total != plan.total:
        raise TextError(f"the tournament has {counted(plan.total, 'game')}, not {run.total}")


def _check_replay(game: Game, plan: Tournament, record: Record) -> None:
    """Replay a record: players, opening, faults, ending and returns must follow from the rules."""
    if len(record.agents) != game.facts.players:
        raise TextError(
            f"{game} has {counted(game.facts.players, 'player')}, not {len(record.agents)}"
        )
    is_seeded = PERSON not in record.agents  # people may begin from any position
    if record.seed < 0 or (is_seeded and game.start(record.seed).to_text() != record.start):
        raise TextError(f"the record's start is not that of seed {record.seed}")
    line = positions(game, record)
    last, plies, opening = line[-1], len(record.actions), record.opening
    if record.players != tuple(position.player for position in line[:-1]):
        raise TextError("the record's players are not those whose turn it was")
    played_by_agents = opening == 0 or not line[opening].is_over
    timed = any(record.seconds[:opening]) or record.values[:opening] != (None,) * opening
    if opening > plan.opening or timed or not played_by_agents:
        raise TextError(
            f"the record's opening of {counted(opening, 'ply', 'plies')} is not its tournament's"
        )
    _check_faults(plan, record, line)
    _check_ending(plan, record, last, plies)


def _check_ending(plan: Tournament, record: Record, last: Position, plies: int) -> None:
    capped = plan.max_plies is not None and plies >= max(plan.max_plies, record.opening)
    may_stop = capped or PERSON in record.agents  # people may stop before the end
    regular = {FINISHED: last.is_over, ADJUDICATED: may_stop and not last.is_over}
    if not regular.get(record.ending, not last.is_over):
        over = "over" if last.is_over else "not over"
        raise TextError(f"the record's game is {record.ending!r}, by the rules it is {over}")
    possible = [last.returns]
    if record.ending in regular:
        if record.fault is not None:
            raise TextError(f"the record's game is {record.ending!r}, but the record names a fault")
    else:
        in_turn = record.fault == last.player or record.ending == RESIGNED
        out_of_turn = plies > record.opening and not in_turn
        if record.fault is None or out_of_turn:
            raise TextError(
                f"the record's game is {record.ending!r} by a seat that was not to move"
            )
        possible = [forfeited(last, record.fault), _shared_equally(record)]
    is_equal = partial(isclose, abs_tol=1e-9)
    if not any(all(map(is_equal, record.returns, returns)) for returns in possible):
        raise TextError(f"the record's returns are {record.returns}, by the rules {possible[0]}")


def _shared_equally(record: Record) -> tuple[float, ...]:
    """Return the result of a forfeit as in earlier versions: equal for all others."""
    seats = range(len(record.agents))
    return tuple(-1.0 if seat == record.fault else 1.0 / max(1, len(seats) - 1) for seat in seats)


def _check_faults(plan: Tournament, record: Record, line: Sequence[Position]) -> None:
    """Check that moves replaced or skipped by the referee are the game's penalties."""
    if record.faults and plan.referee != COURSE:
        raise TextError(f"the record has faults, but its tournament's referee is {plan.referee!r}")
    for ply, seat, kind, _ in record.faults:
        seed = derive_seed(record.seed, record.number, ply)
        penalty = line[ply].game.penalty(line[ply], kind, seed)
        if seat != line[ply].player or record.actions[ply] != penalty:
            raise TextError(f"the record's move after the fault at ply {ply} is not the penalty")
