"""Environments for learners at Connect Four: `python -m benchmarks.environments`.

Every side plays the same games, which are recorded before: what is measured are steps with planes,
masks, rewards and automatic resets, not the choice of actions. Batched sides use all cores.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from functools import cache, partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import WIDTH, label, left_out
from benchmarks.measure import Result, Side, Task, Work, run, show
from plyground.compile import Words
from plyground.interop.vector import Flags, GameVectorEnv

STEPS = 100
"""Steps of a recording: each row is two to ten games."""

plyground = partial(Side, "plyground", "plyground")
pgx = partial(Side, "pgx", "pgx")
pettingzoo = partial(Side, "PettingZoo", "pettingzoo")


@cache
def record(batch: int) -> tuple[Words, Flags]:
    """Play random games; return each step's actions and which games they ended."""
    games, random = GameVectorEnv("connect_n", batch), np.random.default_rng(1)
    seen, actions, ended = games.reset(seed=1), [], []
    for _ in range(STEPS):
        actions.append((random.random(seen.masks.shape, np.float32) * seen.masks).argmax(1))
        seen = games.step(actions[-1])
        ended.append(seen.ended.copy())
    return np.array(actions), np.array(ended)


def our_games(batch: int) -> Work:
    """Step all games by one call."""
    actions, _ = record(batch)
    games = GameVectorEnv("connect_n", batch)
    games.reset(seed=1)

    def work(steps: int, seed: int) -> int:
        games.reset()
        for chosen in actions[:steps]:
            games.step(chosen)
        return steps * batch

    return work


def pgx_games(batch: int) -> Work:
    """Step all games by one call of a compiled function that may overwrite the states."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    environment = pgx.make("connect_four")
    begin = jax.jit(jax.vmap(environment.init))
    step = jax.jit(jax.vmap(auto_reset(environment.step, environment.init)), donate_argnums=0)
    keys = jax.random.split(jax.random.PRNGKey(1), batch)
    recorded, ended = record(batch)
    actions = [jax.numpy.array(chosen, jax.numpy.int32) for chosen in recorded]

    def play(steps: int, see: Callable[[int, Any], None]) -> None:
        state = begin(keys)
        for number in range(steps):
            state = jax.block_until_ready(step(state, actions[number], keys))
            see(number, state)

    def compare(number: int, state: Any) -> None:
        assert (np.asarray(state.terminated) == ended[number]).all(), "other games than recorded"

    def work(steps: int, seed: int) -> int:
        play(steps, lambda number, state: None)
        return steps * batch

    play(STEPS, compare)
    return work


def pettingzoo_games(name: str, batch: int) -> Work:
    """Step one game after the other, as PettingZoo's documentation does."""
    from pettingzoo.classic.connect_four import connect_four

    environment = getattr(connect_four, name)()
    actions, _ = record(batch)

    def work(steps: int, seed: int) -> int:
        environment.reset()
        for action in actions[:steps, seed % batch].tolist():
            environment.last()
            environment.step(action)
            if environment.terminations[environment.agent_selection]:
                environment.reset()
        return steps

    return work


def task(batch: int) -> Task:
    """Make the task of stepping so many games at once, or one where a library has no more."""
    sizes = {"size": STEPS, "warm_up": STEPS}
    return Task(
        "environments",
        f"{batch:,} games at once: steps",
        plyground("GameVectorEnv", partial(our_games, batch), **sizes),
        (
            pgx("jit, vmap, auto_reset", partial(pgx_games, batch), **sizes),
            pettingzoo("connect_four_v3.env", partial(pettingzoo_games, "env", batch), **sizes),
            pettingzoo("raw_env", partial(pettingzoo_games, "raw_env", batch), **sizes),
        ),
    )


def main() -> None:
    """Measure, and print a row for each peer and batch."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environments", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often; 5 if not given")
    parser.add_argument("--batch", type=int, nargs="+", default=[4096, 16384], help="games")
    parser.add_argument("--cpu", action="store_true", help="per CPU second, on a busy machine")
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # PettingZoo warns at every reset
    clock = process_time if given.cpu else perf_counter
    results = [
        run(task(batch), given.rounds, lambda line: print(line, file=sys.stderr), clock)
        for batch in given.batch
    ]
    print_table(results, "CPU second of a core" if given.cpu else "second on all cores")
    for name, reason in left_out(results).items():
        print(f"{name} is left out: {reason}; pip install 'plyground[bench]'", file=sys.stderr)


def print_table(results: list[Result], unit: str) -> None:
    """Print the medians and their ratios."""
    table = Table(title=f"Connect Four: steps per {unit}, medians", title_justify="left")
    for heading in ("task", "plyground", "peer", "peer's figure", "ratio"):
        table.add_column(heading, justify="left" if heading in ("task", "peer") else "right")
    for result in results:
        for peer in result.peers:
            figures = show(result.figure(result.task.ours)), show(result.figure(peer))
            ratio = f"{show(result.ratio(peer))} x"
            table.add_row(result.task.title, figures[0], label(peer), figures[1], ratio)
    if table.row_count:
        Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


if __name__ == "__main__":
    main()
