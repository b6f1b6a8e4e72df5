"""Tron's heuristics by hand, its perft file by the naive rules, and agents that use them."""

from itertools import takewhile
from pathlib import Path

import pytest
from naive_tron import NaiveTron, naive_perft

from plyground import load_agent, load_game
from plyground.arena.match import play_match

PERFT = Path(__file__).parent / "perft" / "tron.perft"
ROOM = "tron(map=room, width=5, height=5)"


@pytest.mark.parametrize(
    ("text", "voronoi", "manhattan", "free"),
    [
        ("#####/#1..#/#...#/#..2#/##### 1", 0, 0, (8, 8)),  # the other's head is not free
        ("#####/#1.x#/#..x#/#xx2#/##### 1", 3, 2, (4, 1)),  # enclosed by barriers
        ("#####/#12.#/#...#/#...#/##### 1", -3, -3, (8, 8)),
        ("#####/#1x2#/#.x.#/#...#/##### 2", 0, 0, (6, 6)),  # both reach the middle at once
    ],
)
def test_heuristics_by_hand(text, voronoi, manhattan, free):
    position = load_game(ROOM).parse(text)
    assert position.evaluate("voronoi") == pytest.approx((voronoi / 25, -voronoi / 25))
    assert position.evaluate("manhattan_voronoi") == pytest.approx(
        (manhattan / 25, -manhattan / 25)
    )
    assert position.evaluate("free_cells") == pytest.approx((free[0] / 25, free[1] / 25))


def test_cells_behind_a_tie_count_for_neither():
    game = load_game("tron(map=room, width=7, height=6)")
    corridor = game.parse("#######/#1...2#/###.###/###.###/###...#/####### 1")
    assert corridor.evaluate("voronoi") == (0.0, 0.0)


def test_a_waiting_action_counts_as_moved():
    game = load_game("tron(map=room, width=5, height=5, simultaneous=True)")
    start = game.parse("#####/#...#/#1.2#/#...#/##### 1")
    values = [start.play(action).evaluate("voronoi")[0] for action in range(4)]
    assert values[3] > values[0] == values[1] > values[2]
    assert values[2] == pytest.approx(-8 / 25), "who crashes has nothing, not even its own cell"


def cases():
    found = []
    for number, line in enumerate(PERFT.read_text().splitlines(), start=1):
        if not line.startswith("#"):
            spec, text, counts = (part.strip() for part in line.split(";"))
            numbers = [int(count) for count in counts.split()]
            found.append(pytest.param(spec, text, numbers, id=str(number)))
    return found


@pytest.mark.parametrize(("spec", "text", "counts"), cases())
def test_the_perft_file_holds_what_the_naive_rules_count(spec, text, counts):
    naive = NaiveTron.from_text(text, load_game(spec).simultaneous)
    cheap = list(takewhile(lambda count: count <= 2000, counts))
    assert len(cheap) >= 5
    assert [naive_perft(naive, depth) for depth in range(1, len(cheap) + 1)] == cheap


def points(game, agents, games):
    """Return the first agent's sum of returns, from -1 to 1 per game."""
    records = list(play_match(game, [load_agent(agent) for agent in agents], games, opening=0))
    assert all(record.ending == "finished" for record in records)
    return sum(record.returns[record.entrants.index(0)] for record in records) / games


@pytest.mark.parametrize(
    "spec", ["tron", "tron(simultaneous=True)", "tron(map=hunger_games)", "tron(map=pillars)"]
)
def test_looking_ahead_with_voronoi_beats_chance(spec):
    assert points(load_game(spec), ["alphabeta(depth=3)", "random"], 20) >= 0.9


def test_going_round_walls_beats_flying_over_them():
    agents = ["alphabeta(depth=4)", "alphabeta(depth=4, evaluate=manhattan_voronoi)"]
    assert points(load_game("tron(map=center_block)"), agents, 40) >= 0.2
