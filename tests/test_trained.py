"""Agents that play with trained networks: weights, identities, search, installed packages."""

import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
pytest.importorskip("onnx", reason="the package onnx is not installed")

from tiny_networks import save, tiny_network

from plyground import load_agent, load_game, play_game
from plyground.agents.trees import Statistics
from plyground.errors import CannotPlayError, OptionError, UnknownNameError
from plyground.game.advice import bound
from plyground.inference import shipped
from plyground.search.bestfirst import BestFirst

ROOT = Path(__file__).parent.parent
DIGEST = "@[0-9a-f]{8}"
STAMPED = rf"weights='robots\.onnx{DIGEST}'"


@pytest.fixture(scope="module")
def robots():
    return load_game("robots")


# Names and files ---------------------------------------------------------------------------------


def test_a_network_is_known_by_its_name_and_by_its_file(robots, tmp_path):
    copy = shutil.copy(shipped("robots"), tmp_path)
    start = robots.start(3)
    thoughts = [
        load_agent(f"network(weights={weights!r})").think(start) for weights in ("robots", copy)
    ]
    assert thoughts == [load_agent("network").think(start)] * 2


def test_the_file_of_weights_is_part_of_the_identity(robots, tmp_path, monkeypatch):
    (tmp_path / "robots").mkdir()  # a folder of the same name is not meant
    monkeypatch.chdir(tmp_path)
    shutil.copy(shipped("robots"), tmp_path)
    identities = {
        load_agent(f"alphazero(evaluations=8, weights='{weights}')").identity(robots)
        for weights in ("", "robots", "robots.onnx")
    }
    (identity,) = identities
    assert re.fullmatch(rf"alphazero\({STAMPED}, evaluations=8\)", identity)
    tic_tac_toe = load_game(str(ROOT / "examples" / "tic_tac_toe.py"))
    assert load_agent("alphazero").identity(tic_tac_toe) == "alphazero"  # it has no network
    save(tiny_network(robots), tmp_path / "robots.onnx")
    edited = load_agent("alphazero(evaluations=8, weights='robots.onnx')")
    assert edited.identity(robots) not in identities


def test_a_record_identifies_the_network(robots):
    record = play_game(robots, ["network"])
    assert re.fullmatch(rf"network\({STAMPED}\)", record.identities[0])


def test_a_game_without_a_network_is_told_which_have_one():
    with pytest.raises(CannotPlayError, match=r"comes with tic.*FILE\.onnx.*robots"):
        load_agent("network").prepare(load_game(str(ROOT / "examples" / "tic_tac_toe.py")))


def test_unknown_weights_are_refused_in_one_line(robots, connect_four, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'robots'"):
        load_agent("network(weights='robot')").prepare(robots)
    with pytest.raises(OptionError, match="no file"):
        load_agent("network(weights='none.onnx')").prepare(robots)
    with pytest.raises(
        CannotPlayError, match=r"robots\.onnx does not fit .*8 x 16 x 16.*2 x 6 x 7"
    ):
        load_agent("network(weights='robots')").prepare(connect_four)
    with pytest.raises(CannotPlayError, match="does not fit"):
        load_agent("alphazero").prepare(load_game("robots(rounds=2)"))


def test_a_network_for_any_board_plays_on_other_boards():
    game = load_game("robots(board=maze, width=8, height=6, robots=2)")
    assert play_game(game, ["network"]).actions


def test_without_the_runtime_it_is_said_what_to_install(connect_four, tmp_path, monkeypatch):
    weights = save(tiny_network(connect_four), tmp_path / "new.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(CannotPlayError, match=r'ONNX Runtime: pip install "plyground\[play\]"'):
        load_agent(f"network(weights={weights!r})").prepare(connect_four)


# From move to move -------------------------------------------------------------------------------


class Guide:
    """A network's answers without a network: the bound as the value, all moves equally likely."""

    def __init__(self):
        self.asked = []

    def __call__(self, positions):
        self.asked += positions
        longest = positions[0].game.facts.longest
        plies = [position.ply + bound(position) for position in positions]
        policy = [1 / len(position.legal_actions) for position in positions]
        rows = np.zeros((len(positions), positions[0].game.facts.branching))
        rows[:] = np.array(policy)[:, np.newaxis]
        return 1 - 2 * np.array(plies) / longest, rows


def solve(game, start, evaluations):
    """Play a puzzle by best-first search; return its end, all questions, and those per move."""
    guide, position, per_move = Guide(), start, []
    lines = BestFirst(start, guide)
    while not position.is_over:
        lines.plant(position)
        while lines.evaluations < evaluations and not lines.is_done:
            lines.grow(min(4, evaluations - lines.evaluations))
        per_move.append(lines.evaluations)
        position = position.play(lines.best()[0][0])
    return position, guide.asked, per_move


def test_a_search_goes_on_from_move_to_move(robots):
    """The moves of a game share its questions, and ask none in vain."""
    for seed in (0, 3, 13):
        start = robots.start(seed)
        end, asked, per_move = solve(robots, start, 200)
        assert end.returns[0] > -1.0
        assert max(per_move) <= 200
        assert len(asked) == sum(per_move) == len({each.state.tobytes() for each in asked})
        assert len({position.key for position in end.line()}) == end.ply + 1
        assert all(each.ply + bound(each) <= robots.cap for each in asked)


def test_a_solution_is_followed_and_only_improved(robots):
    start = robots.start(13)
    lines = BestFirst(start, Guide())
    while not lines.solution:
        lines.grow(8)
    worth, position = lines.worth, start
    while not position.is_over:
        lines.plant(position)
        assert lines.worth == worth
        position = position.play(lines.best()[0][0])
    assert position.returns[0] == worth


def test_no_move_is_played_that_is_proved_to_lose(connect_four, tmp_path):
    """Whatever the network likes: all but one move lose at once, which the tree proves."""
    position = connect_four.start()
    for action in (6, 0, 6, 1, 5, 2):
        position = position.play(action)
    for seed in range(3):
        weights = save(tiny_network(connect_four, seed), tmp_path / f"{seed}.onnx")
        agent = load_agent(f"alphazero(weights={weights!r}, evaluations=120)")
        assert agent.think(position).action == 3


@pytest.mark.parametrize(("evaluations", "balanced"), [(16, True), (8, False)])
def test_the_policy_of_the_root_is_the_mean_over_its_images(connect_four, evaluations, balanced):
    """The position is its own mirror image, but what the network says of it is not quite."""
    agent = load_agent(f"alphazero(evaluations={evaluations})")
    with agent.sit(connect_four, 0) as player:
        player.think(connect_four.parse("7/7/7/7/3o3/1x1o1x1"))
        priors = player.trees[0].priors()
    assert bool(np.abs(priors - priors[::-1]).max() < 1e-9) == balanced


def test_what_loses_later_is_preferred_where_all_is_lost():
    statistics = Statistics(
        visits={0: 5, 1: 90, 2: 5}, means={0: -0.9, 1: -0.7, 2: -0.8}, wins={},
        proved={0: -0.9, 1: -0.7}, is_proved=False,
    )  # fmt: skip
    assert max(range(3), key=statistics.rank) == 1
    hopeful = statistics._replace(means=statistics.means | {2: -0.6})
    assert max(range(3), key=hopeful.rank) == 2
    untried = statistics._replace(visits=statistics.visits | {2: 0}, means={2: 0.0})
    assert max(range(3), key=untried.rank) == 1
    without_haste = untried._replace(proved={0: -1.0, 1: -1.0})
    assert max(range(3), key=without_haste.rank) == 2


# Installed ---------------------------------------------------------------------------------------

PLAYED = """
import sys
import plyground
record = plyground.play_game("robots", ["alphazero(evaluations=4)"])
assert plyground.__file__.startswith(sys.prefix), plyground.__file__
assert not {"jax", "flax", "onnx"} & set(sys.modules)
print(record.returns[0])
"""


@pytest.mark.timeout(600)
def test_an_installed_wheel_plays_with_its_weights(tmp_path):
    """Built and installed as users do, except that the dependencies are those of the tests."""
    wheel = ["wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT]
    built = subprocess.run([sys.executable, "-m", "pip", *wheel], capture_output=True, text=True)
    if "hatchling" in built.stderr and built.returncode:
        pytest.skip("the build backend hatchling cannot be installed here")
    assert built.returncode == 0, built.stderr
    (package,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    install = ["--python", python, "install", "--quiet", "--no-deps", package]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/*/site-packages")
    (packages / "tests.pth").write_text(
        "\n".join(path for path in sys.path if "site-packages" in path)
    )
    played = subprocess.run([python, "-I", "-c", PLAYED], capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    assert float(played.stdout) > -1.0
