"""How strong an agent is: by solved positions, by an exact solver, or against another agent.

Each function returns the rows of a table; `python -m benchmarks.networks` makes pages of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev
from time import monotonic, process_time
from typing import Any, NamedTuple, TypeVar

from plyground import Position, load_agent, load_game
from plyground.arena.match import play_match
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.scores import rank_points
from plyground.arena.sprt import SCORES, Sprt, Trial, Z, run_trial
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Pool
from plyground.export.report import Table
from plyground.game import Solution, Stop
from plyground.processes import spread

SOLVER_NODES = 20_000_000
"""Nodes after which a position counts as not solved."""

Puzzle = tuple[Position, int]
"""A start and the fewest moves that solve it."""
Item = TypeVar("Item")


# Puzzles ------------------------------------------------------------------------------------------

PUZZLE_HEADINGS = ("starts", "agent", "solved", "moves above the fewest", "fewest", "ms/move")


CHUNK = 10
"""Puzzles that a worker process solves at a time."""


class Solved(NamedTuple):
    """What an agent did with some puzzles."""

    above: list[int]
    """Moves above the fewest, for each puzzle that was solved."""
    moves: int
    seconds: float
    """CPU time."""


def solve_some(task: tuple[str, Sequence[Puzzle]]) -> Solved:
    """Let an agent play puzzles."""
    spec, puzzles = task
    agent, above, moves, began = load_agent(spec), [], 0, process_time()
    for start, fewest in puzzles:
        with agent.sit(start.game, 0) as player:
            position = start
            while not position.is_over:
                position = position.play(player.think(position).action)
        moves += position.ply
        if position.returns[0] > -1.0:
            above.append(position.ply - fewest)
    return Solved(above, moves, process_time() - began)


def solve_puzzles(
    name: str, spec: str, puzzles: Sequence[Puzzle], workers: int = 1
) -> tuple[Any, ...]:
    """Return a row: how many starts an agent solves, in how many moves, and its CPU time."""
    tasks = [(spec, puzzles[at : at + CHUNK]) for at in range(0, len(puzzles), CHUNK)]
    results = (
        list(map(solve_some, tasks))
        if workers == 1
        else [result for _, result in spread(solve_some, tasks, workers, load_agent, spec)]
    )
    above = [moves for result in results for moves in result.above]
    seconds, moves = (
        sum(getattr(each, field) for each in results) for field in ("seconds", "moves")
    )
    exact = f"{above.count(0) / max(1, len(above)):.0%}"
    mean, milliseconds = sum(above) / max(1, len(above)), round(1000 * seconds / max(1, moves))
    solved = f"{len(above)} of {len(puzzles)}"
    return name, f"`{spec}`", solved, round(mean, 3), exact, milliseconds


# An exact solver ----------------------------------------------------------------------------------


def _merit(solution: Solution) -> tuple[float, float]:
    """Return what makes an action the best: the result, then an early win or a late loss."""
    sign = (solution.value > 0) - (solution.value < 0)
    return solution.value, -sign * (solution.plies or 0)


def _merits(position: Position) -> dict[int, tuple[float, float]] | None:
    """Return the merit of every action by the exact solver, if it solves the position."""
    solver = position.game.solver()
    assert solver is not None, f"{position.game} has no solver"
    solutions = solver.values(position, Stop(nodes=SOLVER_NODES))
    return solutions and {action: _merit(each) for action, each in solutions.items()}


def _judge(merits: dict[int, tuple[float, float]], action: int) -> tuple[bool, bool]:
    """Return whether an action keeps the result, and whether none has a higher value."""
    best = max(merits.values())
    return merits[action][0] == best[0], merits[action] == best


def judged_moves(game: str, spec: str, games: int, opening: int, seed: int) -> Table:
    """Return how many of an agent's moves in games with itself are best, by the game's solver."""
    moves = list(_choices(game, spec, games, opening, seed))
    judged = [
        _judge(merits, action)
        for position, action in moves
        if (merits := _merits(position)) is not None
    ]
    count = len(judged)
    shares = (
        f"{number / max(1, count):.2%} ({number} of {count})"
        for number in (sum(kept for kept, _ in judged), sum(best for _, best in judged))
    )
    headings = ("agent", "keeps the result", "best-valued", "not solved", "games")
    title = f"Moves in its own games, after {opening} random plies, judged by the exact solver"
    return Table(title, headings, ((f"`{spec}`", *shares, len(moves) - count, games),))


class Judged(NamedTuple):
    """An agent's moves in positions of others' games."""

    kept: int
    best: int
    positions: int


def judged_agents(
    specs: Sequence[str], game: str, player: str, games: int, opening: int, seed: int
) -> list[Judged]:
    """Return how each agent does in the same positions: those of `player`'s games with itself."""
    moves = _choices(game, player, games, opening, seed)
    solved = [(position, merits) for position, _ in moves if (merits := _merits(position))]
    found = []
    for spec in specs:
        agent = load_agent(spec)
        judged = [_judge(merits, agent.think(position).action) for position, merits in solved]
        kept, best = (sum(each) for each in zip(*judged, strict=True))
        found.append(Judged(kept, best, len(judged)))
    return found


def _choices(
    game: str, spec: str, games: int, opening: int, seed: int
) -> Iterator[tuple[Position, int]]:
    """Yield the positions of an agent's games with itself, and its actions there.

    Positions that occur again are left out, and those where only one move is legal.
    """
    seen: set[int] = set()
    for record in play_match(load_game(game), [spec] * 2, games, seed=seed, opening=opening):
        for position, action in positions_of(record):
            if position.key not in seen and len(position.legal_actions) > 1:
                seen.add(position.key)
                yield position, action


def positions_of(record: Record) -> Iterator[tuple[Position, int]]:
    """Yield each position of a game after its opening, and the action played there."""
    position = load_game(record.game).parse(record.start)
    for ply, action in enumerate(record.actions):
        if ply >= record.opening:
            yield position, action
        position = position.replay(action)


# Another agent ------------------------------------------------------------------------------------


def _plan(game: str, agents: Sequence[str], games: int, opening: int, **options: Any) -> Tournament:
    named = [f"{name}={spec}" for name, spec in zip("ABCDEFGH", agents, strict=False)]
    given = {"game": game, "agents": named, "games": games, "opening": opening}
    return Tournament.make(given | options)


def last_trial(trials: Iterable[Trial]) -> Trial:
    """Return the end of a sequential test; print how far it is once a minute."""

    def describe(trial: Trial) -> str:
        low, middle, high = trial.elo
        elo = f"{middle:+.0f} ({low:+.0f} to {high:+.0f}) Elo"
        return f"{2 * trial.pairs} games, {trial.score:.1%}, {elo}, LLR {trial.ratio:+.2f}"

    *_, last = _with_progress(trials, describe)
    return last


def _with_progress(items: Iterable[Item], describe: Callable[[Item], str]) -> Iterator[Item]:
    """Yield items; once a minute print the description of the one that was just used."""
    shown = monotonic()
    for item in items:
        yield item
        if monotonic() > shown + 60:
            shown = monotonic()
            print(describe(item), file=sys.stderr, flush=True)


def opening_pairs(
    game: str, spec: str, opponent: str, pairs: int, opening: int, seed: int, pool: Pool
) -> Table:
    """Return the results of pairs of games that have the same start and swapped seats."""
    plan = _plan(game, [spec, opponent], 2 * pairs, opening, seed=seed)
    never = Sprt(0.0, 1.0, alpha=1e-9, beta=1e-9)  # no verdict ends it before its last pair
    trial = last_trial(run_trial(never, play_tournament(plan, pool)))
    lost = sum(count for count, score in zip(trial.quarters, SCORES, strict=True) if score < 0.5)
    headings = ("agent", "opponent", "pairs", "lost pairs", "pairs 0, ¼, ½, ¾, 1", "score")
    counts = " ".join(map(str, trial.quarters))
    row = (f"`{spec}`", f"`{opponent}`", trial.pairs, lost, counts, f"{trial.score:.1%}")
    return Table(f"Pairs of games after {opening} random plies, seats swapped", headings, (row,))


def equal_time(
    game: str,
    spec: str,
    opponent: str,
    seconds: float,
    most_games: int,
    opening: int,
    seed: int,
    pool: Pool,
    sprt: Sprt | None = None,
    max_plies: int | None = None,
) -> Table:
    """Return a sequential test of two agents with the same CPU time per move.

    Games of more than `max_plies` are draws.
    """
    plan = _plan(
        game, [spec, opponent], most_games, opening,
        seconds=seconds, clock="cpu", seed=seed, max_plies=max_plies,
    )  # fmt: skip
    sprt, forfeits = sprt or Sprt(0.0, 20.0), [0, 0]

    def played() -> Iterator[Record]:
        for record in play_tournament(plan, pool):
            if record.fault is not None:
                forfeits[record.entrants[record.fault]] += 1
            yield record

    trial = last_trial(run_trial(sprt, played()))
    low, middle, high = trial.elo
    headings = ("agent", "opponent", "games", "score", "Elo (95%)", "verdict", "forfeits of each")
    elo = f"{middle:+.0f} ({low:+.0f} to {high:+.0f})"
    verdict = f"{trial.verdict or 'none'} at {trial.ratio:+.2f}"
    lost = " and ".join(map(str, forfeits))
    row = (f"`{spec}`", f"`{opponent}`", 2 * trial.pairs, f"{trial.score:.1%}", elo, verdict, lost)
    title = f"{seconds:g} s of CPU time per move; SPRT of {sprt.elo0:g} and {sprt.elo1:g} Elo"
    return Table(title, headings, (row,))


def points_difference(
    game: str,
    spec: str,
    opponent: str,
    seconds: float,
    games: int,
    opening: int,
    seed: int,
    pool: Pool,
) -> Table:
    """Return an agent's points above the mean of its opponents, which all are of one agent.

    Each start is played in every rotation of the seats; the interval is over starts, as the games
    of one start are not independent. All have the same CPU time per move.
    """
    facts = load_game(game).facts
    agents = [spec] + [opponent] * (facts.players - 1)
    plan = _plan(game, agents, games, opening, seconds=seconds, clock="cpu", seed=seed)
    starts: dict[int, list[float]] = {}

    def describe(_: Record) -> str:
        points = [each for start in starts.values() for each in start]
        return f"{len(points)} of {games} games, {fmean(points):+.3f} points"

    for record in _with_progress(play_tournament(plan, pool), describe):
        points = rank_points(record.returns, facts.places)
        own = points.pop(record.entrants.index(0))
        starts.setdefault(record.number // facts.players, []).append(own - fmean(points))
    means = [fmean(each) for each in starts.values()]
    margin = Z * stdev(means) / sqrt(len(means)) if len(means) > 1 else float("inf")
    mean = fmean(means)
    headings = ("agent", "opponents", "games", "points above theirs", "95% interval")
    interval = f"{mean - margin:+.3f} to {mean + margin:+.3f}"
    row = (f"`{spec}`", f"`{opponent}`", games, f"{mean:+.3f}", interval)
    return Table(f"{seconds:g} s of CPU time per move, seats rotated", headings, (row,))
