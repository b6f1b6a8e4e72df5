"""Forged words, texts and arguments through every public call that reaches compiled code.

The doors of `benchmarks.forged` for each of some games. What a door accepts is used in every
possible way. `python -m benchmarks.forged_positions COUNT SPEC...` lets a few cases through those
of some games in one process and prints how many were refused and accepted. With
`NUMBA_DISABLE_JIT=1` kernels are plain Python, and an index outside their memory is an error even
where compiled code would not crash.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from plyground import Game, Limit, PlygroundError, Position, load_agent, load_game, perft
from plyground.compile import JIT, kind_of
from plyground.game.advice import bound, loud, order, rollout, skip, unwise
from plyground.game.mutants import mutated
from plyground.game.symmetry import image, image_actions
from plyground.interop.vector import FORFEIT, GameVectorEnv
from plyground.search.playout import play_outs, random_line

EXAMPLES = Path(__file__).parents[1] / "examples"
GAMES = (
    "connect_n", "connect_n(width=16, height=16, n=5)", "connect_n(width=1)",
    "tron", "tron(map=divider)", "tron(map=small_room, simultaneous=True)",
    "sheep", "sheep(hidden=True)", "sheep(hex=True, teams=True)",
    "sheep(hidden=True, players=3, size=3, cells=9, sheep=4)",
    "robots", "robots(board=maze, width=4, height=5, robots=2)",
    "robots(board=maze, width=32, height=6, robots=8)",
    "robots(rounds=3, board=maze, width=5, height=5, robots=2, cap=4)", "robots(rounds=2)",
    "expendibots", str(EXAMPLES / "othello.py"), str(EXAMPLES / "tic_tac_toe.py"),
)  # fmt: skip
"""The last one has no text of its own, so that no words of it are accepted."""

EXTREMES = (0, 1, -1, 2, 7, 63, 64, 255, 256, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
ODD = (
    *EXTREMES, 2**63, 10**30, -(10**30), 0.5, -0.0, 1e300, float("nan"), float("inf"), True, None,
    "", "0", "a1", "skip", "\x00", b"0", [], [0], (0, 1), {}, np.int64(1), np.uint8(1),
    np.float32(1), np.array(1), np.array([0]), np.array([1.5]), np.array([0, 1]), np.bool_(True),
    np.zeros((40, 3)), object(),
)  # fmt: skip
"""What may come in the place of an action, a player, a seed or a number."""

Door = Callable[[Random], None]
"""Takes the case of a random stream; raises PlygroundError where it is refused."""

AGENTS = [
    load_agent(spec)
    for spec in ("alphabeta(depth=2, quiet=2, table_bits=8)", "mcts(simulations=24, nodes=1000)")
]


# Making them ------------------------------------------------------------------------------------


def real_position(game: Game, random: Random) -> Position:
    """Return a position of a random game, at times as a player sees it."""
    position = game.start(random.randrange(20))
    for _ in range(random.randrange(game.facts.longest)):
        if position.is_over or not position.legal_actions:
            break
        position = position.play(random.choice(position.legal_actions))
    if random.random() < 0.3:
        position = position.observe(random.randrange(game.facts.players))
    return position


def mutate(words: Any, others: Any, random: Random) -> Any:
    """Return a copy of words with one or a few of them changed."""
    words = words.copy()
    for _ in range(random.choice((1, 1, 1, 2, 5)) if len(words) else 0):
        at = random.randrange(len(words))
        word = int(words[at])
        words[at] = random.choice(
            (
                random.choice(EXTREMES),
                random.randrange(-4, 40),
                random.choice((word, -word, ~word)) if word > -(2**63) else 0,
                (word ^ 1 << random.randrange(63)),
                min(max(word + random.choice((-1, 1)), -(2**63)), 2**63 - 1),
                int(others[random.randrange(len(others))]),
            )
        )
    return words


def misshape(words: Any, random: Random) -> Any:
    """Return words of a wrong number, type or memory layout."""
    return random.choice(
        (
            words[:-1],
            words[:0],
            np.append(words, 0),
            np.tile(words, 2),
            words.reshape(1, -1),
            words.astype(np.float64),
            words.astype(np.uint64),
            words.astype(np.int8).astype(">i2"),
            [*words.tolist()[:-1], 2**63],
            [*words.tolist()[:-1], "0"],
            [None] * len(words),
            None,
            "words",
            np.repeat(words, 2)[::2],  # the right number and type, but not contiguous
            np.ascontiguousarray(words[::-1])[::-1],
            tuple(words.tolist()),
        )
    )


def forged(game: Game, random: Random) -> tuple[Any, Any]:
    """Return a setup and a state that may or may not belong to a valid position."""
    one, other = real_position(game, random), real_position(game, random)
    setup, state = one.setup, one.state
    chance = random.random()
    if chance < 0.35:
        state = mutate(state, other.state, random)
    elif chance < 0.6:
        setup = mutate(setup, other.setup, random)
    elif chance < 0.7:
        setup, state = mutate(setup, other.setup, random), mutate(state, other.state, random)
    elif chance < 0.8:
        state = other.state  # of another start, or of this one
    elif chance < 0.9:
        setup = misshape(setup, random)
    else:
        state = misshape(state, random)
    return setup, state


def odd_arrays(shape: Sequence[int], random: Random) -> Any:
    """Return an array, or what stands in its place, of odd numbers, types and shapes."""
    numbers = np.array([random.choice(EXTREMES) for _ in range(int(np.prod(shape)))], np.int64)
    whole = numbers.reshape(shape)
    if random.random() < 0.5:
        return whole if random.random() < 0.5 else np.clip(whole, 0, 3)
    return misshape(whole, random)


# Using what is accepted -------------------------------------------------------------------------


def use(position: Position, random: Random) -> None:
    """Call every method of a position, and play from it."""
    game, facts = position.game, position.game.facts
    again = game.parse(position.to_text())
    assert again == position
    assert pickle.loads(pickle.dumps(position)) == position
    str(position)
    position._repr_svg_()
    for each in game.evaluators:
        position.evaluate(each.name)
    for player in range(facts.players):
        position.encode(player)
    for mirrored, actions in position.images():
        mirrored.evaluate()
        assert sorted(actions[list(position.legal_actions)]) == list(mirrored.legal_actions)
    assert np.array_equal(game.encode([position])[0], position.encode())
    assert game.policy_indices(position).max(initial=0) < np.prod(facts.policy)
    for action in position.legal_actions:
        game.clicks(position, action)
    for player in range(facts.players) if facts.hidden else ():
        if position.observer in (None, player):
            search(position.observe(player), random)
    if position.observer is None:
        search(position, random)
        if position.legal_actions:
            advise(position, random)
            position.play(random.choice(position.legal_actions)).evaluate()
            perft(position, 1 + (len(position.legal_actions) < 20))


def advise(position: Position, random: Random) -> None:
    """Call all advice kernels of the game."""
    action = random.choice(position.legal_actions)
    ask = {
        "order": lambda name: order(position, action, name),
        "unwise": lambda name: unwise(position, action, name),
        "loud": lambda name: loud(position, name),
        "rollout": lambda name: rollout(position, random.randrange(99), name),
        "bound": lambda name: bound(position, name),
        "skip": lambda name: skip(position, name),
    }
    for each in position.game.advice:
        ask[kind_of(each)](each.__name__)


def search(position: Position, random: Random) -> None:
    """Search with the agents, and play out."""
    seed = random.randrange(99)
    guess = position.determinize(seed)
    play_outs(guess, 2 if JIT else 1, seed)
    if not guess.is_over:
        for agent in AGENTS:
            limit = Limit() if JIT else Limit(depth=1, simulations=2)
            thought = agent.think(position, limit, seed)
            assert thought.action in range(position.game.facts.actions)


# The doors ----------------------------------------------------------------------------------------


def words(game: Game) -> Door:
    """Words of setup and state."""
    made = game.start().__reduce__()[0]
    doors = (
        game.position,
        lambda setup, state: Position(game, setup, state),
        lambda setup, state: made(game, (setup, state, None, 0), []),
    )

    def enter(random: Random) -> None:
        use(random.choice(doors)(*forged(game, random)), random)

    return enter


def rows_of_words(game: Game) -> Door:
    """Matrices of setups and states, to be encoded."""

    def enter(random: Random) -> None:
        setup, state = forged(game, random)
        real = real_position(game, random)
        rows = [[real.state, state], [state], [real.state] * 2][random.randrange(3)]
        setups = random.choice((setup, [setup], [setup] * 2, [real.setup, setup]))
        players = random.choice((None, None, [0], [0, 1], [random.choice(ODD)] * len(rows)))
        make = random.choice((np.array, np.array, list))
        try:
            given = make(setups), make(rows)
        except (ValueError, TypeError):  # neither can be made of them
            given = setups, rows
        planes = game.encode_states(*given, players)
        assert planes.shape == (len(rows), *game.plane_shape)

    return enter


def texts(game: Game) -> Door:
    """Texts of positions."""

    def enter(random: Random) -> None:
        one, other = real_position(game, random), real_position(game, random)
        use(game.parse(mutated(one.to_text(), other.to_text(), random)), random)

    return enter


def arguments(game: Game) -> Door:
    """Numbers and objects in the place of actions, players, symmetries, seeds and counts."""
    advised = {kind_of(each): each.__name__ for each in game.advice}
    calls: list[Callable[[Position, Any, Random], Any]] = [
        lambda position, odd, _: position.play(odd),
        lambda position, odd, _: position.replay(odd),
        lambda position, odd, _: position.observe(odd),
        lambda position, odd, _: position.encode(odd),
        lambda position, odd, _: image(position, odd),
        lambda position, odd, _: image_actions(position, odd),
        lambda position, odd, _: position.evaluate(odd if isinstance(odd, str) else ""),
        lambda position, odd, random: perft(position, random.choice((1, *ODD[17:]))),
        lambda position, odd, random: play_outs(position, random.choice((1, *ODD[17:])), 1),
        lambda position, odd, _: play_outs(position, 1, odd if isinstance(odd, int) else 0),
        lambda position, odd, _: random_line(position, odd if isinstance(odd, int) else 0),
        lambda position, odd, _: position.parse(odd if isinstance(odd, str) else str(odd)),
        lambda position, odd, _: order(position, odd) if "order" in advised else None,
        lambda position, odd, _: unwise(position, odd) if "unwise" in advised else None,
        lambda position, odd, random: position.game.encode_states(
            position.setup, position.state[np.newaxis], random.choice((odd, [odd]))
        ),
    ]

    def enter(random: Random) -> None:
        position, odd = real_position(game, random), random.choice(ODD)
        found = random.choice(calls)(position, odd, random)
        if isinstance(found, Position):
            use(found, random)

    return enter


def environments(game: Game) -> Door:
    """Actions of many games at once."""
    many = GameVectorEnv(game, 3, starts=4, threads=1)
    many.reset(1)

    def enter(random: Random) -> None:
        if random.random() < 0.3:
            many.reset(random.randrange(99))
        actions = [many.position(row).legal_actions[0] for row in range(3)]
        if random.random() < 0.5:
            given: Any = odd_arrays((3,), random)
        else:
            actions[random.randrange(3)] = random.choice((FORFEIT, *ODD[:14]))
            given = actions
        many.are_legal(given)
        many.step(given)
        many.last_planes()
        assert min(many.states().shape) >= 0

    return enter


KINDS: tuple[Callable[[Game], Door], ...] = (
    words, rows_of_words, texts, arguments, environments,
)  # fmt: skip


def _opened(kind: Callable[[Game], Door], spec: str, folder: Path) -> Door:
    """Return a door of a game whose kernels have been loaded."""
    game, random = load_game(spec), Random(0)
    for _ in range(3):
        use(real_position(game, random), random)
    return kind(game)


DOORS: dict[str, Callable[[Path], Door]] = {
    f"{kind.__name__} of {Path(spec).stem}": partial(_opened, kind, spec)
    for spec in GAMES
    for kind in KINDS
}
"""As in `benchmarks.forged`, which takes these doors too."""


def main() -> None:
    """Let cases through all doors of some games in this process, and print what came of them."""
    count, specs = int(sys.argv[1]), sys.argv[2:]
    found = {}
    for spec in specs:
        for kind in KINDS:
            enter, refused = kind(load_game(spec)), 0
            for case in range(count):
                try:
                    enter(Random(f"{kind.__name__} {spec} {case}"))
                except PlygroundError:
                    refused += 1
            found[f"{kind.__name__} of {spec}"] = refused, count - refused
    print(json.dumps(found))


if __name__ == "__main__":
    main()
