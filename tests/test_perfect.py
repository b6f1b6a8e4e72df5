"""Agent `perfect`: it never drops value, and says so where it cannot solve but must search."""

import json
from pathlib import Path
from random import Random

import pytest
from lines import played
from solved_robots import puzzles

from plyground import Limit, load_agent, load_game, play_game
from plyground.agents.perfect import NOT_SOLVED
from plyground.errors import CannotPlayError
from plyground.games.connect_n.solve import ConnectNSolver
from plyground.registry import load_file

SMALL = load_file(Path(__file__).parent / "games" / "small_games.py")
LARGE = load_game("connect_n(width=8, height=7)")
UNSOLVED = Limit(nodes=20_000)
"""Too little to solve the large board, for which there is no book."""


def random_opening(game, seed, plies):
    """Return a position after random plies, none of which ends the game or allows a win at once."""
    random = Random(seed)
    while True:
        position = game.start()
        for _ in range(plies):
            position = position.play(random.choice(position.legal_actions))
            if position.is_over:
                break
        else:
            following = map(position.play, position.legal_actions)
            if not any(after.is_over for after in following):
                return position


@pytest.mark.parametrize("seed", range(8))
def test_it_never_drops_value(seed, connect_four):
    """Scores are compared before and after each of its moves, by a solver of its own."""
    judge = ConnectNSolver(connect_four, 22, use_book=False)
    position, random = random_opening(connect_four, seed, 10 + seed % 2), Random(seed)
    own = position.player
    moves = 0
    with load_agent("perfect").sit(connect_four, own) as player:
        while not position.is_over:
            if position.player != own:
                position = position.play(random.choice(position.legal_actions))
                continue
            thought = player.think(position)
            after = position.play(thought.action)
            before, later = (int(score) for score in judge.scores([position, after]).scores)
            assert later == -before, repr(position)
            assert thought.proof.value == thought.value == (before > 0) - (before < 0)
            assert thought.line[0] == thought.action
            position, moves = after, moves + 1
    assert moves


def test_it_solves_puzzles_in_the_fewest_moves():
    game = load_game("robots(board=classic)")
    for puzzle in puzzles()[:20]:
        position, moves = game.parse(puzzle.text), 0
        with load_agent("perfect").sit(game, 0) as player:
            while not position.is_over:
                thought = player.think(position)
                assert thought.proof.plies == puzzle.fewest - moves
                position, moves = position.play(thought.action), moves + 1
        assert moves == puzzle.fewest


def test_a_puzzle_without_a_solution_within_the_cap_is_lost():
    puzzle = next(each for each in puzzles() if each.fewest == 8)
    for cap, plies in ((8, 8), (7, None)):
        position = load_game(f"robots(board=classic, cap={cap})").parse(puzzle.text)
        thought = load_agent("perfect").think(position)
        assert thought.proof.plies == plies
        assert thought.action in position.legal_actions
    assert thought.value == -1.0


def test_what_it_cannot_solve_it_searches_and_says_so():
    thought = load_agent("perfect").think(LARGE.start(), UNSOLVED)
    assert thought.info["note"] == NOT_SOLVED
    assert thought.proof is None
    assert thought.depth >= 4
    assert thought.nodes <= UNSOLVED.nodes + 100
    limited = load_agent("perfect(nodes=1000)")
    assert limited.think(LARGE.start(), Limit(depth=3)).info["note"] == NOT_SOLVED
    assert "note" not in limited.think(LARGE.parse("8/8/8/8/8/ooo5/xxx5")).info


def test_it_plays_by_the_clock():
    for cpu in (False, True):
        limit = Limit(seconds=0.05, cpu=cpu)
        assert load_agent("perfect").think(LARGE.start(), limit).info["note"] == NOT_SOLVED
    solved = load_agent("perfect").think(played(LARGE, 0, 1, 0, 1, 0, 1), Limit(seconds=0.05))
    assert (solved.action, solved.proof.plies) == (0, 1)


def test_an_analysis_knows_the_value_of_every_action(connect_four):
    position = random_opening(connect_four, 3, 16)
    *_, last = load_agent("perfect").analyse(position)
    assert list(last.values) == list(position.legal_actions)
    best = max(solution.score for solution in last.values.values())
    assert last.values[last.action].score == best
    for action, solution in last.values.items():
        score = ConnectNSolver(connect_four, 22, use_book=False).solve(position.play(action)).score
        assert solution.score == -score


def test_an_analysis_that_is_too_short_still_has_its_search():
    thoughts = list(load_agent("perfect").analyse(LARGE.start(), UNSOLVED))
    assert all(thought.info["note"] == NOT_SOLVED for thought in thoughts)
    assert not thoughts[-1].values


@pytest.mark.parametrize(
    "game", [SMALL.Race(), load_game("tron"), load_game("connect_n(width=16, height=16)")]
)
def test_a_game_without_a_solver_is_refused(game):
    with pytest.raises(CannotPlayError, match="perfect plays games that have an exact solver"):
        load_agent("perfect").think(game.start())


def test_two_of_them_play_a_whole_game():
    """On a board of 5 x 4 the game is a draw."""
    record = play_game("connect_n(width=5, height=4)", ["perfect", "perfect"])
    assert record.returns == (0.0, 0.0)
    assert len(record.actions) == 20


def test_verdicts_are_in_the_games_words(connect_four):
    assert connect_four.verdict(1.0, 1) == "win in 1 ply"
    assert connect_four.verdict(-1.0, 8) == "loss in 8 plies"
    assert connect_four.verdict(-1.0, None) == "loss"
    assert connect_four.verdict(0.0, 20) == "draw"
    robots = load_game("robots")
    assert [robots.verdict(0.5, plies) for plies in (1, 5)] == ["1 move", "5 moves"]
    assert robots.verdict(-1.0, None) == "no solution"


# The command `analyse` --------------------------------------------------------------------------


def test_analyse_shows_what_every_move_is_worth(run):
    command = ("analyse", "connect_n", "--position", "7/7/7/xo5/xo5/xo5", "--seconds", "60")
    code, out, _ = run(*command)
    assert code == 0
    assert out.count("loss in 2 plies") == 5
    assert "best: 1 (win in 1 ply)" in out
    last = json.loads(run(*command, "--json")[1].splitlines()[-1])
    assert last["proof"] == {"value": 1.0, "plies": 1}
    scores = [each["score"] for each in last["values"].values()]
    assert list(last["values"]) == list("1234567")
    assert scores[:1] + scores[2:] == [18, -18, -18, -18, -18, -18]
    assert last["values"]["7"]["verdict"] == "loss in 2 plies"
    assert last["values"]["7"]["line"] == ["7", "2"]


def test_analyse_counts_moves_of_a_puzzle(run):
    position = load_game("robots").start(3)
    fewest = load_game("robots").solver().solve(position).score
    _, out, _ = run("analyse", "robots", "--seed", "3")
    assert f"({fewest} moves)" in out
    assert out.count(" moves ") >= len(position.legal_actions)


def test_analyse_searches_what_it_cannot_solve(run):
    _, out, _ = run("analyse", "connect_n(width=9)", "--seconds", "0.3")
    assert f"({NOT_SOLVED})" in " ".join(out.split())
    last = json.loads(run("analyse", "tron", "--seconds", "0.1", "--json")[1].splitlines()[-1])
    assert last["values"] == {}
    assert last["depth"] >= 1
