"""Many games at once are the same games as one by one; wrong input never reaches compiled code."""

import os
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from plyground import PlygroundError
from plyground.arithmetic import derive_seed
from plyground.errors import GameError, IllegalActionError, OptionError
from plyground.interop.vector import ALIGNMENT, FORFEIT, GameVectorEnv

GAMES = [
    "connect_n",
    "connect_n(width=10, height=8, n=5)",
    "expendibots",
    "robots(starts=near)",
    "robots(rounds=2)",
    "sheep",
    "sheep(hidden=True)",
    "sheep(teams=True)",
    "sheep(players=2, hex=True)",
    "tron",
    "tron(simultaneous=True)",
    "tron(map=joust)",
]


def draw(batch, random):
    """Draw a legal action for each game."""
    return (random.random(batch.masks.shape, np.float32) * batch.masks).argmax(1)


def assert_shown(batch, positions):
    """Assert that a batch is what learners are to see of positions."""
    game = positions[0].game
    assert batch.players.tolist() == [position.player for position in positions]
    for mask, position in zip(batch.masks, positions, strict=True):
        assert tuple(np.flatnonzero(mask).tolist()) == position.legal_actions
    if game.kernels.encode is not None:
        seen = game.encode(position.observe(position.player) for position in positions)
        assert (batch.planes == seen).all()


def follow(games, batch, choose, steps):
    """Step the games and beside them a position for each; return how many games ended."""
    positions, ends = [games.position(row) for row in range(games.count)], 0
    assert_shown(batch, positions)
    for _ in range(steps):
        actions = choose(batch)
        batch = games.step(actions)
        positions = [
            position.play(action)
            for position, action in zip(positions, actions.tolist(), strict=True)
        ]
        over = [position.is_over for position in positions]
        assert batch.ended.tolist() == over
        assert (batch.rewards == np.float32([position.returns for position in positions])).all()
        for row in np.flatnonzero(over).tolist():
            positions[row] = games.position(row)
            assert positions[row].ply == 0
        assert (games.states() == [position.state for position in positions]).all()
        assert_shown(batch, positions)
        ends += sum(over)
    return ends


@pytest.mark.parametrize("spec", GAMES)
def test_games_at_once_are_the_same_as_one_by_one(spec):
    games, random = GameVectorEnv(spec, 70, starts=8, threads=2), np.random.default_rng(1)
    batch = games.reset(seed=1)
    steps = min(2 * games.game.facts.longest, 70)
    ends = follow(games, batch, lambda batch: draw(batch, random), steps)
    assert ends > 0 or spec == "expendibots"  # the next test ends those


def test_a_repetition_ends_a_game_without_a_winner():
    games = GameVectorEnv("expendibots", 3)
    batch, moves = games.reset(seed=0), cycle(["a2-a3", "a7-a6", "a3-a2", "a6-a7"])

    def choose(batch):
        return np.full(3, games.position(0).parse(next(moves)))

    assert follow(games, batch, choose, 12) == 3
    assert batch.ended.all()
    assert not batch.rewards.any()
    assert follow(games, batch, choose, 24) == 6  # what was before a game's start does not count


def test_a_game_of_a_users_own_needs_no_planes(example):
    games, random = GameVectorEnv(str(example), 100), np.random.default_rng(2)
    batch = games.reset(seed=2)
    assert batch.planes.shape == (100, 0, 0, 0)
    assert follow(games, batch, lambda batch: draw(batch, random), 30) > 100


@given(seed=some.integers(0, 2**64), count=some.integers(1, 200), threads=some.integers(1, 5))
def test_a_seed_determines_all_whatever_the_threads(seed, count, threads):
    one = GameVectorEnv("tron(map=room, width=7, obstacles=9)", count, starts=5, threads=1)
    other = GameVectorEnv(one.game, count, starts=5, threads=threads)
    mine, same = one.reset(seed), other.reset(seed)
    random = np.random.default_rng(seed)
    for _ in range(60):
        for left, right in zip(mine, same, strict=True):
            assert (left == right).all()
        actions = draw(mine, random)
        mine, same = one.step(actions), other.step(actions)


def test_new_games_begin_at_the_starts_of_the_seed():
    games, random = GameVectorEnv("robots(starts=near)", 64, starts=6), np.random.default_rng(3)
    batch, begun = games.reset(seed=3), set()
    known = {games.game.start(derive_seed(3, number)) for number in range(6)}
    assert len(known) == 6
    for _ in range(100):
        rows = range(64) if not begun else np.flatnonzero(batch.ended).tolist()
        begun |= {games.position(row) for row in rows}
        batch = games.step(draw(batch, random))
    assert begun == known
    again = games.reset()
    assert {games.position(row) for row in range(64)} <= known
    assert not again.ended.any()
    games.reset(seed=4)
    assert not {games.position(row) for row in range(64)} & known


def test_the_last_positions_of_ended_games_can_be_seen():
    games, random = GameVectorEnv("connect_n", 100), np.random.default_rng(4)
    batch = games.reset(seed=4)
    while not batch.ended.any():
        before, actions = [games.position(row) for row in range(100)], draw(batch, random)
        batch = games.step(actions)
    rows = np.flatnonzero(batch.ended).tolist()
    last = [before[row].play(int(actions[row])) for row in rows]
    assert (games.last_planes() == games.game.encode(last)).all()
    batch.ended[:] = True  # a caller may write there: nothing relies on it
    assert len(games.last_planes()) == len(rows)


def test_who_forfeits_gets_minus_one_and_a_new_game_begins():
    games = GameVectorEnv("sheep", 4)
    games.reset(seed=5)
    batch = games.step([FORFEIT, games.position(1).legal_actions[0], FORFEIT, FORFEIT])
    assert batch.ended.tolist() == [True, False, True, True]
    assert batch.rewards.tolist() == [[-1, 0, 0, 0], [0] * 4, [-1, 0, 0, 0], [-1, 0, 0, 0]]
    assert batch.players.tolist() == [0, 1, 0, 0]
    batch = games.step([games.position(row).legal_actions[0] for row in range(4)])
    assert not batch.rewards.any()
    assert not batch.ended.any()


def test_arrays_are_the_same_memory_after_every_step_and_go_by_dlpack():
    games, random = GameVectorEnv("connect_n", 128), np.random.default_rng(6)
    first = games.reset(seed=6)
    second = games.step(draw(first, random))
    for mine, same in zip(first, second, strict=True):
        assert np.shares_memory(mine, same)
        assert mine.ctypes.data % ALIGNMENT == 0
        handed = np.from_dlpack(mine)
        assert np.shares_memory(handed, mine)


def test_jax_takes_planes_and_masks_without_a_copy():
    jax = pytest.importorskip("jax")
    games = GameVectorEnv("connect_n", 128)
    batch = games.reset(seed=7)
    for array in (batch.planes, batch.masks, batch.rewards):
        taken = jax.dlpack.from_dlpack(array)
        assert taken.dtype == array.dtype
        assert np.shares_memory(np.asarray(taken), array)
    actions = jax.numpy.argmax(jax.dlpack.from_dlpack(batch.masks), 1)
    assert games.step(actions).players.all()


ACTIONS = {
    "a list of another length": ([0, 0, 0], r"int64 of shape \(3,\); integers of shape \(4,\)"),
    "a matrix": (np.zeros((4, 1), np.int64), r"int64 of shape \(4, 1\); integers"),
    "one number": (3, r"int64 of shape \(\); integers"),
    "floats": (np.zeros(4), r"float64 of shape \(4,\); integers"),
    "flags": (np.zeros(4, np.bool_), r"bool of shape \(4,\); integers"),
    "words that do not fit": (np.full(4, 2**64 - 1, np.uint64), r"uint64 of shape \(4,\); int"),
    "objects": ([None] * 4, r"object of shape \(4,\); integers"),
    "an action there is not": ([0, 0, 7, 8], r"^game 2: action 7 is not legal in connect_n at "),
    "a negative action": ([0, -2, 0, 0], r"^game 1: action -2 is not legal"),
    "a column that is full": (
        [0, 0, 0, 3],
        r"^game 3: action 3 is not legal .*; legal: 0, 1, 2, 4, 5, 6",
    ),
}


@pytest.mark.parametrize("why", ACTIONS)
def test_wrong_actions_are_refused_before_anything_is_played(why):
    actions, message = ACTIONS[why]
    games = GameVectorEnv("connect_n", 4)
    games.reset(seed=8)
    for _ in range(6):
        batch = games.step([3] * 4)
    before, planes = games.states(), batch.planes.copy()
    with pytest.raises(PlygroundError, match=message) as raised:
        games.step(actions)
    assert "\n" not in str(raised.value)
    assert (games.states() == before).all()
    assert (batch.planes == planes).all()


def test_what_a_caller_writes_into_the_arrays_does_no_harm():
    games, random = GameVectorEnv("sheep(hidden=True)", 20), np.random.default_rng(9)
    batch = games.reset(seed=9)
    illegal = batch.masks.argmin(1)
    for array in batch:
        array[:] = 1
    with pytest.raises(IllegalActionError, match=f"game 0: action {illegal[0]} is not legal"):
        games.step(illegal)
    batch = games.step([games.position(row).legal_actions[0] for row in range(20)])
    assert follow(games, batch, lambda batch: draw(batch, random), 70) > 0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: GameVectorEnv("connect_n", 0), "count=0: a whole number, at least 1"),
        (lambda: GameVectorEnv("connect_n", 4, starts=-1), "starts=-1: "),
        (lambda: GameVectorEnv("connect_n", 4, threads=0), "threads=0: "),
        (lambda: GameVectorEnv("connect_n", 1.5), "count=1.5: "),
        (lambda: GameVectorEnv("conect_n", 4), "did you mean 'connect_n'"),
        (lambda: GameVectorEnv("connect_n", 4).step([0] * 4), "call reset before"),
        (lambda: GameVectorEnv("connect_n", 4).position(0), "call reset before"),
    ],
)
def test_wrong_use_is_one_line(ask, message):
    with pytest.raises(PlygroundError, match=message):
        ask()


def test_a_game_that_is_over_at_its_start_is_refused(tic_tac_toe):
    class Finished(type(tic_tac_toe)):
        name = "finished"

        def begin(self, seed):
            return [self.width, self.height, self.row], [9, 1, 0b111, 0b111000]

    with pytest.raises(GameError, match="finished: the game is over at its start"):
        GameVectorEnv(Finished(), 2).reset()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_steps_on_without_its_parents_threads(fresh_python):
    code = """
import os
import numpy as np
from plyground.interop.vector import GameVectorEnv
games = GameVectorEnv("connect_n", 4096, threads=2)
games.reset(seed=1)
for _ in range(5):
    games.step(np.zeros(4096, np.int64))
if os.fork():
    print(os.waitstatus_to_exitcode(os.wait()[1]))
else:
    os._exit(not games.step(np.zeros(4096, np.int64)).planes.sum() == 6 * 4096)
"""
    assert fresh_python(code).stdout == "0\n"


def test_a_row_that_is_not_there_is_named():
    games = GameVectorEnv("connect_n", 4)
    games.reset()
    for row in (-1, 4):
        with pytest.raises(OptionError, match=f"game {row}: this environment has games 0 to 3"):
            games.position(row)


def test_it_works_without_the_compiler(fresh_python):
    code = """
import numpy as np
from plyground.interop.vector import GameVectorEnv
games, random = GameVectorEnv("expendibots", 3), np.random.default_rng(1)
batch = games.reset(seed=1)
for _ in range(20):
    batch = games.step((random.random(batch.masks.shape) * batch.masks).argmax(1))
print(games.states().sum(), batch.planes.sum())
"""
    plain, compiled = (fresh_python(code, NUMBA_DISABLE_JIT=off) for off in ("1", "0"))
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == compiled.stdout
