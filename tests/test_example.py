"""The examples are short, obey the laws, and work with all agents."""

import subprocess
import sys
from pathlib import Path

import pytest

from plyground import check, load_agent, load_game, perft, play_match
from plyground.errors import TextError

OTHELLO = Path(__file__).parent.parent / "examples" / "othello.py"
OTHELLO_KNOWN = [4, 12, 56, 244, 1396, 8200, 55092, 390216]
KNOWN = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]


def test_the_example_is_short(example):
    assert len(example.read_text().splitlines()) < 65


def test_the_example_breaks_no_law(tic_tac_toe):
    assert [law.name for law in check(tic_tac_toe, games=8) if law.failure] == []


def test_larger_boards_break_no_law(example):
    game = load_game(f"{example}(width=7, height=7, row=5)")
    assert [law.name for law in check(game, games=4) if law.failure] == []


def test_perft_is_as_known(tic_tac_toe):
    assert [perft(tic_tac_toe.start(), depth) for depth in range(1, 10)] == KNOWN
    assert perft(tic_tac_toe.start(), 10) == 0


def test_othello_is_short():
    assert len(OTHELLO.read_text().splitlines()) < 160


def test_othello_breaks_no_law_and_has_all_that_a_game_may_have():
    report = check(load_game(str(OTHELLO)), games=4)
    assert [law.name for law in report if law.failure] == []
    assert report.warnings == []


def test_perft_of_othello_is_as_known():
    start = load_game(str(OTHELLO)).start()
    assert [perft(start, depth) for depth in range(1, 9)] == OTHELLO_KNOWN


def test_othello_passes_reads_and_ends():
    game = load_game(str(OTHELLO))
    start = game.start()
    assert [start.format(action) for action in start.legal_actions] == ["d3", "c4", "f5", "e6"]
    assert str(start.play("d3")).splitlines()[2] == "3 . . . x . . . ."
    stuck = game.parse("xxxxxxo." + "." * 56 + " o")  # o can take nothing, x can
    assert stuck.legal_actions == (64,)
    assert stuck.play("pass").player == 0
    assert game.parse("x" * 63 + ". o").returns == (1.0, -1.0)
    with pytest.raises(TextError, match="write 64 cells"):
        game.parse("x" * 63 + " o")


def test_in_othello_heuristic_and_search_beat_chance():
    for spec in ("alphabeta(depth=3)", "mcts(simulations=100)"):
        records = list(play_match(str(OTHELLO), [spec, "random"], 4))
        won = [record.returns[record.entrants.index(0)] for record in records]
        assert sum(won) >= 2, spec


def test_the_script_that_times_kernels_runs(example):
    script = OTHELLO.with_name("time_kernels.py")
    done = subprocess.run(
        [sys.executable, script, example], capture_output=True, text=True, check=True, timeout=300
    )
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["over", "legal", "legal_and_play", "key", "mcts"]


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta(depth=4)", "mcts(simulations=50)"])
def test_every_agent_plays_the_example_in_a_match(tic_tac_toe, spec):
    records = list(play_match(tic_tac_toe, [load_agent(spec), load_agent("random")], 4))
    assert [record.ending for record in records] == ["finished"] * 4


def test_perfect_players_draw(tic_tac_toe):
    perfect = [load_agent("alphabeta(depth=9)"), load_agent("alphabeta(depth=9)")]
    (record,) = play_match(tic_tac_toe, perfect, 1, opening=0)
    assert record.returns == (0.0, 0.0)
    assert len(record.actions) == 9
