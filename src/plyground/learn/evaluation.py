"""Training of the small networks that serve as heuristics inside compiled searches.

The label of a position is a mean of the search's value and the game's result, both from the view of
the player to move. A hand-made heuristic's values are no expected results: they are first scaled by
the number that predicts the results best.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import typer
from numpy.typing import NDArray

from plyground.agents import load_agent
from plyground.agents.alphabeta import AlphaBeta
from plyground.arithmetic import derive_seed
from plyground.compile import Planes, Reals, Words, call_encode, call_image, call_player, loop
from plyground.errors import OptionError, PlygroundError
from plyground.game import Game
from plyground.game.neural import ROWS, UNITS, NeuralEvaluator, load_weights, save_weights
from plyground.games import load_game
from plyground.learn.examples import Examples, play_examples
from plyground.processes import end_executor, new_executor

CHUNK = 8192
"""Positions whose inputs are looked at together."""

TESTED = 20
"""One of so many games is kept for the test."""

SYMMETRIES = 8
"""A multiple of the symmetries of every game."""

SCALES = np.geomspace(0.25, 32, 29)
"""Scales of search values that are tried."""


class Recipe(NamedTuple):
    """How a network is trained."""

    epochs: int = 12
    batch: int = 4096
    rate: float = 6e-3
    search_share: float = 0.7
    """The share of the search's value in a label; the rest is the game's result."""
    seed: int = 0


class Progress(NamedTuple):
    """Mean squared errors after an epoch."""

    epoch: int
    training: float
    test: float
    """On games that are not trained on; the test's labels are the games' results alone."""


@loop("none(rules, setups, words, states, words, planes2)")
def _write_inputs(rules, setups, games, states, symmetries, out):  # type: ignore[no-untyped-def]
    """Write the inputs of positions, each under a symmetry."""
    setup, state = np.empty(setups.shape[1], np.int64), np.empty(states.shape[1], np.int64)
    for row in range(len(states)):
        original = setups[games[row]]
        if symmetries[row] > 0:
            call_image(rules, original, states[row], symmetries[row], setup, state)
        else:
            setup[:] = original
            state[:] = states[row]
        call_encode(rules, setup, state, call_player(rules, setup, state), out[row])


class Lesson(NamedTuple):
    """Examples of one variant of a game."""

    game: Game
    examples: Examples

    def inputs(self, evaluator: type[NeuralEvaluator], rows: Words, symmetries: Words) -> Planes:
        """Return the inputs of some of the examples, one row each, seen under symmetries."""
        game, examples = self
        out = np.zeros((len(rows), evaluator.input_count), np.float32)
        games = examples.game[rows].astype(np.int64)
        rules = game.rules(None, evaluator.inputs, game.kernels.image)
        symmetries = symmetries % game.facts.symmetries
        _write_inputs(rules, examples.setups, games, examples.states[rows], symmetries, out)
        return out

    def valued(self, evaluator: type[NeuralEvaluator]) -> Self:
        """Return the lesson without positions that have no inputs: no network values these."""
        rows = np.arange(len(self.examples.game))
        parts = np.array_split(rows, len(rows) // CHUNK + 1)
        kept = [self.inputs(evaluator, part, 0 * part).any(axis=1) for part in parts]
        return self._replace(examples=self.examples.chosen(np.concatenate(kept)))

    def labels(self, search_share: float) -> NDArray[np.float32]:
        """Return the label of each example; the rest of it is the game's result."""
        values, results = self.examples.values, self.examples.results
        return search_share * expected(values, results) + (1 - search_share) * results


def expected(values: NDArray[np.float32], results: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return search values as expected results; those at the ends stay: they are proved."""
    proved = np.abs(values) >= 1
    open_values, open_results = values[~proved], results[~proved]
    errors = [np.square(np.tanh(scale * open_values) - open_results).mean() for scale in SCALES]
    best = np.float32(SCALES[int(np.argmin(errors))])
    return np.where(proved, values, np.tanh(best * values))


def _answer(weights: Any, inputs: Any) -> Any:
    sums = inputs @ weights[ROWS // UNITS :] + weights[1]
    hidden = jnp.clip(sums[:, 1:], 0, 1)
    return jnp.tanh(sums[:, 0] + hidden @ weights[0, 1:])


def _random_weights(evaluator: type[NeuralEvaluator], random: np.random.Generator) -> Reals:
    weights = random.normal(0, 0.1, (evaluator.input_count + ROWS // UNITS, UNITS))
    weights[1] = 0.25  # within the slope of the clipped units
    weights[:, 0] = 0.0
    return weights


def train(
    lessons: Sequence[Lesson],
    evaluator: type[NeuralEvaluator],
    recipe: Recipe,
    report: Callable[[Progress], None],
    start: Reals | None = None,
) -> Reals:
    """Return the weights of a network trained on examples: a matrix, as `save_weights` takes it.

    Training begins with the weights `start`, or with random ones.
    """
    random = np.random.default_rng(recipe.seed)
    weights = jnp.asarray(
        _random_weights(evaluator, random) if start is None else start, jnp.float32
    )
    lesson_of = np.repeat(np.arange(len(lessons)), [len(each.examples.game) for each in lessons])
    row_of = np.concatenate([np.arange(len(each.examples.game)) for each in lessons])
    labels = np.concatenate([each.labels(recipe.search_share) for each in lessons])
    results = np.concatenate([each.examples.results for each in lessons])
    kept = np.concatenate([each.examples.game % TESTED == 0 for each in lessons])
    trained, tested = np.flatnonzero(~kept), np.flatnonzero(kept)
    steps = recipe.epochs * (len(trained) // recipe.batch)
    optimizer = optax.adamw(optax.cosine_decay_schedule(recipe.rate, steps), weight_decay=1e-4)
    state = optimizer.init(weights)

    def inputs_of(chosen: Words, symmetries: Words) -> Planes:
        out = np.zeros((len(chosen), evaluator.input_count), np.float32)
        for number, lesson in enumerate(lessons):
            own = lesson_of[chosen] == number
            out[own] = lesson.inputs(evaluator, row_of[chosen[own]], symmetries[own])
        return out

    @jax.jit
    def step(weights: Any, state: Any, inputs: Any, labels: Any) -> Any:
        def loss(weights: Any) -> Any:
            return jnp.square(_answer(weights, inputs) - labels).mean()

        error, slope = jax.value_and_grad(loss)(weights)
        update, state = optimizer.update(slope, state, weights)
        return jnp.clip(optax.apply_updates(weights, update), -100, 100), state, error

    answer = jax.jit(_answer)
    for epoch in range(recipe.epochs):
        errors = []
        order = random.permutation(trained)
        for begin in range(0, len(order) - recipe.batch + 1, recipe.batch):
            chosen = order[begin : begin + recipe.batch]
            inputs = inputs_of(chosen, random.integers(SYMMETRIES, size=len(chosen)))
            weights, state, error = step(weights, state, inputs, labels[chosen])
            errors.append(error)
        wrong = [
            np.square(answer(weights, inputs_of(chosen, np.zeros_like(chosen))) - results[chosen])
            for chosen in np.array_split(tested, max(1, len(tested) // recipe.batch))
        ]
        report(Progress(epoch + 1, float(np.mean(errors)), float(np.mean(np.concatenate(wrong)))))
    return np.asarray(weights, np.float64)


# The whole course: games by the teacher, then games by the network itself -------------------------


class Task(NamedTuple):
    """A part of the games of one generation."""

    game: str
    agent: str
    positions: int
    seed: int
    longest: int | None


def _play(task: Task) -> Examples:
    game, agent, positions, seed, longest = task
    return play_examples(load_game(game), _searching(agent), positions, seed, longest)


def _searching(spec: str) -> AlphaBeta:
    agent = load_agent(spec)
    if not isinstance(agent, AlphaBeta):
        raise OptionError(f"{spec}: an evaluation is learned from the agent alphabeta")
    return agent


def lessons_by(
    evaluator: type[NeuralEvaluator], agent: str, positions: int, seed: int, workers: int
) -> list[Lesson]:
    """Return about as many positions of an agent's games, from all variants of the game."""
    parts = len(evaluator.variants) * workers
    count = -(-positions // parts)
    tasks = [
        Task(evaluator.variants[part % len(evaluator.variants)], agent, count,
             derive_seed(seed, part), evaluator.longest)
        for part in range(parts)
    ]  # fmt: skip
    for game in set(evaluator.variants):  # compiled here, once for all workers
        _play(Task(game, agent, 1, 0, evaluator.longest))
    executor = new_executor(workers)
    try:
        made = zip(tasks, executor.map(_play, tasks), strict=True)
        return [Lesson(load_game(task.game), part).valued(evaluator) for task, part in made]
    finally:
        end_executor(executor)


def main(
    name: Annotated[str, typer.Argument(metavar="GAME", help="A game with a neural evaluation.")],
    out: Annotated[Path, typer.Option(help="File of weights to write.")],
    positions: Annotated[int, typer.Option(min=10_000, help="Positions per generation.")] = 500_000,
    generations: Annotated[
        int, typer.Option(min=1, help="After the first, the network plays.")
    ] = 2,
    share: Annotated[float, typer.Option(min=0, max=1, help="Weight of search values.")] = 0.7,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the positions.")] = 12,
    rate: Annotated[float, typer.Option(min=0, help="Learning rate at the start.")] = Recipe().rate,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Plies of the searches; by default the teacher's.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Weights to go on from; their network plays, no teacher.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
) -> None:
    """Train the evaluation `neural` of a game on games of shallow searches.

    The first generation's games are the teacher's, or those of the network to go on from; later
    ones are played by the network so far, which then learns from all games again.
    """
    game = load_game(name)
    evaluator = next((each for each in game.evaluators if issubclass(each, NeuralEvaluator)), None)
    if evaluator is None:
        raise OptionError(f"{game}: none of its evaluators is a NeuralEvaluator")
    teacher = _searching(evaluator.teacher)
    if depth is not None:
        teacher = replace(teacher, depth=depth)
    weights = None if start is None else load_weights(start, evaluator.input_count)
    lessons: list[Lesson] = []
    for generation in range(generations):
        playing = out if generation else start
        agent = repr(teacher if playing is None else _played_by(evaluator, teacher, playing))
        lessons += lessons_by(evaluator, agent, positions, derive_seed(seed, generation), workers)
        print(f"generation {generation + 1}: {agent}")
        recipe = Recipe(epochs=epochs, rate=rate, search_share=share, seed=seed)
        save_weights(out, train(lessons, evaluator, recipe, print, weights))


def _played_by(evaluator: type[NeuralEvaluator], agent: AlphaBeta, weights: Path) -> AlphaBeta:
    """Return the agent with a network as its heuristic."""
    return replace(agent, evaluate=repr(evaluator.make({"weights": str(weights.resolve())})))


if __name__ == "__main__":
    try:
        typer.run(main)
    except PlygroundError as error:
        sys.exit(f"error: {error}")
