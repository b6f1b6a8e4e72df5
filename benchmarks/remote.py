"""The cost of the bot protocol per move: a random bot beside the built-in random agent.

`python -m benchmarks.remote` plays every game, asks both about the same positions in turn, and
prints medians of wall time. The difference is due to the protocol, the pipes and the process.
"""

from __future__ import annotations

import argparse
import json
import sys
from os import getuid
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from rich.console import Console
from rich.table import Table

from plyground import load_agent, load_game
from plyground.agents.agent import Limit
from plyground.programs.sandbox import process
from plyground.programs.sandbox.supervisor.system import CONFINED_BY

BOT = Path(__file__).parent.parent / "examples" / "bots" / "random_bot.py"
GAMES = ("connect_n", "tron", "sheep", "robots", "expendibots", "sheep(hidden=True)")
BOUND = 0.5
"""Milliseconds that the protocol may add to a move, at the median."""
START_BOUND = 60.0
"""Milliseconds until a bot is ready to play, at the median."""


def costs(spec: str, moves: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of so many moves of the built-in agent and of the bot."""
    game = load_game(spec)
    ours = load_agent("random")
    remote = load_agent("remote", command=f"{sys.executable} {BOT}")
    near: list[float] = []
    far: list[float] = []
    while len(far) < moves:
        position = game.start(len(far))
        seated = [remote.sit(game, seat) for seat in range(game.facts.players)]
        while not position.is_over and len(far) < moves:
            view = position.observe(position.player)
            for agent, spent in ((ours, near), (seated[position.player], far)):
                began = perf_counter()
                thought = agent.think(view, Limit(seconds=10), len(far))
                spent.append(1000 * (perf_counter() - began))
            position = position.play(thought.action)
        for each in seated:
            each.close(position.returns)
    return near, far


def starts(way: str, count: int) -> list[float]:
    """Return the milliseconds of so many starts of a bot, confined in one way."""
    game, remote = load_game("connect_n"), load_agent("remote", command=f"{sys.executable} {BOT}")
    process.confined_by = lambda: way  # type: ignore[assignment]
    spent = []
    for _ in range(count):
        began = perf_counter()
        seated = remote.sit(game, 0)
        spent.append(1000 * (perf_counter() - began))
        seated.close()
    return spent


def main() -> None:
    """Measure, print, and exit with 1 if a median is above its bound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remote", description=__doc__)
    parser.add_argument("--moves", type=int, default=1000, help="moves per game; default 1000")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    rows = []
    for spec in GAMES:
        print(spec, file=sys.stderr)
        near, far = costs(spec, given.moves)
        cost = median(theirs - own for own, theirs in zip(near, far, strict=True))
        rows.append((spec, median(near), median(far), quantiles(far, n=100)[98], cost))
    confined = process.confined_by()
    ways = [way for way in CONFINED_BY if CONFINED_BY.index(way) >= CONFINED_BY.index(confined)]
    started = {way: median(starts(way, 20)) for way in ways if way != "nothing" or getuid()}
    names = ("game", "own agent", "remote", "remote, 99%", "protocol")
    if given.json:
        moves = [dict(zip(names, row, strict=True)) for row in rows]
        print(json.dumps({"moves": moves, "start": started}, indent=2))
    else:
        table = Table(*names, title="Milliseconds per move, medians", title_justify="left")
        for spec, *figures in rows:
            table.add_row(spec, *(f"{figure:.3f}" for figure in figures))
        Console().print(table)
        for way, spent in started.items():
            print(f"start of a bot, confined by {way}: {spent:.0f} ms")
    sys.exit(any(row[-1] > BOUND for row in rows) or started[confined] > START_BOUND)


if __name__ == "__main__":
    main()
