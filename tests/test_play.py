"""The command `play` in a pseudo-terminal, and with lines on its standard input."""

import json
import re
import subprocess
import sys
from functools import partial

import pytest
from terminals import COLUMNS, ROWS, Terminal

from plyground import Agent, Thought, load_agent, load_game
from plyground.arena.exchange import export_games, import_games
from plyground.arena.record import ADJUDICATED, FINISHED, positions
from plyground.arena.store import Store
from plyground.cli.commentary import help_text, legal_lines, outcome, recent_moves
from plyground.games.robots import sliding
from plyground.games.robots.text import scene_of
from plyground.games.robots.view import FLOOR
from plyground.picture import plain
from plyground.session import Session

GAMES = ("connect_n", "expendibots", "robots", "sheep", "tron")
LEAVE = "Enter leaves"


@pytest.fixture
def terminal(tmp_path):
    """Return a function that starts a command in a terminal of its own."""
    return partial(Terminal, store=tmp_path / "games.sqlite", folder=tmp_path)


@pytest.fixture
def kept(tmp_path):
    """Return a function that reads the stored games."""

    def read():
        with Store(str(tmp_path / "games.sqlite")) as store:
            return [record for run in store.runs() for record in store.records(run.id)]

    return read


def hinted(person):
    return person.type("hint").split("hint: ")[1].split()[0]


@pytest.mark.parametrize("name", GAMES)
def test_a_person_plays_a_whole_game_in_a_terminal(terminal, kept, tmp_path, name):
    game = load_game(name)
    with terminal("play", name, "random", "--seed", "0") as person:
        screen = person.screen()
        assert "Your turn" in screen
        assert game.notation.split()[0] in screen
        assert "error: 'zz' is not legal here" in person.type("zz")
        first = hinted(person)
        assert f"You played {first}" in person.type(first)
        assert "You played" not in person.type("undo")
        assert "there is no move to take back" in person.type("undo")
        assert "legal:" in person.type("help")
        assert "You resigned" in person.type("resign")
        screen = person.type(":undo")
        assert "Your turn" in screen
        while LEAVE not in screen:
            screen = person.type(hinted(person))
        assert any(
            word in screen for word in ("You won", "ou lost", "A draw", "ot solved", "Solved")
        )
        assert f"replay written to {tmp_path}" in " ".join(person.type("save a.html").split())
        code, written = person.leave("\n")
    assert code == 0
    assert "the game is kept as run 1" in written
    assert all(len(each.split("\n")) <= ROWS for each in person.screens)
    assert all(len(row) <= COLUMNS for each in person.screens for row in each.split("\n"))
    assert "<svg" in (tmp_path / "a.html").read_text()
    (record,) = kept()
    assert record.ending == FINISHED
    assert record.agents == ("person", *["random"] * (game.facts.players - 1))
    assert positions(game, record)[-1].is_over


def test_arrow_keys_play_tron(terminal, kept):
    with terminal("play", "tron", "random", "--seed", "3") as person:
        person.screen()
        assert "You played U" in person.send("\x1b[A")
        assert "You played L" in person.send("\x1bOD")
        assert "hint: " in person.type("hi\x7fint")  # other keys begin a line that can be edited
        assert "You played U" in person.type("undo")
        code, _ = person.leave("\x04")
    assert code == 0
    assert kept()[0].actions[0] == 0


def test_typed_moves_are_edited_and_remembered(terminal):
    with terminal("play", "connect_n", "random", "--seed", "0") as person:
        person.screen()
        assert "You played 3" in person.type("4\x7f3")
        assert "You played 3" in person.type("undo\x15\x1b[A")  # what was typed is dropped


def test_help_takes_the_place_of_a_board_that_leaves_no_room_for_it(terminal):
    game = "tron(map=room, width=25, height=24)"
    with terminal("play", game, "random", "--seed", "0") as person:
        assert "Your turn" in person.screen()
        help_shown = person.type("help")
        assert "###" not in help_shown
        assert "Enter shows the board again" in help_shown
        assert "###" in person.type("")


def test_a_game_stopped_by_ctrl_c_is_kept(terminal, kept):
    with terminal("play", "connect_n", "random", "--seed", "0") as person:
        person.screen()
        person.type("4")
        code, written = person.interrupt()
    assert code == 130
    assert "Traceback" not in written
    assert kept()[0].reason == "the game was broken off"


# By lines ---------------------------------------------------------------------------------------


@pytest.fixture
def lines(tmp_path):
    """Return a function that runs `play` with lines as its input."""
    store = str(tmp_path / "games.sqlite")

    def play(typed, *arguments, seed=("--seed", "0")):
        command = [sys.executable, "-m", "plyground", "play", *arguments, *seed, "--store", store]
        return subprocess.run(command, input=typed, text=True, capture_output=True, timeout=120)

    return play


def test_a_game_has_a_new_start_each_time_which_its_seed_repeats(lines, kept):
    first, second = (lines("quit\n", "robots", seed=()) for _ in range(2))
    assert first.stdout != second.stdout
    seed = re.match(r"--seed (\d+) repeats this game\n", first.stderr)[1]
    again = lines("4\nresign\nhint\n", "robots", seed=("--seed", seed))
    assert again.stdout.startswith(first.stdout.rstrip())
    assert "repeats this game" not in again.stderr
    assert "error: the game is over" in again.stderr
    assert kept()[-1].seed == int(seed)


def test_several_people_play_at_one_board(lines, kept):
    done = lines("4\n1\n4\nundo\n4\n1\n4\n1\n4\n", "connect_n", "person", "person")
    assert "Your turn, player 2." in done.stdout
    assert "Player 1 played 4; player 2 played 1" in done.stdout
    assert "Player 1 won." in done.stdout
    (record,) = kept()
    assert record.agents == ("person", "person")
    assert record.actions == (3, 0, 3, 0, 3, 0, 3)


def test_people_and_agents_sit_where_they_are_named(lines, kept):
    done = lines("", "sheep", "random", "person", "random", "person")
    assert "Player 1 (random) played" in done.stdout
    assert "Your turn, player 2." in done.stdout
    assert kept()[0].agents == ("random", "person", "random", "person")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["connect_n", "random", "random"], "no seat is a person's"),
        (["connect_n", "person", "random", "random"], "has 2 players, not 3"),
        (["connect_n", "person", "random", "--seat", "2"], "every seat has its player"),
        (["connect_n", "random", "--seat", "3"], "has 2 players"),
        (["connect_n", "random", "--level", "2"], "--level 2 is for the champion"),
    ],
)
def test_seats_that_do_not_fit_are_refused(lines, kept, arguments, reason):
    done = lines("4\n", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_level_of_the_champion_is_an_opponent(lines, kept):
    lines("4\nquit\n", "connect_n", "--level", "1")
    assert kept()[0].agents == ("person", "champion(level=1)")


def test_json_has_one_line_for_each_position(lines):
    done = lines("4\n9\nhint\nundo\nquit\n", "connect_n", "greedy", "--json")
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["ply"] for each in shown] == [0, 1, 2, 0]
    assert shown[1]["action"] == 3
    assert "error: '9' is not legal here" in done.stderr
    assert "hint: " in done.stderr


def test_hidden_information_is_not_shown(lines):
    game = "tron(simultaneous=True, map=room, width=7, height=7)"
    done = lines("", game, "random", "--seat", "2")
    assert "Player 1 (random) moved" in done.stdout
    shown = lines("", game, "random", "--seat", "2", "--json").stdout.splitlines()
    last = json.loads(shown[-1])
    assert (last["ply"], last["action"]) == (1, None)
    assert "wait until the game is over" in lines("save a.svg\n", game, "random").stderr


def test_games_of_people_are_exchanged_and_not_rated(lines, kept, tmp_path):
    lines("4\nquit\n", "connect_n", "random", "--position", "7/7/7/7/ooo4/xxx4")
    lines("4\nquit\n", "connect_n", "random")
    won, left = kept()
    assert (won.ending, left.ending) == (FINISHED, ADJUDICATED)
    store, file = tmp_path / "games.sqlite", tmp_path / "games.jsonl"
    with Store(str(store)) as source, file.open("w") as out:
        export_games(source, source.runs(), out)
    with Store(str(tmp_path / "other.sqlite")) as other:
        assert import_games(other, file) == 2
    rated = [sys.executable, "-m", "plyground", "ratings", "--store", str(store)]
    done = subprocess.run(rated, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "has no such games" in done.stderr


def test_nothing_is_kept_without_a_store_or_a_move(lines, kept):
    lines("quit\n", "connect_n", "random")
    assert kept() == []


def test_the_store_none_in_the_environment_keeps_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLYGROUND_STORE", "none")
    match = ("match", "connect_n", "random", "random", "--games", "2", "--workers", "1")
    assert run(*match)[0] == 0
    assert list(tmp_path.iterdir()) == []
    for command in (("runs", "list"), ("ratings",), (*match, "--resume")):
        code, _, err = run(*command)
        assert code == 2
        assert "the store 'none' keeps nothing" in err or "as the store is 'none'" in err
    assert run(*match, "--store", str(tmp_path / "games.sqlite"))[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["games.sqlite"]


# Output -----------------------------------------------------------------------------------------


class Failing(Agent):
    """Plays an action that is not legal."""

    name = "failing"

    def choose(self, position, limit, seed):
        return Thought(99)


def test_the_legal_moves_are_grouped_by_piece():
    position = load_game("sheep").start()
    assert len(legal_lines(position)) == 1
    for _ in range(4):
        position = position.play(position.legal_actions[0])
    (line,) = legal_lines(position)
    assert len(position.legal_actions) > 20
    assert ":1 ... " in line
    bots = load_game("expendibots").start()
    output = legal_lines(bots)
    assert output[0] == "boom-a1  a1-b1  a1-a2"
    assert len(output) == 12
    assert help_text(load_game("connect_n").start()).split("\n")[1] == "legal: 1 2 3 4 5 6 7"


def test_the_outcome_is_shown_to_the_person(connect_four):
    random = load_agent("random")
    session = Session(connect_four.parse("7/7/7/7/ooo4/xxx4"), [None, random])
    session.play(3)
    assert outcome(session) == "You won."
    session = Session(connect_four.parse("7/7/7/7/ooo4/xxx4"), [load_agent("greedy"), None])
    session.reply()
    assert outcome(session) == "You lost."
    session = Session(connect_four.start(), [None, Failing()])
    session.play(0)
    session.reply()
    assert outcome(session).startswith("Player 2 (failing) forfeited (")
    assert outcome(session).endswith("): you won.")
    puzzle = Session(load_game("robots").start(2), [None])
    puzzle.play(13)
    assert outcome(puzzle) == "Solved in 1 move, the fewest possible."
    puzzle.undo()
    puzzle.play(2)
    puzzle.play(13)
    assert outcome(puzzle) == "Solved in 2 moves; 1 move would have done."
    puzzle.undo()
    puzzle.resign(0)
    assert outcome(puzzle) == "You resigned: not solved; 1 move would have done."
    table = Session(load_game("sheep").start(), [None, random, random, random])
    assert not recent_moves(table, 0)
    table.resign(0)
    assert "You resigned: you lost, with place 4 of 4; player 2 (random) and " in outcome(table)


@pytest.mark.parametrize("spec", ["robots", "robots(board=maze, width=9, height=5)"])
def test_the_compact_board_of_robots_shows_every_wall(spec):
    game = load_game(spec)
    for seed in range(4):
        position = game.start(seed)
        board = scene_of(position.setup.tolist(), position.state.tolist()).board
        rows = plain(game.compact_rows(position)).split("\n")
        assert len(rows) == board.height + 3
        for y in range(board.height):
            for x in range(board.width):
                cell = rows[y + 2][3 + 4 * x : 8 + 4 * x]
                if cell[1] != "░":
                    assert (cell[0] == "│") == bool(board.walls[y][x] >> sliding.WEST & 1)
                    assert (cell[4] == "│") == bool(board.walls[y][x] >> sliding.EAST & 1)
                    assert (cell[1] == FLOOR) == bool(board.walls[y][x] >> sliding.SOUTH & 1)


def test_hints_are_proved_where_the_game_has_a_solver(lines):
    start = ("--position", "7/7/7/7/ooo4/xxx4")
    assert "hint: 4 (win in 1 ply)" in lines("hint\nquit\n", "connect_n", *start).stderr
    assert "(" not in lines("hint\nquit\n", "connect_n", "random", *start).stderr.split("hint:")[1]


def test_a_move_that_was_not_solved_is_told(lines):
    done = lines("5\nquit\n", "connect_n(width=9)", "perfect(nodes=1000)")
    told = r"\(expecting [-+]\d\.\d\d; not solved within the limit: played by alphabeta\)"
    assert re.search(told, done.stdout)
