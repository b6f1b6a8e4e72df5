"""Self-play with a network, beside the bare network and beside a peer: `-m benchmarks.training`.

Evaluations per second of Connect Four and Robot Reboot with a network of 64 channels and 6 blocks,
in batches of one group of games each: the network alone on planes that lie ready, and the same
network in self-play, without a table of evaluations. On a CPU the figures are per CPU second, on
an accelerator per second of the clock.

`--peer` compares positions per CPU second with mctx (its Gumbel search) on pgx's Connect Four: the
same network, number of games at once and simulations, and every position is learned once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from rich.table import Table

from plyground import Game, load_game
from plyground.inference import Inference
from plyground.learn.learner import Learner
from plyground.learn.network import Shape
from plyground.learn.onnx import save_onnx
from plyground.learn.recipe import PLIES, Recipe, SelfPlaySettings
from plyground.learn.samples import Batch, make_batch
from plyground.learn.selfplay import SelfPlay
from plyground.learn.sources import GROUPS, play_file
from plyground.search.forest import Evaluate, Gumbel

GAMES = {"connect_n": 32, "robots(solvable=False)": 16}
"""Games that are measured, with the simulations of a move."""
STARTS = 200
BATCH = 64
"""Positions of a training step beside the peer."""
RATE = 1e-3

Work = Callable[[], int]
"""Does a piece of work and returns how many units it was."""


def on_cpu() -> bool:
    """Return whether there is no accelerator."""
    return jax.default_backend() == "cpu"


def clock() -> float:
    """Return CPU time, or the time of day where the CPU waits for an accelerator."""
    return process_time() if on_cpu() else perf_counter()


def rate(work: Work, seconds: float) -> float:
    """Repeat work for a while; return its units per second."""
    began, done = clock(), 0
    while (used := clock() - began) < seconds:
        done += work()
    return done / used


def interleave(works: dict[str, Work], rounds: int, seconds: float) -> dict[str, float]:
    """Measure several works by turns; return the median rate of each."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds):
        for name, work in works.items():
            rates[name].append(rate(work, seconds))
            print(f"round {number + 1}: {name} {rates[name][-1]:,.0f}/s", file=sys.stderr)
    return {name: median(each) for name, each in rates.items()}


def exported(learner: Learner) -> bytes:
    """Return the learner's network as workers without the training framework get it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "network.onnx")
        save_onnx(learner.network(), path, {})
        return path.read_bytes()


def evaluator(game: Game, learner: Learner) -> Evaluate:
    """Return the network as self-play has it: on a CPU as an ONNX file."""
    if not on_cpu():
        return learner.evaluate
    with TemporaryDirectory() as folder:
        path = Path(folder, "network.onnx")
        path.write_bytes(exported(learner))
        return Inference(game, str(path)).evaluate


def bare_network(game: Game, evaluate: Evaluate, rows: int) -> Work:
    """Evaluate planes that lie ready, with the next batch on its way."""
    planes = np.zeros((rows, *game.plane_shape), np.uint16)
    entries = np.zeros((rows, game.facts.branching, game.facts.policy_parts), np.int32)
    waiting = [evaluate(planes, entries)]

    def work() -> int:
        waiting.append(evaluate(planes, entries))
        for each in waiting.pop(0):
            np.asarray(each)
        return rows

    return work


def self_play(game: Game, evaluate: Evaluate, simulations: int, given: argparse.Namespace) -> Work:
    """Play from starts that were dealt before; the units are evaluated rows."""
    dealt = [game.start(seed) for seed in range(STARTS)]
    play = SelfPlay(
        game, evaluate, games=given.games, simulations=simulations, threads=given.threads,
        rule=Gumbel(rescale=game.facts.players == 1), start=lambda seed: dealt[seed % STARTS],
        groups=given.groups,
    )  # fmt: skip

    def work() -> int:
        before = play.evaluations
        play.play(1)
        return play.evaluations - before

    return work


def throughput(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Compare self-play with the bare network."""
    for spec, simulations in GAMES.items():
        game = load_game(spec)
        evaluate = evaluator(game, Learner(Shape.of(game, given.channels, given.blocks)))
        works = {
            "network": bare_network(game, evaluate, given.games // given.groups),
            "self-play": self_play(game, evaluate, simulations, given),
        }
        for work in works.values():
            rate(work, given.seconds)  # compiled, and every game at another ply
        rates = interleave(works, given.rounds, given.seconds)
        yield {
            "game": spec, "simulations": simulations, "batch": given.games // given.groups,
            **rates, "share": rates["self-play"] / rates["network"],
        }  # fmt: skip


# The peer ----------------------------------------------------------------------------------------


def our_games(given: argparse.Namespace) -> Work:
    """Play a file of games as the workers of a training do, and learn it.

    A file is played with one network; the units are its positions.
    """
    game = load_game("connect_n")
    learner = Learner(Shape.of(game, given.channels, given.blocks))
    settings = SelfPlaySettings(games=given.games, simulations=GAMES["connect_n"])

    def work(shard: int = PLIES * given.games) -> int:
        recipe = Recipe(("connect_n",), shard=shard, selfplay=settings)
        samples = play_file(recipe, recipe.games, learner.steps, exported(learner)).samples
        rows = np.random.default_rng(learner.steps).permutation(samples.size)
        for at in range(0, samples.size - BATCH + 1, BATCH):
            part = rows[at : at + BATCH]
            learner.learn(make_batch(game, samples, part, np.zeros(BATCH, np.int64)), RATE)
        jax.block_until_ready(learner.state)  # or the other side would pay for the last steps
        return samples.size

    work(BATCH)  # compiled
    return work


def peers_games(given: argparse.Namespace) -> Work:
    """Play and learn with mctx on pgx: one compiled call per move of all games."""
    import mctx
    import pgx

    env = pgx.make("connect_four")
    step, start = jax.vmap(env.step), jax.vmap(env.init)
    game = load_game("connect_n")
    learner = Learner(Shape.of(game, given.channels, given.blocks))
    plan, shape = learner.plan, learner.shape
    entries = jnp.broadcast_to(jnp.arange(7)[None, :, None], (given.games, 7, 1))

    def evaluate(weights: Any, observation: Any) -> tuple[Any, Any]:
        from plyground.learn.network import expectation, logits_of

        planes = jnp.transpose(observation, (0, 3, 1, 2)).astype(jnp.float32)
        head, points = plan.merge(weights)(planes)
        return logits_of(head, entries), expectation(points, shape)[:, 0]

    def recurrent(weights: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
        player = state.current_player
        state = step(state, action)
        logits, value = evaluate(weights, state.observation)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        ended = state.terminated
        reward = state.rewards[jnp.arange(given.games), player]
        return mctx.RecurrentFnOutput(
            reward=reward, discount=jnp.where(ended, 0.0, -1.0), prior_logits=logits,
            value=jnp.where(ended, 0.0, value),
        ), state  # fmt: skip

    @jax.jit
    def move(weights: Any, state: Any, key: Any) -> Any:
        choose, deal = jax.random.split(key)
        logits, value = evaluate(weights, state.observation)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        found = mctx.gumbel_muzero_policy(
            weights, choose, root, recurrent, GAMES["connect_n"],
            invalid_actions=~state.legal_action_mask, max_num_considered_actions=8,
            qtransform=mctx.qtransform_completed_by_mix_value,
        )  # fmt: skip
        after = step(state, found.action)
        fresh = start(jax.random.split(deal, given.games))
        chosen = jax.tree.map(
            lambda new, old: jnp.where(
                after.terminated.reshape(-1, *[1] * (old.ndim - 1)), new, old
            ), fresh, after,
        )  # fmt: skip
        return chosen, found.action_weights, value

    key = jax.random.key(0)
    states = [start(jax.random.split(key, given.games))]
    moves = [0]

    def work() -> int:
        moves[0] += 1
        before = states[0]
        weights = learner.state.average
        states[0], policy, value = move(weights, before, jax.random.key(moves[0]))
        planes = jnp.transpose(before.observation, (0, 3, 1, 2)).astype(jnp.bfloat16)
        values = np.asarray(value)[:, None] * [1.0, -1.0]
        batch = Batch(
            np.asarray(planes).view(np.uint16), np.asarray(entries, np.int32), np.asarray(policy),
            np.asarray(before.legal_action_mask), values.astype(np.float32),
        )  # fmt: skip
        for at in range(0, given.games - BATCH + 1, BATCH):
            part = slice(at, at + BATCH)
            learner.learn(Batch(*(each[part] for each in batch)), RATE)
        jax.block_until_ready(learner.state)
        return given.games

    work()  # compiled
    return work


def beside_peer(given: argparse.Namespace) -> dict[str, Any]:
    """Compare positions per second with mctx on pgx."""
    works = {"plyground": our_games(given), "mctx with pgx": peers_games(given)}
    rates = interleave(works, given.rounds, given.seconds)
    return {**rates, "ratio": rates["plyground"] / rates["mctx with pgx"]}


def main() -> None:
    """Measure; print a table for people or JSON for machines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--peer", action="store_true", help="beside mctx with pgx instead")
    parser.add_argument("--games", type=int, default=8192, help="games at once; 8192")
    parser.add_argument("--groups", type=int, default=GROUPS, help=f"groups of games; {GROUPS}")
    parser.add_argument("--channels", type=int, default=64, help="of the network; 64")
    parser.add_argument("--blocks", type=int, default=6, help="of the network; 6")
    parser.add_argument("--threads", type=int, default=1, help="threads that grow trees; 1")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side; 3")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a turn; 5")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    rows = [beside_peer(given)] if given.peer else list(throughput(given))
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    table = Table(title=f"Per second, {jax.default_backend()}", title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            *(f"{each:,.2f}" if isinstance(each, float) else str(each) for each in row.values())
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
