"""Advice of games to searches, worked by hand: play-out policies, rules and a bound."""

import pytest
from solved_robots import puzzles

from plyground import load_agent, load_game
from plyground.game.advice import bound, rollout
from plyground.games import GAMES
from plyground.games.robots import Robots


def drawn(game, text, draws=40, name=""):
    """Return the first actions, as written, of play-outs with so many seeds."""
    position = load_game(game).parse(text)
    return {position.format(rollout(position, seed, name)) for seed in range(draws)}


@pytest.mark.parametrize("name", GAMES.inside)
def test_play_outs_follow_their_seed(name):
    start = load_game(name).start(1)
    actions = [rollout(start, seed) for seed in range(40)]
    assert actions == [rollout(start, seed) for seed in range(40)]
    assert len(set(actions)) > 1


# Connect-N --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(7, 6), (9, 7)])  # boards of one word, and of two
@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (("", "xxx1ooo"), {"4"}),  # wins, which comes before all else
        (("x", "xooo2x"), {"5"}),  # parries the only threat
        (("x", "xx1ooo1"), {"3", "7"}),  # parries one of two
    ],
)
def test_connect_n_wins_or_parries(width, height, rows, columns):
    cells = [row + "." * (width - sum(int(c) if c.isdigit() else 1 for c in row)) for row in rows]
    text = "/".join(["." * width] * (height - 2) + cells)
    assert drawn(f"connect_n(width={width}, height={height})", text) == columns


def test_connect_n_plays_anywhere_where_nothing_presses():
    assert drawn("connect_n", "o6/x6/o6/x6/o6/x6") == {"2", "3", "4", "5", "6", "7"}
    assert drawn("connect_n(width=9, height=7)", "9/9/9/9/9/9/2xoxo3", 90) == set("123456789")


# Tron -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "actions"),
    [
        ("#####/#1..#/#...#/#..2#/#####", {"D", "R"}),
        ("#####/#x.x#/#x1.#/#xx2#/#####", {"U", "R"}),  # both are dead ends
        ("#####/#x.x#/#.1.#/#..2#/#####", {"D", "L"}),  # up and right are dead ends
        ("#####/#xxx#/#x1x#/#xx2#/#####", set("UDLR")),
    ],
)
def test_tron_crashes_only_where_it_must_and_shuns_dead_ends(rows, actions):
    assert drawn("tron(map=room, width=5, height=5)", f"{rows} 1") == actions


def test_tron_breaks_through_a_barrier_rather_than_a_wall():
    game = load_game("tron(map=joust)")
    board = game.start(0).to_text().split()[0].replace("1", ".").replace("2", ".").split("/")
    width = len(board[0])
    board[1] = "#1x" + board[1][3:]
    board[2] = "#x" + board[2][2:]
    board[-2] = "#" + "x" * (width - 4) + "x2#"
    text = "/".join(board) + " 1 armor=1 random=0"
    assert drawn(repr(game), text) == {"D", "R"}


# Robot Reboot -----------------------------------------------------------------------------------


def test_robots_go_home_where_one_move_does_it():
    walls = "9113/8002/8002/c446"
    assert drawn("robots(board=maze, width=4, height=4, robots=1)", f"{walls} yA1 y>D1 0") == {"yE"}


def test_robots_come_closer_or_move_anywhere():
    walls = "9113/8002/8002/c446"
    spec = "robots(board=maze, width=4, height=4, robots=2)"
    assert drawn(spec, f"{walls} yA1 gD4 y>D4 0") == {"yE", "yS", "gN", "gW"}


def test_the_bound_is_at_most_the_rest_of_a_solution():
    game = load_game("robots(board=classic)")
    reached = 0
    for puzzle in [each for each in puzzles() if each.kind == "classic"][::9]:
        position = game.parse(puzzle.text)
        for number, move in enumerate(puzzle.solution):
            assert 1 <= bound(position) <= puzzle.fewest - number
            reached += bound(position) == puzzle.fewest - number
            position = position.play(position.parse(move))
    assert reached > 100  # the last move of each, at the least


class Unbounded(Robots):
    """The same puzzles without a bound."""

    name = "unbounded"
    advice = ()


def test_with_its_bound_shortest_finds_the_same_in_fewer_nodes():
    nodes = {}
    for game in (Robots.make({"board": "classic"}), Unbounded.make({"board": "classic"})):
        agent = load_agent("shortest")
        easy = [each for each in puzzles() if each.kind == "classic" and each.fewest <= 5][:30]
        thoughts = [agent.think(game.parse(puzzle.text)) for puzzle in easy]
        found = [thought.proof.plies for thought in thoughts]
        assert found == [puzzle.fewest for puzzle in easy]
        nodes[game.name] = sum(thought.nodes for thought in thoughts)
    assert nodes["robots"] * 4 < nodes["unbounded"]


# Battle Sheep -----------------------------------------------------------------------------------

FIELD = "sheep(players=2, size=4, cells=16, sheep=5)"


def test_herding_sends_any_number_of_sheep_to_its_own():
    free = drawn(FIELD, "a5.../..../..../...b5 a")
    assert {action.split(":")[0] for action in free} == {"0,0>6", "0,0>8", "0,0>9"}
    company = drawn(FIELD, "a4..a/..../..../.b.b4 a")  # only moves to the right end beside a
    assert company == {"0,0>6:1", "0,0>6:2", "0,0>6:3"}


def test_herding_splits_the_stack_that_is_nearly_shut_in():
    """The pressures are 9 - 2 x 1 = 7 and 2 - 2 x 6 = -10; random noise adds at most 7."""
    spec = "sheep(players=2, size=4, cells=14, sheep=11)"
    assert {action[:5] for action in drawn(spec, "a9#../.#a2./..../..bb10 a")} == {"0,0>8"}


def test_spreading_is_the_students_rule():
    start = load_game(FIELD).start()
    assert drawn(FIELD, start.to_text(), 5, "spreading") == {"3,2"}  # the edge cell nearest to 2, 2
    # Seven open directions after two steps, against three after three; 5 x 7 / (3 + 7) sheep.
    assert drawn(FIELD, "a5.../..../..../...b5 a", 5, "spreading") == {"0,0>9:3"}
