"""Measure by how much searches exceed their time limits: `python -m benchmarks.overrun`.

Agents play against themselves from random openings, each limit in turn, and every search is
measured as a match does it. The rows `first` are searches of processes that have made no move
before. Two clocks judge: the wall clock, and `own_time`, which leaves out the waiting for a
processor, as on a busy machine other programs are not the agent's fault. With `--cpu` limits are of
processor time, and it takes the place of `own_time`: that shows by how much the searches themselves
are late, whatever else runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from time import perf_counter, process_time
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

from plyground import Limit, load_agent, load_game
from plyground.errors import CannotPlayError
from plyground.search.timing import own_time

GAMES = {
    "connect_n": ("connect_n", "connect_n(width=16, height=16, n=8)"),
    "tron": ("tron", "tron(simultaneous=True)", "tron(map=room, width=40, height=40)"),
    "sheep": ("sheep", "sheep(size=15, cells=100, sheep=32)", "sheep(players=2, hidden=True)"),
    "robots": ("robots", "robots(board=maze, width=32, height=32, robots=8)"),
    "expendibots": ("expendibots",),
}
"""The variants of each game; the first is played as often as all others together."""

AGENTS = (
    "champion",
    "alphabeta",
    "mcts",
    "maxn",
    "perfect",
    "shortest",
    "alphazero",
    "network",
    "alphabeta(prune=False)",
    "alphabeta(quiet=8)",
    "mcts(threads=2)",
    "mcts(select=puct, playout=heuristic)",
    "mcts(nodes=20000)",
)
LIMITS = (0.01, 0.1, 0.3, 1.0, 3.0)
BOUND = 5.0
"""Milliseconds that 99% of searches may be late at most, by the clock that leaves out waiting."""

MOVES = 6
"""Searches in one game by the same players, whose trees and tables are kept from move to move."""

SHARES = (0.5, 0.99, 1.0)


class Search(NamedTuple):
    """One search, and by how many milliseconds it was late by both clocks."""

    game: str
    variant: str
    agent: str
    limit: float
    first: bool
    wall: float
    own: float


def searches(
    variant: str, agent: str, limit: float, moves: int, seed: int, cpu: bool
) -> Iterator[Search]:
    """Let an agent play against itself after a random opening; yield its searches."""
    game, player_of = load_game(variant), load_agent(agent)
    random = Random(seed)
    position = game.start(random.getrandbits(32))
    for _ in range(random.randrange(1, 1 + game.facts.longest // 2)):
        after = position.play(random.choice(position.legal_actions))
        if after.is_over:
            break
        position = after
    own = process_time if cpu else own_time
    players = [player_of.sit(game, seat, seed) for seat in range(game.facts.players)]
    for move in range(moves):
        if position.is_over:
            break
        view = position.observe(position.player)
        began, own_began = perf_counter(), own()
        thought = players[position.player].think(
            view, Limit(seconds=limit, cpu=cpu), random.getrandbits(32)
        )
        spent = perf_counter() - began, own() - own_began
        late, own_late = (1000 * (seconds - limit) for seconds in spent)
        yield Search(game.name, variant, agent, limit, move == 0, late, own_late)
        position = position.play(thought.action)
        if not game.facts.hidden:
            for player in players:
                player.watch(thought.action)
    for player in players:
        player.close()


def first_search(variant: str, agent: str, limit: float, seed: int, cpu: bool) -> list[Search]:
    """Return the first search of a new process."""
    command = [
        sys.executable, "-m", "benchmarks.overrun", "--first", variant, agent,
        "--limits", str(limit), "--seed", str(seed), *(["--cpu"] if cpu else []),
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [Search(*row) for row in json.loads(done.stdout)]


def plays(variant: str, agent: str) -> bool:
    """Return whether an agent can play a game; everything is compiled then."""
    try:
        load_agent(agent).prepare(load_game(variant))
    except CannotPlayError:
        return False
    return True


def measure(given: argparse.Namespace) -> Iterator[Search]:
    """Yield all searches of the table."""
    random = Random(given.seed)
    for name in given.games:
        first, *others = GAMES[name]
        sides = [
            (variant, agent)
            for agent in given.agents
            for variant in (first, *others)
            if plays(variant, agent)
        ]
        tasks = [
            (limit, is_first, number)
            for limit in given.limits
            for is_first, count in ((True, given.first_moves), (False, given.searches))
            for number in range(count if is_first else -(-count // MOVES))
        ]
        console = Console(stderr=True)
        for limit, is_first, number in track(tasks, name, console=console):
            variant, agent = sides[number % len(sides)]
            seed = random.getrandbits(32)
            if is_first:
                yield from first_search(variant, agent, limit, seed, given.cpu)
            else:
                for search in searches(variant, agent, limit, MOVES, seed, given.cpu):
                    yield search._replace(first=False)


def main() -> None:
    """Measure, print a table or JSON, and exit with 1 where searches are late."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overrun", description=__doc__)
    parser.add_argument("--searches", type=int, default=200, help="per game and limit")
    parser.add_argument("--first-moves", type=int, default=20, help="new processes for the same")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--agents", nargs="+", default=AGENTS)
    parser.add_argument("--limits", nargs="+", type=float, default=LIMITS, help="in seconds")
    parser.add_argument("--seed", type=int, default=0, help="makes the openings repeatable")
    parser.add_argument("--cpu", action="store_true", help="limits of processor time")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each search")
    parser.add_argument("--first", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first:
        variant, agent = given.first
        print(json.dumps(list(searches(variant, agent, given.limits[0], 1, given.seed, given.cpu))))
        return
    found: list[Search] = []
    try:
        for search in measure(given):
            found.append(search)
            if given.json:
                print(json.dumps(search), flush=True)
    except KeyboardInterrupt:  # what is measured is shown
        print("interrupted", file=sys.stderr)
    if found and not given.json:
        sys.exit(report(found))


def report(found: list[Search]) -> bool:
    """Print the table and the latest searches; return whether too many were late."""
    output = Console(width=None if sys.stdout.isatty() else 140)
    table = Table(title="Overrun in milliseconds", title_justify="left")
    for heading in ("game", "limit", "moves", "searches"):
        table.add_column(heading)
    for clock in ("wall", "own"):
        for share in SHARES:
            table.add_column(f"{clock} {share:.0%}", justify="right")
    is_late = False
    groups: dict[tuple[str, float, bool], list[Search]] = {}
    for search in found:
        groups.setdefault((search.game, search.limit, search.first), []).append(search)
    for (game, limit, first), group in groups.items():
        cells = [game, f"{limit} s", "first" if first else "all", str(len(group))]
        for clock in ("wall", "own"):
            late = sorted(getattr(search, clock) for search in group)
            marks = [late[min(len(late) - 1, int(len(late) * share))] for share in SHARES]
            cells += [f"{mark:.2f}" for mark in marks]
            is_late |= clock == "own" and marks[1] > BOUND
        table.add_row(*cells)
    output.print(table)
    output.print("the latest by their own time:")
    for search in sorted(found, key=lambda search: -search.own)[:12]:
        moves = "first" if search.first else ""
        late = f"{search.own:8.2f} ms ({search.wall:.2f} by the wall clock)"
        output.print(f"{late}  {search.variant}  {search.agent}  {search.limit} s  {moves}")
    return is_late


if __name__ == "__main__":
    main()
