"""The table of Expendibots' endings against the naive rules, and play in such endings."""

from random import Random

import numpy as np
import pytest
from naive_expendibots import BLACK, CELLS, WHITE, NaiveExpendibots

from plyground import Limit, load_agent, load_game
from plyground.game.symmetry import image
from plyground.games.expendibots import retrograde
from plyground.games.expendibots.endings import SHIPPED, THREE_ONE, packed_table
from plyground.games.expendibots.solve import look_up

DIVISIONS = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2))
"""The tokens of the player to move and of the other."""
CORNER = [(x, y) for x, y in CELLS if x < 4 and y < 4]
FARTHEST = "8/8/3a4/8/8/8/8/A6A w {}"
"""One of the endings that take longest: won in 25 plies."""


@pytest.fixture(scope="module")
def game():
    return load_game("expendibots")


@pytest.fixture(scope="module")
def solver(game):
    return game.solver()


def endings(division, count):
    """Return random positions, half of them in a corner, where more of them are decided soon."""
    random = Random(repr(division))
    for number in range(count):
        side = random.choice((WHITE, BLACK))
        cells = random.sample(CORNER if number % 2 else CELLS, 4)
        board = {}
        for owner, tokens in zip((side, -side), division, strict=True):
            own = [cells.pop() for _ in range(2)]
            for _ in range(tokens):
                cell = random.choice(own)
                board[cell] = board.get(cell, 0) + owner
        yield NaiveExpendibots(board, side)


def distance(position):
    return look_up(position.state, packed_table())


def distance_by_naive_rules(game, naive):
    """Return the distance to the end that follows from those of the successors."""
    own, results = 0 if naive.side == WHITE else 1, []
    for action in naive.legal():
        after = naive.after(action)
        if after.is_over():
            results.append((after.returns()[own], 1))
        else:
            plies = distance(game.parse(after.text()))
            results.append((-np.sign(plies), 1 + abs(plies)))
    best = max(value for value, _ in results)
    plies = [plies for value, plies in results if value == best]
    return best * (min(plies) if best > 0 else max(plies))


@pytest.mark.parametrize("division", DIVISIONS)
def test_every_entry_follows_from_those_of_its_successors(game, division):
    """By induction over the distance that proves all wins and losses, and with them the draws."""
    for naive in endings(division, 60):
        known = distance(game.parse(naive.text()))
        assert known == distance_by_naive_rules(game, naive), naive.text()


def test_the_shipped_table_is_the_one_that_is_built():
    with np.load(SHIPPED) as file:
        shipped = file["endings"]
    assert np.array_equal(retrograde.build(parts=1)[:THREE_ONE], shipped[:THREE_ONE])


def test_images_of_a_position_have_the_same_distance(game):
    for naive in endings((2, 2), 30):
        position = game.parse(naive.text())
        assert len({distance(image(position, symmetry)) for symmetry in range(8)}) == 1


def test_a_win_after_the_last_ply_is_a_draw(game, solver):
    assert solver.solve(game.parse(FARTHEST.format(0))).plies == 25
    assert solver.solve(game.parse(FARTHEST.format(475))).value == 1
    assert solver.solve(game.parse(FARTHEST.format(476))).value == 0


def test_lines_lead_to_the_result_in_so_many_plies(game, solver):
    for naive in endings((1, 2), 6):
        position = game.parse(naive.text())
        solution = solver.solve(position)
        replies = solver.values(position)
        assert max(each.value for each in replies.values()) == solution.value
        for action in solution.line:
            position = position.play(action)
        if solution.value:
            assert position.is_over
            assert len(solution.line) == solution.plies
            assert position.returns[0 if naive.side == WHITE else 1] == solution.value


def test_five_tokens_and_finished_games(game, solver):
    assert solver.solve(game.start()) is None
    assert solver.values(game.parse("8/8/3b4/8/8/8/8/A1A4A w 0")) is None
    over = solver.solve(game.parse("8/8/8/8/8/8/8/A7 b 9"))
    assert (over.value, over.plies, over.line) == (-1, 0, ())


@pytest.mark.parametrize("evaluator", ["neural", "neural(endings=False)"])
def test_the_heuristic_knows_endings_exactly(game, evaluator):
    sooner, later = game.parse("8/8/8/8/8/a7/1A6/7A w 0"), game.parse(FARTHEST.format(0))
    drawn = game.parse("8/8/3b4/8/8/8/8/A6A w 0")
    knows = evaluator == "neural"
    assert (1 > sooner.evaluate(evaluator)[0] > later.evaluate(evaluator)[0] > 0.99) == knows
    assert (drawn.evaluate(evaluator) == (0, 0)) == knows


@pytest.mark.parametrize(("division", "value"), [((2, 1), 1), ((1, 2), 0)])
def test_the_champion_wins_two_to_one_and_holds_one_to_two(game, division, value):
    """Against perfect play, at very few nodes, from positions in which it is possible."""
    positions = [game.parse(naive.text()) for naive in endings(division, 300)]
    possible = [each for each in positions if np.sign(distance(each)) == value]
    assert len(possible) >= 10
    for position in possible[:10]:
        seat = position.player
        agents = {seat: load_agent("champion"), 1 - seat: load_agent("perfect")}
        players = {at: agent.sit(game, at) for at, agent in agents.items()}
        limits = {seat: Limit(nodes=200), 1 - seat: None}
        while not position.is_over and position.ply < 60:
            mover = position.player
            position = position.play(players[mover].think(position, limits[mover]).action)
        assert position.returns[seat] == value
