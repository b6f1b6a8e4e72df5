"""Pass forged words to every public call that reaches compiled code, in a separate process.

    python tests/forged_words.py COUNT SEED SPEC...

Words of real positions are mutated and passed COUNT times per game; accepted ones are used in
every possible way. Prints the number of each outcome. With `NUMBA_DISABLE_JIT=1` kernels are plain
Python, and an index outside their memory is an error even where compiled code would not crash.
"""

import json
import pickle
import sys
from random import Random

import numpy as np

from plyground import Limit, PlygroundError, Position, load_agent, load_game, perft
from plyground.compile import JIT, kind_of
from plyground.errors import BadState
from plyground.game.advice import bound, loud, order, rollout, skip, unwise
from plyground.search.playout import play_outs

EXTREMES = (0, 1, -1, 2, 7, 63, 64, 255, 256, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
AGENTS = [
    load_agent(spec)
    for spec in ("alphabeta(depth=2, quiet=2, table_bits=8)", "mcts(simulations=24, nodes=1000)")
]


# Making them ------------------------------------------------------------------------------------


def real_position(game, random):
    """Return a position of a random game, at times as a player sees it."""
    position = game.start(random.randrange(20))
    for _ in range(random.randrange(game.facts.longest)):
        if position.is_over or not position.legal_actions:
            break
        position = position.play(random.choice(position.legal_actions))
    if random.random() < 0.3:
        position = position.observe(random.randrange(game.facts.players))
    return position


def mutate(words, others, random):
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


def misshape(words, random):
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


def forged(game, random):
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


DOORS = (
    lambda game, setup, state: game.position(setup, state),
    Position,
    lambda game, setup, state: game.start().__reduce__()[0](game, (setup, state, None, 0), []),
)


# Using what is accepted -------------------------------------------------------------------------


def use(position, random):
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
    for image, actions in position.images():
        image.evaluate()
        assert sorted(actions[list(position.legal_actions)]) == list(image.legal_actions)
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


def advise(position, random):
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


def search(position, random):
    seed = random.randrange(99)
    guess = position.determinize(seed)
    play_outs(guess, 2 if JIT else 1, seed)
    if not guess.is_over:
        for agent in AGENTS:
            limit = Limit() if JIT else Limit(depth=1, simulations=2)
            thought = agent.think(position, limit, seed)
            assert thought.action in range(position.game.facts.actions)


def main(count, seed, specs):
    output = {}
    for spec in specs:
        game, random = load_game(spec), Random(seed)
        refused = accepted = 0
        for number in range(count):
            setup, state = forged(game, random)
            try:
                position = random.choice(DOORS)(game, setup, state)
            except BadState:
                refused += 1
                continue
            except PlygroundError as error:
                sys.exit(f"{spec} {number}: {type(error).__name__} where BadState was due: {error}")
            accepted += 1
            use(position, random)
        output[spec] = [refused, accepted]
    print(json.dumps(output))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
