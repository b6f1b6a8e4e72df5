"""Tournaments: play the games of a plan, and add up the standings."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from math import sqrt
from time import monotonic
from typing import TYPE_CHECKING, Any

from plyground.agents.agent import Agent
from plyground.arena.frame import make_frame
from plyground.arena.pairing import Result
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.repeats import Repeats
from plyground.arena.scores import count_sides, first_shares, game_points, score
from plyground.arena.versions import Versions
from plyground.arena.workers import Here, Pool
from plyground.errors import StoreError, TextError
from plyground.game import Facts
from plyground.games import GAMES, load_game

if TYPE_CHECKING:  # database drivers are imported only if a store is used
    from plyground.arena.store import Store

Z = 1.96
"""Standard deviations of a normal variable that contain 95%."""

EVERY = 0.25
"""Seconds between transactions that store the games played since."""

BATCH = 500
"""Games that are stored at once even if less time has passed."""


def play_tournament(
    tournament: Tournament, pool: Pool | None = None, store: Store | None = None, run: int = 0
) -> Generator[Record]:
    """Yield a tournament's games: those stored in the run, then the others as they are played.

    Law: a game is yielded once, and only after it is stored, and all games were played by one
    version of the game and of each agent: games of earlier versions are deleted and played again.
    Without clocks, the same plan has the same games, whichever workers play them and however often
    the run is interrupted.
    """
    pool = pool or Here()
    versions = Versions(tournament)
    results: list[Result] = []
    stored: Iterator[Record] = iter(())
    if store is not None:
        versions.drop_outdated(store, run)
        stored = _stored(tournament, store, run)
    waiting = next(stored, None)
    for stage in range(tournament.stages):
        pairings = tournament.pairings(stage, results)
        finished: set[int] = set()
        outdated: list[int] = []
        while waiting is not None and waiting.number in pairings.numbers:
            if pairings[waiting.number].matches(waiting):
                finished.add(waiting.number)
                results += _result(tournament, waiting)
                yield waiting
            else:
                outdated.append(waiting.number)
            waiting = next(stored, None)
        if store is not None and outdated:
            store.drop(run, outdated)
            again = f"games played again: {len(outdated):,}"
            store.warn(f"run {run}: the pairings of round {stage + 1} have changed; {again}")
        missing = (pairing for pairing in pairings if pairing.number not in finished)
        played = versions.checked(pool.play(tournament, missing))
        for record in _storing(played, store, run):
            results += _result(tournament, record)
            yield record


def _result(tournament: Tournament, record: Record) -> list[Result]:
    """Return what later pairings depend on: the result, if there are several stages."""
    if tournament.stages == 1:
        return []
    return [Result(record.number, record.entrants, record.returns)]


def _stored(tournament: Tournament, store: Store, run: int) -> Iterator[Record]:
    """Yield the stored games of a run; each is checked, as other programs can write the store."""
    for record in store.records(run):
        try:
            tournament.check_member(record)
        except TextError as error:
            wrong = f"game {record.number + 1} of run {run}: {error}"
            raise StoreError(f"{store.name}: {wrong}") from None
        yield record


def _storing(batches: Iterator[list[Record]], store: Store | None, run: int) -> Iterator[Record]:
    """Yield records once they are stored; when the run is interrupted, store what is left."""
    if store is None:
        yield from chain.from_iterable(batches)
        return
    pending: list[Record] = []
    since = monotonic()
    try:
        for batch in batches:
            pending += batch
            if monotonic() - since > EVERY or len(pending) >= BATCH:
                store.add(run, pending)
                stored, pending = pending, []
                yield from stored
                since = monotonic()
    except StoreError:
        raise
    except KeyboardInterrupt:
        store.add(run, pending)
        yield from pending
        raise
    except BaseException:
        store.add(run, pending)
        raise
    store.add(run, pending)
    yield from pending


def wilson(score: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a score, which is valid for few games too."""
    if not games:
        return 0.0, 1.0
    share = Z * Z / games
    middle = (score + share / 2) / (1 + share)
    spread = sqrt(score * (1 - score) * share + share * share / 4) / (1 + share)
    return max(0.0, middle - spread), min(1.0, middle + spread)


@dataclass
class Standing:
    """The results of one agent."""

    agent: str
    entrant: int = 0
    """The agent's number in its tournament, from 0: names need not differ."""
    wins: int = 0
    """Games in which no other side did as well."""
    draws: int = 0
    """Games in which other sides did as well, and none better."""
    losses: int = 0
    firsts: float = 0.0
    """First places; one that k sides share counts 1/k."""
    forfeits: int = 0
    faults: int = 0
    """Faults after which the referee replaced the move, and the game went on."""
    total: float = 0.0
    """The sum of returns."""
    points: float = 0.0
    """The sum of points: by place where more than two sides play, else the sum of scores."""
    seconds: float = 0.0
    moves: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean score of a game."""
        return score(self.total / self.games) if self.games else 0.0

    @property
    def mean_points(self) -> float:
        """The points per game."""
        return self.points / max(1, self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the score; it is rather too wide if not all games are won or lost."""
        return wilson(self.score, self.games)

    def results(self, sides: int) -> dict[str, str]:
        """Return what tables of games between so many sides show, as texts by heading."""
        if sides > 2:
            return {
                "first places": plain_number(self.firsts),
                "points/game": f"{self.mean_points:.2f}",
            }
        if sides == 1:
            return {}
        return {"won": str(self.wins), "drawn": str(self.draws), "lost": str(self.losses)}


def plain_number(number: float) -> str:
    """Return a number with up to three decimals and no exponent."""
    return f"{round(number, 3):.15g}"


class Standings:
    """Adds up records one by one; with their plan, games that repeat another count once."""

    def __init__(self, agents: Sequence[str], plan: Tournament | None = None) -> None:
        self.sides = 2
        """Number of players, or of teams, in the games that were added."""
        self.table = [Standing(agent, entrant) for entrant, agent in enumerate(agents)]
        self._options = {} if plan is None else plan.changed()
        self._repeats = None if plan is None else Repeats(load_game(plan.game).facts)

    @property
    def repeats(self) -> int:
        """Number of games that were not counted because they repeat others."""
        return 0 if self._repeats is None else self._repeats.count

    def add(self, record: Record) -> None:
        """Count one game, unless it repeats another."""
        if self._repeats is not None and not self._repeats.is_new(record, self._options):
            return
        rows = [self.table[entrant] for entrant in record.entrants]
        facts = _facts(record.game)
        self.sides = count_sides(len(rows), facts.teams)
        points = game_points(record.returns, facts)
        firsts = first_shares(record.returns, facts.teams)
        for seat, row in enumerate(rows):
            row.wins += firsts[seat] == 1
            row.draws += 0 < firsts[seat] < 1
            row.losses += firsts[seat] == 0
            row.firsts += firsts[seat]
            row.total += record.returns[seat]
            row.points += points[seat]
            row.forfeits += record.fault == seat
        for _, seat, _, _ in record.faults:
            rows[seat].faults += 1
        for ply in range(record.opening, len(record.actions)):
            row = rows[record.players[ply]]
            row.seconds += record.seconds[ply]
            row.moves += 1

    def rows(self) -> list[Standing]:
        """Return the standings, the highest score first; equals in the order of the agents."""
        # Sums of floats differ in their last digits, as games end in another order.
        return sorted(self.table, key=lambda row: -round(row.score, 12))

    def to_frame(self) -> Any:
        """Return the standings as a `pandas.DataFrame`, the best agent first."""
        return make_frame(
            asdict(row)
            | {"games": row.games, "score": row.score, "mean_points": row.mean_points}
            | dict(zip(("low", "high"), row.interval, strict=True))
            for row in self.rows()
        )


@cache
def _facts(game: str) -> Facts:
    return GAMES.recall(game).facts


def standings(
    agents: Sequence[Agent | str], records: Iterable[Record], plan: Tournament | None = None
) -> list[Standing]:
    """Return the standings of these agents, best first; with a plan, repeats count once."""
    table = Standings([str(agent) for agent in agents], plan)
    for record in records:
        table.add(record)
    return table.rows()
