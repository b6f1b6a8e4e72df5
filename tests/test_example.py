"""The example is small, right, and plays with everything."""

import pytest

from plyground import check, load_agent, load_game, perft, play_match

KNOWN = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_the_example_is_short(example):
    assert len(example.read_text().splitlines()) < 65


def test_the_example_breaks_no_law(tic_tac_toe):
    assert [law.name for law in check(tic_tac_toe, games=20) if not law.holds] == []


def test_larger_boards_break_no_law(example):
    game = load_game(f"{example}(width=7, height=7, row=5)")
    assert [law.name for law in check(game, games=4) if not law.holds] == []


def test_perft_is_as_known(tic_tac_toe):
    assert [perft(tic_tac_toe.start(), depth) for depth in range(1, 10)] == KNOWN
    assert perft(tic_tac_toe.start(), 10) == 0


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta(depth=4)", "mcts(simulations=50)"])
def test_every_agent_plays_the_example_in_a_match(tic_tac_toe, spec):
    records = list(play_match(tic_tac_toe, [load_agent(spec), load_agent("random")], 4))
    assert [record.ending for record in records] == ["finished"] * 4


def test_perfect_players_draw(tic_tac_toe):
    perfect = [load_agent("alphabeta(depth=9)"), load_agent("alphabeta(depth=9)")]
    (record,) = play_match(tic_tac_toe, perfect, 1, opening=0)
    assert record.returns == (0.0, 0.0)
    assert len(record.actions) == 9
