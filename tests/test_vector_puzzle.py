"""Puzzles at once, as Gymnasium wants a vector environment to be."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from plyground import PlygroundError
from plyground.interop.gymnasium import NAME, PuzzleEnv
from plyground.interop.vector_puzzle import PuzzleVectorEnv

COUNT = 20
PUZZLES = ["robots(starts=near)", "robots(board=maze, width=8, height=8)", "robots(rounds=2)"]


class Follower(PuzzleEnv):
    """A single puzzle that begins where a row of a vector environment does."""

    def __init__(self, game, vector, row):
        super().__init__(game)
        self.vector, self.row = vector, row

    def reset(self, **asked):
        self.position = self.vector.games.position(self.row)
        return self.position.encode(), self._info()


def choose(info, random, mistakes):
    """Draw legal actions, and a share of others."""
    weights = random.random(info["action_mask"].shape) * info["action_mask"]
    others = random.integers(info["action_mask"].shape[1], size=COUNT)
    return np.where(random.random(COUNT) < mistakes, others, weights.argmax(1))


@pytest.mark.parametrize("spec", PUZZLES)
def test_it_is_what_gymnasium_makes_of_single_puzzles(spec):
    vector = gymnasium.make_vec(
        NAME, COUNT, vectorization_mode="vector_entry_point", game=spec, starts=30
    )
    assert isinstance(vector, PuzzleVectorEnv)
    observations, info = vector.reset(seed=1)
    singles = SyncVectorEnv(
        [lambda row=row: Follower(spec, vector, row) for row in range(COUNT)],
        autoreset_mode=vector.metadata["autoreset_mode"],
    )
    assert vector.metadata == singles.metadata
    assert vector.single_observation_space == singles.single_observation_space
    assert vector.observation_space == singles.observation_space
    assert vector.action_space == singles.action_space
    assert data_equivalence((observations, info), singles.reset())
    random, ends, illegal = np.random.default_rng(1), 0, 0
    for _ in range(100):
        actions = choose(info, random, mistakes=0.02)
        mine, theirs = vector.step(actions), singles.step(actions)
        assert data_equivalence(mine[:4], theirs[:4])
        observations, rewards, ended, _, info = mine
        assert info.keys() == theirs[4].keys()
        for key, value in info.items():
            if key == "final_obs":
                for one, other in zip(value, theirs[4][key], strict=True):
                    assert data_equivalence(one, other)
            else:
                assert data_equivalence(value, theirs[4][key])
        assert observations in vector.observation_space
        ends, illegal = ends + ended.sum(), illegal + (rewards == -1).sum()
    assert ends > illegal > 0


def test_gymnasiums_wrappers_and_names_work_on_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector = gymnasium.make_vec(NAME, 8, game="robots(starts=near)", starts=9)
        assert isinstance(vector, VectorEnv)
        assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        counted = RecordEpisodeStatistics(vector)
        counted.reset(seed=2)
        counted.action_space.seed(2)
        while not counted.return_queue:
            info = counted.step(counted.action_space.sample())[4]
        assert info["episode"]["l"].max() >= 1
        counted.close()


def test_a_seed_determines_the_puzzles():
    one, other = (PuzzleVectorEnv("robots(starts=near)", COUNT) for _ in range(2))
    first = one.reset(seed=3)
    assert data_equivalence(first, other.reset(seed=3))
    assert not (first[0] == other.reset(seed=4)[0]).all()
    assert one.np_random_seed == 3


def test_observations_are_copies_unless_asked_otherwise():
    kept, shared = (PuzzleVectorEnv("robots(starts=near)", 4, copy=copy) for copy in (True, False))
    for vector, same in ((kept, False), (shared, True)):
        before, info = vector.reset(seed=5)
        after = vector.step(info["action_mask"].argmax(1))
        assert np.shares_memory(before, after[0]) == same
        assert np.shares_memory(info["action_mask"], after[4]["action_mask"]) == same


def test_it_shows_boards():
    vector = PuzzleVectorEnv("robots(starts=near)", 2, render_mode="ansi")
    vector.reset(seed=6)
    assert vector.render() == tuple(str(vector.games.position(row)) for row in range(2))
    assert PuzzleVectorEnv("robots(starts=near)", 2).render() is None


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: PuzzleVectorEnv("connect_n", 2), "2 players: plyground.interop.vector"),
        (lambda: PuzzleVectorEnv("robots", 0), "count=0"),
        (lambda: PuzzleVectorEnv("robots(starts=near)", 2).step([0, 0]), "call reset"),
    ],
)
def test_wrong_use_is_one_line(ask, message):
    with pytest.raises(PlygroundError, match=message):
        ask()


def test_actions_of_a_wrong_shape_are_refused():
    vector = PuzzleVectorEnv("robots(starts=near)", 2)
    vector.reset(seed=7)
    with pytest.raises(PlygroundError, match=r"actions: int64 of shape \(3,\)"):
        vector.step([0, 0, 0])


def test_only_puzzles_need_gymnasium(fresh_python):
    code = """
import sys
sys.modules["gymnasium"] = None
from plyground.interop.vector import GameVectorEnv
GameVectorEnv("connect_n", 2).reset(seed=1)
from plyground.interop.vector_puzzle import PuzzleVectorEnv
"""
    assert "pip install 'plyground[interop]'" in fresh_python(code).stderr.splitlines()[-1]
