"""Measure how late searches return, at random positions and limits: `-m benchmarks.overrun`."""

from __future__ import annotations

import argparse
import json
import sys
from math import exp, log
from random import Random
from time import perf_counter

from rich.console import Console
from rich.progress import track
from rich.table import Table

from plyground import Limit, load_agent, load_game
from plyground.agents.agent import Agent
from plyground.errors import CannotPlay
from plyground.game import Position

GAMES = (
    "connect_n",
    "connect_n(width=16, height=16, n=8)",
    "expendibots",
    "robots",
    "robots(board=maze, width=32, height=32, robots=8)",
    "sheep",
    "sheep(size=15, cells=100, sheep=32)",
    "sheep(hidden=True)",
    "sheep(players=2, hex=True)",
    "tron",
    "tron(simultaneous=True)",
    "tron(map=joust)",
    "tron(map=room, width=40, height=40)",
)
AGENTS = (
    "alphabeta",
    "alphabeta(prune=False)",
    "alphabeta(quiet=8)",
    "maxn",
    "mcts",
    "mcts(threads=2)",
    "mcts(select=puct, playout=heuristic)",
    "mcts(nodes=20000)",
    "shortest",
)
SHORTEST, LONGEST = 0.005, 1.0


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overrun", description=__doc__)
    parser.add_argument("--triples", type=int, default=1000, help="number of searches")
    parser.add_argument("--seed", type=int, default=0, help="makes the run repeatable")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    random = Random(given.seed)
    searches: list[tuple[float, str, str, float]] = []
    console = Console(stderr=True)
    for _ in track(range(given.triples), "searching", console=console):
        position, agent = draw(random)
        seconds = exp(random.uniform(log(SHORTEST), log(LONGEST)))
        began = perf_counter()
        agent.think(position, Limit(seconds=seconds), random.getrandbits(32))
        late = perf_counter() - began - seconds
        searches.append((late, repr(position.game), repr(agent), seconds))
    searches.sort()
    if given.json:
        print(json.dumps(searches))
        return
    table = Table(title=f"Overrun of {given.triples} searches, milliseconds", title_justify="left")
    for share in (0.5, 0.9, 0.99, 1.0):
        table.add_column(f"{share:.0%}", justify="right")
    marks = [
        searches[min(len(searches) - 1, int(len(searches) * share))]
        for share in (0.5, 0.9, 0.99, 1.0)
    ]
    table.add_row(*(f"{1000 * late:.2f}" for late, *_ in marks))
    output = Console(width=None if sys.stdout.isatty() else 120)
    output.print(table)
    output.print("the latest:")
    for late, game, agent_spec, seconds in searches[:-9:-1]:
        output.print(f"{1000 * late:8.2f} ms  {game}  {agent_spec}  limit {seconds:.3f} s")


def draw(random: Random) -> tuple[Position, Agent]:
    """Return a position of a random game, and an agent that can play it, with compiled kernels."""
    while True:
        game, agent = load_game(random.choice(GAMES)), load_agent(random.choice(AGENTS))
        try:
            agent.prepare(game)
        except CannotPlay:
            continue
        line = [game.start(random.getrandbits(32))]
        while not line[-1].is_over:
            line.append(line[-1].play(random.choice(line[-1].legal_actions)))
        if len(line) > 1:
            position = random.choice(line[:-1])
            return position.observe(position.player), agent


if __name__ == "__main__":
    main()
