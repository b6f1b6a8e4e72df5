"""The solver of Connect-N agrees with proved scores, with alpha-beta and with itself."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from lines import played, random_position
from solved_connect_four import solved_sets, value_of

from plyground import Limit, load_agent, load_game
from plyground.control import NODES, STOP
from plyground.errors import OptionError
from plyground.game import Solver, Stop
from plyground.games.connect_n.solve import ConnectNSolver

SMALL_TABLE = 19


@pytest.fixture(scope="module")
def solver(connect_four):
    return ConnectNSolver(connect_four, use_book=False)


def solver_of(spec, table_bits=SMALL_TABLE):
    return ConnectNSolver(load_game(spec), table_bits)


def quiet_position(game, seed, plies):
    """Return a position after random plies, none of which ends the game."""
    random = Random(seed)
    position = game.start()
    for _ in range(plies):
        following = [position.play(action) for action in position.legal_actions]
        going_on = [after for after in following if not after.is_over]
        if not going_on:
            break
        position = random.choice(going_on)
    return position


def careful_position(game, seed, plies):
    """Return a position after random plies, none of which ends the game or allows a win at once."""
    random = Random(seed)
    while True:
        position = game.start()
        while position.ply < plies:
            following = map(position.play, position.legal_actions)
            careful = [
                after
                for after in following
                if not any(later.is_over for later in map(after.play, after.legal_actions))
            ]
            if not careful:
                break
            position = random.choice(careful)
        else:
            return position


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1", "L1_R1"])
def test_every_score_of_the_set_is_right(name, connect_four, solver):
    lines, scores = zip(*solved_sets()[name], strict=True)
    positions = [played(connect_four, *line) for line in lines]
    result = solver.scores(positions)
    assert result.solved == len(positions) == 1000
    assert result.scores.tolist() == list(scores)
    weak = solver.scores(positions[:300], weak=True)
    assert np.array_equal(np.sign(weak.scores), np.sign(result.scores[:300]))


EMPTY = [
    (4, 4), (5, 4), (6, 4), (7, 4), (4, 5), (5, 5), (6, 5), (4, 6), (5, 6), (4, 7), (5, 7), (4, 8),
    (4, 9),
]  # fmt: skip


@pytest.mark.parametrize(("width", "height"), EMPTY)
def test_empty_boards_have_their_known_values(width, height):
    game = load_game("connect_n", width=width, height=height)
    solution = ConnectNSolver(game, 22).solve(game.start(), weak=True)
    assert solution.value == value_of(width, height)


BOARDS = [
    ("connect_n(width=4, height=4, n=3)", 3),
    ("connect_n(width=3, height=5, n=3)", 3),
    ("connect_n(width=5, height=4)", 6),
    ("connect_n(width=5, height=5)", 8),
    ("connect_n(width=4, height=7)", 12),
    ("connect_n(width=6, height=5, n=5)", 14),
    ("connect_n(width=8, height=7)", 40),
    ("connect_n(width=6, height=6, n=6)", 20),
    ("connect_n(width=10, height=8)", 66),
    ("connect_n(width=10, height=8, n=5)", 66),
    ("connect_n(width=16, height=7, n=8)", 100),
    ("connect_n(width=8, height=15, n=7)", 106),
    ("connect_n(width=4, height=16, n=3)", 8),
]
"""Boards of one word and of two, lines of every length, and from which ply on they are solved."""


@pytest.mark.parametrize(("spec", "plies"), BOARDS)
def test_scores_and_lines_are_those_of_alphabeta(spec, plies):
    solver = solver_of(spec)
    game = solver.game
    reference = load_agent("alphabeta(depth=200, evaluate=nothing)")
    for seed in range(25):
        position = quiet_position(game, seed, plies + seed % 5)
        if position.is_over:
            continue
        proof = reference.think(position).proof
        solution = solver.solve(position)
        assert solution.value == proof.value, repr(position)
        if solution.value:
            assert solution.plies == proof.plies, repr(position)
        end = position
        for action in solution.line:
            end = end.play(action)
        assert end.is_over
        assert end.returns[position.player] == solution.value
        assert len(solution.line) == solution.plies


def test_the_champion_keeps_the_result_of_endings():
    """Two of them play endings of 30 free cells; a solver of its own judges every move."""
    judge = solver_of("connect_n(width=10, height=8)")
    game, champion = judge.game, load_agent("champion")
    results = set()
    for seed in range(6):
        position, played = careful_position(game, seed, 50), 0
        with champion.sit(game, 0) as first, champion.sit(game, 1) as second:
            while not position.is_over:
                thought = (first, second)[position.player].think(position, Limit(nodes=100_000))
                after = position.play(thought.action)
                before, later = judge.scores([position, after], weak=True).scores
                assert np.sign(later) == -np.sign(before), repr(position)
                assert thought.proof.value == np.sign(before), repr(position)
                position, played = after, played + 1
        results.add((position.returns[0], played > 10))
    assert len(results) > 2


def test_a_win_is_known_before_the_soonest_one():
    """With ever more nodes a solver knows nothing, then an action that wins, then the soonest."""
    solver = solver_of("connect_n(width=10, height=8)")
    position = careful_position(solver.game, 6, 44)
    exact = solver.solve(position)
    stages = []
    for nodes in (2**power for power in range(10, 20)):
        solver.forget()
        found = solver.best(position, Stop(nodes=nodes))
        if found is None:
            assert not stages
        elif found.score is None:
            assert stages in ([], ["win"])
            assert found.value == exact.value == 1.0
            assert found.plies is None
            (action,) = found.line
            assert solver.solve(position.play(action), weak=True).value == -1.0
            stages = ["win"]
        else:
            assert (found.score, found.plies) == (exact.score, exact.plies)
            stages.append("soonest")
            break
    assert stages == ["win", "soonest"]


def test_every_action_has_its_own_score(connect_four, solver):
    for seed in range(5):
        position = quiet_position(connect_four, seed, 20)
        solutions = solver.values(position)
        assert list(solutions) == list(position.legal_actions)
        best = max(solution.score for solution in solutions.values())
        assert best == solver.solve(position).score
        for action, solution in solutions.items():
            assert solution.line[0] == action
            assert solution.score == -solver.solve(position.play(action)).score
            assert solution.plies == len(solution.line)


@pytest.mark.parametrize("spec", ["connect_n", "connect_n(width=10, height=8)"])
def test_best_actions_of_a_game_are_those_of_all_values(spec, solver):
    """Found from the end backwards, by tests of one score each."""
    game = load_game(spec)
    solver = solver if game == solver.game else ConnectNSolver(game, SMALL_TABLE)
    for seed in range(4):
        line = quiet_position(game, seed, game.width * game.height - 6).line()[-12:]
        found = solver.best_actions(line)
        assert found == Solver.best_actions(solver, line)
        assert len(found) == 12
    stopped = solver.best_actions(line, Stop(nodes=1))
    assert [each for each in stopped if each is not None] == found[stopped.count(None) :]


def test_mirror_images_are_worth_the_same(connect_four, solver):
    for seed in range(20):
        position = random_position(connect_four, seed, 16)
        rows = position.to_text().replace("/", " ").split()
        image = connect_four.parse("/".join(row[::-1] for row in rows))
        assert solver.solve(position).score == solver.solve(image).score


def test_positions_that_are_over_have_a_score_and_no_line(connect_four, solver):
    won = connect_four.parse("7/7/7/o6/o6/oxxxx2")
    solution = solver.solve(won)
    assert (solution.value, solution.score, solution.plies, solution.line) == (-1.0, -18, 0, ())
    small = solver_of("connect_n(width=4, height=4)")
    full = small.game.parse("oxox/oxox/xoxo/xoxo")
    solution = small.solve(full)
    assert (solution.value, solution.score, solution.plies, solution.line) == (0.0, 0, 0, ())
    assert small.values(full) == {}


def test_a_limit_of_nodes_ends_the_search_and_its_table_is_kept(connect_four):
    solver = ConnectNSolver(connect_four, 21, use_book=False)
    position = played(connect_four, 3, 3, 3, 3, 3, 2, 3, 4, 2, 2)
    stop = Stop(nodes=5000)
    assert solver.solve(position, stop) is None
    assert stop.control[STOP] == 1
    assert 5000 <= stop.control[NODES] < 5100
    assert solver.solve(position, stop) is None  # the limit is used up
    solution = solver.solve(position)
    nodes = solution.nodes
    solver.forget()
    assert solver.solve(position).nodes > nodes  # the table of the first search is used
    assert solution.score == ConnectNSolver(connect_four, use_book=False).solve(position).score


def test_a_solution_within_a_limit_has_a_best_action(connect_four, solver):
    position = played(connect_four, 3, 3, 3, 3, 3, 2, 3, 4, 2, 2, 4, 4)
    best = solver.solve(position).score
    limited = ConnectNSolver(connect_four, 21, use_book=False)
    solved = 0
    for nodes in range(20, 20_000, 20):
        solution = limited.solve(position, Stop(nodes=nodes))
        if solution is not None:  # the line may be cut off, but not before its first action
            solved += 1
            assert solver.values(position)[solution.line[0]].score == best
    assert solved > 100


def test_a_limit_of_time_and_a_stop_flag_end_the_search(connect_four, solver):
    assert solver.solve(connect_four.start(), Stop(seconds=0.05)) is None
    stop = Stop()
    stop.control[STOP] = 1
    assert solver.solve(connect_four.start(), stop) is None
    won = connect_four.parse("7/7/7/7/ooo4/xxx4")
    assert solver.solve(won, Stop(seconds=0)).score == 18  # no search is needed


def test_slices_do_not_change_a_score(connect_four, monkeypatch):
    lines = [line for line, _ in solved_sets()["L2_R1"][:40]]
    positions = [played(connect_four, *line) for line in lines]
    whole = ConnectNSolver(connect_four, SMALL_TABLE, use_book=False).scores(positions)
    monkeypatch.setattr("plyground.games.connect_n.solve.SLICE", 200)
    sliced = ConnectNSolver(connect_four, SMALL_TABLE, use_book=False).scores(positions)
    assert sliced.scores.tolist() == whole.scores.tolist()
    assert sliced.nodes.sum() > whole.nodes.sum()


def test_boards_that_cannot_be_solved_are_refused(connect_four, solver):
    assert load_game("connect_n(width=16, height=16)").solver() is None
    with pytest.raises(OptionError, match="too large to be solved"):
        solver_of("connect_n(width=16, height=16)")
    with pytest.raises(OptionError, match="table_bits"):
        ConnectNSolver(connect_four, 10)
    with pytest.raises(OptionError, match="cannot solve"):
        solver.solve(load_game("connect_n(width=8)").start())


PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from lines import played
from plyground import load_game
from plyground.games.connect_n.solve import ConnectNSolver
from solved_connect_four import solved_sets
game = load_game("connect_n")
for line, score in solved_sets()["L3_R1"][:10]:
    assert ConnectNSolver(game, 19).solve(played(game, *line)).score == score
"""


def test_scores_are_the_same_without_the_compiler(fresh_python):
    done = fresh_python(PLAIN, Path(__file__).parent, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
