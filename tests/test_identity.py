"""Identity: players are identified by the content of their files, not by their paths."""

import json
import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sample_options import Sample

from plyground import files, load_agent, load_game, play_game
from plyground.arena.exchange import export_games, import_games
from plyground.arena.plan import Tournament
from plyground.arena.record import Record, read_text, write_text
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.options import Kind, Options, option

ROOT = Path(__file__).parent.parent
BOT = (ROOT / "examples" / "bots" / "random_bot.py").read_text()
MAP = "#####\n#1  #\n#   #\n#  2#\n#####\n"
DIGEST = "@[0-9a-f]{8}"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def program(path):
    return Sample(program=str(path)).identity()


# Specs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["random", "mcts(simulations=10)", "greedy(evaluate='windows(offensiveness=0.35)')", "relay"],
)
def test_agents_without_files_are_identified_by_their_spec(spec, connect_four):
    agent = load_agent(spec)
    assert agent.identity(connect_four) == repr(agent)


def test_a_name_that_is_allowed_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "empty_room", MAP)
    assert load_game("tron(map=empty_room, simultaneous=True)").identity() == (
        "tron(simultaneous=True)"
    )


def test_a_path_becomes_a_name_and_a_digest(tmp_path):
    data = write(tmp_path / "data.bin", "one")
    made = Sample(data=str(data), whole=3)
    assert re.fullmatch(rf"sample\(whole=3, data='data\.bin{DIGEST}'\)", made.identity())
    assert Sample(data="nowhere.bin").identity() == "sample(data='nowhere.bin')"


def test_data_counts_as_it_was_when_it_was_read(tmp_path):
    path = write(tmp_path / "room.txt", MAP)
    game = load_game(f"tron(map='{path}')")
    before = game.identity()
    write(path, MAP.replace("   ", " # "))
    assert game.identity() == before
    assert load_game(f"tron(map='{path}')").identity() != before


def test_the_same_file_by_two_paths_is_one(tmp_path, monkeypatch):
    first = write(tmp_path / "here" / "bot.py", "print(1)")
    second = write(tmp_path / "there" / "bot.py", "print(1)")
    (tmp_path / "link.py").symlink_to(first)
    monkeypatch.chdir(tmp_path)
    assert len({program(each) for each in (first, second, "here/bot.py", "link.py")}) == 1
    second.write_text("print(2)")
    assert program(first) != program(second)


def test_a_folder_is_known_by_all_that_is_its_own(tmp_path):
    bot = write(tmp_path / "team" / "__init__.py", "").parent
    write(bot / "deep" / "rules.py", "x = 1")
    before = program(bot)
    assert re.fullmatch(rf"sample\(program='team{DIGEST}'\)", before)
    assert program(f"{bot}:Other") == before.replace("')", ":Other')")
    for hidden in (".git/config", "__pycache__/a.pyc", "deep/__pycache__/b.pyc", ".hidden"):
        write(bot / hidden, "whatever")
    assert program(bot) == before
    copy = shutil.copytree(bot, tmp_path / "other" / "team")
    assert program(copy) == before
    write(copy / "deep" / "rules.py", "x = 2")
    assert program(copy) != before
    write(bot / "deep" / "more.py", "")
    assert program(bot) != before


def test_a_file_counts_with_those_beside_it_that_it_names(tmp_path):
    bot = write(tmp_path / "bot.py", "from helper import f\nopen('book.v2.dat')\n")
    for name in ("helper.py", "book.v2.dat", "table.py", "stranger.py", "games.sqlite"):
        write(tmp_path / name, "")
    write(tmp_path / "helper.py", "import table, lib.more\n")
    write(tmp_path / "lib" / "more.py", "")
    before = program(bot)
    for name in ("stranger.py", "games.sqlite"):
        write(tmp_path / name, "changed")
        assert program(bot) == before
    for name in ("helper.py", "book.v2.dat", "table.py", "lib/more.py"):
        old = (tmp_path / name).read_text()
        write(tmp_path / name, old + "# changed")
        assert program(bot) != before
        write(tmp_path / name, old)
        assert program(bot) == before


def test_a_command_is_known_by_its_files_and_the_names_of_installed_programs(tmp_path):
    bot = write(tmp_path / "my bot.py", BOT)

    def command(text):
        return load_agent("remote", command=text).identity()

    by_name = command(f"{Path(sys.executable).name} '{bot}' -x 7")
    assert re.fullmatch(rf"remote\(command=\"\S+ 'my bot\.py{DIGEST}' -x 7\"\)", by_name)
    assert command(f"{sys.executable} '{bot}' -x 7") == by_name
    assert command(f"{sys.executable} '{bot}' -x 8") != by_name
    compiled = write(tmp_path / "compiled", "\0binary")
    assert re.fullmatch(rf"remote\(command='compiled{DIGEST}'\)", command(str(compiled)))
    assert command("'no shell would read this") == repr(
        load_agent("remote", command="'no shell would read this")
    )


def test_agents_in_agents_and_evaluators_count_with_their_files(tmp_path, connect_four):
    bot = write(tmp_path / "bot.py", BOT)
    relay = load_agent("relay", then=f"remote(command='python3 {bot}')")
    before = relay.identity()
    assert re.fullmatch(rf"relay\(then=\"remote\(command='python\S* bot\.py{DIGEST}'\)\"\)", before)
    bot.write_text(BOT + "\n")
    assert relay.identity() != before

    class Game:
        """The part of a game that an identity asks for."""

        def evaluator(self, spec):
            return Weighed(weights=str(tmp_path / "net.onnx"))

    class Weighed(Options):
        name = "weighed"
        weights: str = option("", kind=Kind.FILE)

    write(tmp_path / "net.onnx", "weights")
    agent = load_agent("greedy(evaluate=weighed)")
    output = rf"greedy\(evaluate=\"weighed\(weights='net\.onnx{DIGEST}'\)\"\)"
    assert re.fullmatch(output, agent.identity(Game()))


def test_a_game_in_a_file_is_identified_by_its_content(tmp_path, fresh_python):
    """Uses two processes, because an imported module does not change in the first."""
    source = (ROOT / "examples" / "tic_tac_toe.py").read_text()
    ask = "import sys; from plyground import load_game; print(load_game(sys.argv[1]).identity())"
    output = []
    for name, text in (("one", source), ("two", source), ("two", source + "# edited\n")):
        path = write(tmp_path / name / "tic_tac_toe.py", text)
        output.append(fresh_python(ask, path).stdout.strip())
    assert re.fullmatch(rf"tic_tac_toe\.py{DIGEST}", output[0])
    assert output[0] == output[1] != output[2]


# Bounds -----------------------------------------------------------------------------------------


def test_of_a_huge_folder_only_so_much_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_FILES", 5)
    for number in range(8):
        write(tmp_path / "bot" / f"{number}.txt", "x")
    before = program(tmp_path / "bot")
    write(tmp_path / "bot" / "7.txt", "changed")
    assert program(tmp_path / "bot") == before
    write(tmp_path / "bot" / "4.txt", "y")
    assert program(tmp_path / "bot") != before


def test_beyond_so_many_bytes_sizes_count(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    write(tmp_path / "bot" / "a.bin", "x" * 8)
    other = write(tmp_path / "bot" / "b.bin", "x" * 8)
    before = program(tmp_path / "bot")
    other.write_text("y" * 8)
    assert program(tmp_path / "bot") == before
    other.write_text("y" * 9)
    assert program(tmp_path / "bot") != before
    other.write_text("x" * 8)
    write(tmp_path / "bot" / "a.bin", "y" * 8)
    assert program(tmp_path / "bot") != before


def test_links_that_lead_nowhere_or_round_are_no_error(tmp_path):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "loop").symlink_to(tmp_path / "bot")
    (tmp_path / "bot" / "gone").symlink_to("nowhere")
    assert re.search(DIGEST, program(tmp_path / "bot"))
    (tmp_path / "round").symlink_to("round")
    assert program(tmp_path / "round").endswith("round')")
    assert program("a\0b") == repr(Sample(program="a\0b"))


# Records ----------------------------------------------------------------------------------------


@pytest.fixture
def bot(tmp_path):
    return write(tmp_path / "bots" / "bot.py", BOT)


def spec(bot):
    return repr(load_agent("remote", command=f"{sys.executable} {bot}"))


def play(game, bot, seed=0):
    return play_game(load_game(game), [load_agent(spec(bot)), load_agent("random")], seed=seed)


def test_a_record_holds_the_identities_of_the_players(tmp_path, bot):
    room = write(tmp_path / "room.txt", MAP)
    record = play(f"tron(map='{room}')", bot)
    assert record.agents == (spec(bot), "random")
    assert re.fullmatch(rf"remote\(command='python\S* bot\.py{DIGEST}'\)", record.identities[0])
    assert record.identities[1] == "random"
    assert re.fullmatch(rf"tron\(map='room\.txt{DIGEST}'\)", record.game_identity)
    bot.write_text(BOT + "\n")
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    assert read_text(write_text(record)) == replace(record, logs=())
    assert play(f"tron(map='{room}')", bot).identities[0] != record.identities[0]


def test_a_record_without_files_is_written_as_before(connect_four):
    record = play_game(connect_four, [load_agent("random")] * 2)
    assert not {"identities", "game_identity"} & set(record.to_json())
    assert record.identities == record.agents
    assert record.game_identity == record.game
    assert "Identit" not in write_text(record)


def test_a_store_holds_identities_and_exports_them(tmp_path, bot):
    plan = Tournament(game="connect_n", agents=(spec(bot), "random"), games=2)
    with Store(str(tmp_path / "one.sqlite")) as one, Store(str(tmp_path / "two.sqlite")) as two:
        run = one.begin(plan)
        played = list(play_tournament(plan, store=one, run=run))
        bot.write_text(BOT + "\n")
        with (tmp_path / "games.jsonl").open("w") as out:
            export_games(one, one.runs(), out)
        import_games(two, tmp_path / "games.jsonl")
        assert list(two.records(two.runs()[0].id)) == played
        assert one.runs(plan)[0].id == run  # an edited bot does not change the plan
    assert plan.agents == (spec(bot), "random")
    assert re.search(DIGEST, played[0].identities[played[0].entrants.index(0)])


# Ratings ----------------------------------------------------------------------------------------


@pytest.fixture
def rated(run, tmp_path):
    """Play matches against `random` into one store; return the output of `ratings`."""
    store = str(tmp_path / "games.sqlite")

    def play(agent, game="connect_n", seed=0):
        output = ("--games", "4", "--workers", "1", "--seed", str(seed), "--store", store)
        code, _, err = run("match", game, agent, "random", *output)
        assert code == 0, err

    def ask(*more):
        code, out, err = run("ratings", "--store", store, "--json", *more)
        return json.loads(out) if code == 0 else err

    return play, ask


def test_an_edited_bot_is_another_player(rated, bot):
    play, ask = rated
    play(spec(bot))
    bot.write_text(BOT.replace('message["legal"]', 'message["legal"][:1]'))
    play(spec(bot))
    (table,) = ask()
    rows = {row["agent"]: row for row in table["agents"]}
    assert len(rows) == 3
    assert rows["random"]["games"] == 8
    edited = [name for name in rows if name != "random"]
    assert all(re.fullmatch(re.escape(spec(bot)) + f" {DIGEST}", name) for name in edited)
    assert {rows[name]["games"] for name in edited} == {4}
    assert "several agents are called" in ask("--anchor", spec(bot))
    for anchor in (edited[0], rows[edited[0]]["identity"]):
        (table,) = ask("--anchor", anchor)
        assert {row["agent"]: row["elo"] for row in table["agents"]}[edited[0]] == 0


def test_an_edited_bot_that_plays_as_before_counts_as_well(rated, bot):
    play, ask = rated
    play(spec(bot))
    bot.write_text(BOT + "\n")
    play(spec(bot))
    (table,) = ask()
    assert table["repeats"] == 0
    assert [row["games"] for row in table["agents"] if row["agent"] != "random"] == [4, 4]


def test_two_entrants_of_a_run_stay_two_even_if_they_are_the_same_program(run, bot, tmp_path):
    copy = write(tmp_path / "elsewhere" / "bot.py", BOT)
    store = ("--store", str(tmp_path / "games.sqlite"))
    entrants = (f"alice={spec(bot)}", f"bob={spec(copy)}", "carl=greedy", "dora=greedy")
    for _ in range(2):  # with repeats: dora's games against bots equal carl's in all but the names
        command = ("tournament", "connect_n", *entrants, "--games", "2", "--workers", "1", *store)
        code, _, err = run(*command)
        assert code == 0, err
    code, out, err = run("ratings", *store, "--json")
    assert code == 0, err
    (table,) = json.loads(out)
    assert {row["agent"]: row["games"] for row in table["agents"]} == dict.fromkeys(
        ("alice", "bob", "carl", "dora"), 6
    )
    assert sorted(map(sorted, table["same_program"])) == [["alice", "bob"], ["carl", "dora"]]
    assert table["repeats"] == 12
    output = run("ratings", *store)[1]
    for pair in ("alice and bob", "carl and dora"):
        first, _, second = pair.split()
        assert re.search(f"({pair}|{second} and {first}) are the same program", output)


def test_the_same_bot_by_two_paths_is_one_player(rated, bot, tmp_path):
    play, ask = rated
    copy = write(tmp_path / "elsewhere" / "bot.py", BOT)
    play(spec(bot))
    play(spec(copy), seed=1)
    (table,) = ask()
    rows = {row["agent"]: row for row in table["agents"]}
    assert set(rows) == {"random", spec(copy)}  # under its latest name
    assert rows[spec(copy)]["games"] == 8
    assert ask("--anchor", spec(bot))[0]["agents"][0]["games"] == 8


def test_a_folder_of_a_bot_is_one_player_until_a_file_in_it_is_edited(rated, tmp_path):
    play, ask = rated
    team = shutil.copytree(ROOT / "tests" / "courses" / "Group02", tmp_path / "a" / "Group02")
    agent = "wpi_connect_n(path='{}', agent='TOURNAMENT_AGENT')"
    play(agent.format(team))
    play(agent.format(shutil.copytree(team, tmp_path / "b" / "Group02")), seed=1)
    assert [row["games"] for row in ask()[0]["agents"]] == [8, 8]
    with (team / "choice.py").open("a") as file:
        file.write("# edited\n")
    play(agent.format(team), seed=2)
    assert sorted(row["games"] for row in ask()[0]["agents"]) == [4, 8, 12]


def test_games_on_an_edited_map_are_rated_apart(rated, tmp_path):
    play, ask = rated
    room = write(tmp_path / "a" / "room.txt", MAP)
    copy = write(tmp_path / "b" / "room.txt", MAP)
    game = "tron(map='{}')"
    play("greedy", game.format(room))
    play("greedy", game.format(copy), seed=1)
    (table,) = ask()
    assert table["game"] == game.format(copy)
    assert [row["games"] for row in table["agents"]] == [8, 8]
    (table,) = ask(game.format(room))  # by either path
    assert [row["games"] for row in table["agents"]] == [8, 8]
    write(copy, MAP.replace("#   #", "# # #"))
    play("greedy", game.format(copy), seed=2)
    tables = ask()
    assert all(re.fullmatch(rf".*/b/room\.txt'\) {DIGEST}", each["game"]) for each in tables)
    assert sorted(table["agents"][0]["games"] for table in tables) == [4, 8]
    assert len({table["game"] for table in tables}) == 2


def test_games_of_earlier_versions_are_rated_by_spec(rated, bot, tmp_path):
    play, ask = rated
    plan = Tournament(game="connect_n", agents=(spec(bot), "random"), games=2)
    with Store(str(tmp_path / "games.sqlite")) as store:
        run = store.begin(plan)
        old = []
        for record in play_tournament(plan):
            output = record.to_json()
            del output["identities"]
            old.append(Record.from_json(output))
        store.add(run, old)
    (table,) = ask()
    assert {row["agent"] for row in table["agents"]} == {spec(bot), "random"}
    play(spec(bot))
    (table,) = ask()
    names = sorted(row["agent"] for row in table["agents"])
    assert names[:2] == ["random", spec(bot)]
    assert re.fullmatch(re.escape(spec(bot)) + f" {DIGEST}", names[2])


def test_a_pipe_beside_a_bot_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "said")
    (tmp_path / "bot.py").write_text("open('said', 'w').write('hello')\n")
    before = load_agent("remote", command=f"python3 {tmp_path}/bot.py").identity()
    assert re.search(r"bot.py@[0-9a-f]{8}", before)
