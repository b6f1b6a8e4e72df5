"""Bots written for a course's own interface play unchanged; `courses/` has stand-ins for them."""

import ast
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lines import random_position

import plyground.programs.courses
from plyground import PlygroundError, load_agent, load_game, play_game
from plyground.arena.record import FINISHED
from plyground.programs.sandbox.copies import copy_all

BOTS = Path(__file__).parent / "courses"
SHIMS = Path(plyground.programs.courses.__file__).parent
CONTEST = f"tron_contest(command='{sys.executable} {BOTS}/contest/MyTronBot.py')"
CLIENT = f"{sys.executable} {BOTS}/nycu/client.py"
SPECS = [
    ("tron", f"brown_tron(path='{BOTS}/brown/bots.py')"),
    ("tron(map=hunger_games)", f"brown_tron(path='{BOTS}/brown/bots.py')"),
    ("tron", f"brown_tron(path='{BOTS}/brown/bots.py', bot='RandBot')"),
    ("tron", f"brown_tron(path='{BOTS}/brown/names.py')"),
    ("connect_n", f"wpi_connect_n(path='{BOTS}/Group01')"),
    ("connect_n(width=10, height=8, n=5)", f"wpi_connect_n(path='{BOTS}/Group01')"),
    ("connect_n", f"wpi_connect_n(path='{BOTS}/Group02', agent='TOURNAMENT_AGENT')"),
    ("connect_n", f"kaggle_connectx(path='{BOTS}/kaggle/submission.py')"),
    ("connect_n", f"kaggle_connectx(path='{BOTS}/kaggle_files/main.py')"),
    ("connect_n(width=10, height=8, n=5)", f"kaggle_connectx(path='{BOTS}/kaggle/submission.py')"),
    ("expendibots", f"unimelb_expendibots(path='{BOTS}/melbourne/keen_team')"),
    ("sheep", f"nycu_sheep(path='{BOTS}/nycu/bot.py')"),
    ("sheep", f"nycu_sheep(path='{BOTS}/nycu_own/bot.py')"),
    ("sheep", f"nycu_sheep(path='{BOTS}/nycu_template/agent.py')"),
    ("sheep(size=15, cells=100, sheep=32)", f"nycu_sheep(path='{BOTS}/nycu/bot.py')"),
    ("sheep(hidden=True)", f"nycu_sheep(path='{BOTS}/nycu/bot.py')"),
    ("sheep(teams=True)", f"nycu_sheep(path='{BOTS}/nycu/bot.py')"),
    ("sheep", f"nycu_sheep(command='{CLIENT} 12')"),
    ("sheep(hidden=True)", f"nycu_sheep(command='{CLIENT} 12')"),
    ("tron(simultaneous=True)", CONTEST),
    ("tron", CONTEST),
]  # fmt: skip


@pytest.mark.parametrize(("game", "bot"), SPECS)
def test_a_bot_plays_to_the_end_from_any_seat(game, bot):
    game, bot = load_game(game), load_agent(bot)
    players = [load_agent("random")] * game.facts.players
    for seat, opening in ((0, 0), (game.facts.players - 1, 2)):
        table = [*players[:seat], bot, *players[seat + 1 :]]
        record = play_game(game, table, seed=seat, opening=opening)
        assert (record.ending, record.reason) == (FINISHED, "")


@pytest.mark.parametrize(
    ("game", "bot"),
    [spec for spec in SPECS if spec[0] in ("tron", "connect_n", "expendibots")],
)
def test_a_bot_sees_the_board_the_right_way_round(game, bot):
    """They beat a random agent, which they would not on a mirrored or stale board."""
    game, bot = load_game(game), load_agent(bot)
    rest = [load_agent("random")] * (game.facts.players - 1)
    won = sum(play_game(game, [bot, *rest], seed=seed).returns[0] for seed in range(3))
    assert won >= 1


def test_the_same_port_serves_all_bots_of_a_table():
    game = load_game("sheep")
    bot = load_agent("nycu_sheep", command=f"{CLIENT} 12", network=True)
    assert play_game(game, [bot] * 4).ending == FINISHED


def test_a_seed_repeats_a_game():
    game, bot = load_game("tron"), load_agent(SPECS[2][1])
    first, same = (play_game(game, [bot, bot], seed=3).actions for _ in range(2))
    assert first == same


@pytest.mark.parametrize(
    ("game", "bot", "fault", "reason"),
    [
        ("tron", f"brown_tron(path='{BOTS}/brown/bots.py', bot=BuggyBot)", "failed",
         "AttributeError: 'TronProblem' object has no attribute 'board' (bots.py, line"),
        ("tron", f"brown_tron(path='{BOTS}/brown/bots.py', bot=NoBot)", "failed", "NoBot"),
        ("tron", f"tron_contest(command='{shutil.which('cat')}')", "illegal",
         "'13 13', not 1 to 4"),
        ("tron", f"tron_contest(command='{shutil.which('false')}')", "failed", "status 1"),
        ("expendibots", f"unimelb_expendibots(path='{BOTS}/melbourne/slow_team', budget=0.05)",
         "late", "s, had 0.05 s"),
        ("sheep", f"nycu_sheep(command='{shutil.which('false')}')", "failed", "status 1"),
        ("sheep", f"nycu_sheep(command='{shutil.which('true')}')", "failed", "without connecting"),
        ("sheep", f"nycu_sheep(command='{sys.executable} {BOTS}/nycu/crash.py')", "failed",
         "it was ended by SIGSEGV; its last error line: pasture is None"),
        ("connect_n(width=3, n=3)", f"kaggle_connectx(path='{BOTS}/kaggle/one_argument.py')",
         "illegal", "3, which is not legal"),
    ],
)  # fmt: skip
def test_a_fault_is_reported_in_the_courses_terms(game, bot, fault, reason):
    game = load_game(game)
    players = [load_agent(bot)] + [load_agent("random")] * (game.facts.players - 1)
    record = play_game(game, players)
    assert (record.fault, record.ending) == (0, fault)
    assert reason in record.reason


@pytest.mark.parametrize(
    ("game", "bot", "message"),
    [
        ("connect_n", SPECS[0][1], "brown_tron plays tron, not connect_n"),
        ("tron(simultaneous=True)", SPECS[0][1], "by turns"),
        ("tron(map=joust)", SPECS[-1][1], "cannot play with power-ups"),
        ("tron", "brown_tron", "path must name the bot's file"),
        ("tron", "brown_tron(path='no_such.py')", "no file 'no_such.py'"),
        ("expendibots", "unimelb_expendibots(path='no_such')", "no folder 'no_such'"),
        ("sheep", "nycu_sheep(path='a', command='b')", "not both"),
        ("tron", f"brown_tron(path='{BOTS}/brown/bots.py', python='python1')", "no interpreter"),
    ],
)
def test_impossible_options_are_reported_before_the_game(game, bot, message):
    with pytest.raises(PlygroundError, match=message):
        load_agent(bot).prepare(load_game(game))


def test_a_bot_among_huge_files_is_not_copied_for_every_game(tmp_path):
    shutil.copy(BOTS / "kaggle" / "submission.py", tmp_path)
    with (tmp_path / "film").open("wb") as file:
        file.truncate(2**30)
    record = play_game(
        load_game("connect_n"),
        [load_agent("random"), load_agent("kaggle_connectx", path=str(tmp_path / "submission.py"))],
    )
    assert "more than 1000 files or 64 MiB" in record.reason


def test_links_in_a_bots_folder_lead_nowhere_else(tmp_path):
    team = tmp_path / "team"
    (team / "deep").mkdir(parents=True)
    (team / ".git").mkdir()
    (team / ".git" / "objects").write_text("large")
    (team / "deep" / "up").symlink_to("/")
    (team / "secret").symlink_to("/etc/hostname")
    os.mkfifo(team / "pipe")
    (team / "deep" / "kept").write_text("kept")
    copy_all([team], tmp_path / "copy")
    found = sorted(
        str(each.relative_to(tmp_path / "copy")) for each in (tmp_path / "copy").rglob("*")
    )
    assert found == ["team", "team/deep", "team/deep/kept", "team/secret"]
    assert (tmp_path / "copy" / "team" / "secret").is_symlink()


# The interpreter --------------------------------------------------------------------------------


@pytest.mark.parametrize("shim", sorted(SHIMS.rglob("*.py")), ids=lambda shim: shim.name)
def test_shims_are_read_by_old_interpreters(shim):
    ast.parse(shim.read_text(), feature_version=(3, 6))
    assert "import plyground." not in shim.read_text()


def interpreters():
    """List interpreters of other versions that work here."""
    for minor in range(6, 15):
        python = shutil.which(f"python3.{minor}")
        works = python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0
        if works and minor != sys.version_info[1]:
            yield python


def test_a_bot_has_its_own_interpreter(tmp_path):
    others = list(interpreters())
    if not others:
        pytest.skip("there is one version of Python here")
    source = (BOTS / "kaggle" / "submission.py").read_text()
    other = f"import sys\nassert sys.version_info[1] != {sys.version_info[1]}\n"
    (tmp_path / "bot.py").write_text(other + source)
    bot = load_agent("kaggle_connectx", path=str(tmp_path / "bot.py"), python=others[0])
    record = play_game(load_game("connect_n"), [bot, load_agent("random")])
    assert (record.ending, record.reason) == (FINISHED, "")


# Modules that courses hand out ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["empty_room", "center_block", "hunger_games", "joust"])
def test_the_problem_of_the_course_has_our_rules(course, name):
    problem = course("tronproblem", "brown")
    read_state = course("brown_tron").read_state
    game = load_game(f"tron(map={name})")
    for seed in range(6):
        stream = random.Random(seed)
        position = game.start(seed)
        while not position.is_over:
            state = read_state(position.to_text())
            asp = problem.TronProblem.from_state(state)
            safe = asp.get_safe_actions(
                state.board, state.player_locs[state.ptm], state.player_has_armor(state.ptm)
            )
            lively = position.parse(stream.choice(sorted(safe or "UDLR")))
            for action in position.legal_actions:
                after = position.play(action)
                successor = asp.transition(state, position.format(action))
                assert asp.is_terminal_state(successor) == after.is_over
                assert (position.format(action) not in safe) == after.is_over
                if after.is_over:
                    wins = [(each + 1) / 2 for each in after.returns]
                    assert asp.evaluate_state(successor) == wins
                elif position.to_text().count("*") == after.to_text().count("*"):  # no trap
                    assert vars(successor) == vars(read_state(after.to_text()))
            position = position.play(lively)


@pytest.mark.parametrize("spec", ["connect_n", "connect_n(width=5, height=4, n=3)"])
def test_the_board_of_the_course_has_our_rules(course, spec):
    read_board = course("wpi_connect_n").read_board
    course("board", "wpi")
    game = load_game(spec)
    for seed in range(60):
        stream, position = random.Random(seed), game.start()
        board = read_board(position.to_text(), game.n)
        while not position.is_over:
            assert board.player == position.player + 1
            assert tuple(board.free_cols()) == position.legal_actions
            assert board.get_outcome() == 0
            action = stream.choice(position.legal_actions)
            position = position.play(action)
            board.add_token(action)
            assert vars(board) == vars(read_board(position.to_text(), game.n))
        assert board.get_outcome() == {1.0: 1, -1.0: 2, 0.0: 0}[position.returns[0]]


def test_actions_of_expendibots_are_written_and_read(course):
    shim = course("unimelb_expendibots")
    assert shim.read_action("2c3-c5") == ("MOVE", 2, (2, 2), (2, 4))
    assert shim.read_action("boom-a8") == ("BOOM", (0, 7))
    for seed in range(20):
        position = random_position(load_game("expendibots"), seed, 60)
        for action in position.legal_actions:
            written = shim.read_action(position.format(action))
            assert position.parse(shim.write_action(written)) == action


def test_maps_of_battle_sheep_lie_as_the_course_has_them(course):
    owners, sheep = course("nycu_sheep").read_maps("#.a14/b?c.\n/..d b".replace("\n", ""))
    assert owners == [[-1, 2, 0], [0, 3, 0], [1, 0, 4]]
    assert sheep == [[0, 0, 0], [0, 1, 0], [14, 0, 1]]


def test_the_map_of_the_contest_shows_the_bot_as_1(course):
    write_map = course("tron_contest").write_map
    assert write_map("####/#12#/#x.#/#### 1", 0) == "4 4\n####\n#12#\n## #\n####\n"
    assert write_map("####/#12#/#x.#/#### 2", 1) == "4 4\n####\n#21#\n## #\n####\n"
