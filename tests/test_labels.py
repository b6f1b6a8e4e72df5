"""Labels name entrants in tables, stores, ratings and reports."""

import csv
import json

import pytest

from plyground import PlygroundError, Tournament
from plyground.arena.plan import digest, split_label
from plyground.arena.ratings import rate, unique_labels
from plyground.arena.record import Record, read_text, write_text
from plyground.arena.tournament import play_tournament

MATCH = ("match", "connect_n", "alice=random", "bob=greedy", "--games", "2", "--workers", "1")
PLAIN = "def agent(observation, configuration):\n    return observation.board.index(0)\n"


@pytest.mark.parametrize(
    ("text", "label", "spec"),
    [
        ("mcts", "", "mcts"),
        ("mcts(simulations=5)", "", "mcts(simulations=5)"),
        ("alice=mcts(simulations=5)", "alice", "mcts(simulations=5)"),
        ("Team 7.b-c = bots/x.py", "Team 7.b-c", " bots/x.py"),
        ("./a=b.py", "", "./a=b.py"),
        ("=mcts", "", "=mcts"),
        (f"{'x' * 41}=mcts", "", f"{'x' * 41}=mcts"),
    ],
)
def test_a_label_comes_before_the_spec(text, label, spec):
    assert split_label(text) == (label, spec)


def test_a_plan_keeps_labels_apart_from_what_it_plays():
    plan = Tournament("connect_n", ("alice=random()", "greedy"), games=2)
    assert plan.agents == ("random", "greedy")
    assert plan.labels == plan.names == ("alice", "greedy")
    assert Tournament.make(plan.changed()) == plan
    bare = Tournament("connect_n", ("random", "greedy"), games=2)
    assert bare.names == ()
    assert bare.labels == bare.agents
    assert plan.digest == bare.digest == digest(plan.changed())
    records = list(play_tournament(plan))
    assert [record.names for record in records] == [("alice", "greedy"), ("greedy", "alice")]
    assert [record.agents for record in records] == [("random", "greedy"), ("greedy", "random")]
    assert [each.actions for each in records] == [each.actions for each in play_tournament(bare)]
    for record in records:
        assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
        assert read_text(write_text(record)) == record
    (unnamed, _) = play_tournament(bare)
    assert "names" not in unnamed.to_json()
    assert "[Name1" not in write_text(unnamed)


@pytest.mark.parametrize(
    ("agents", "more", "complaint"),
    [
        (("a=random", "a=greedy"), {}, "two agents are called 'a'"),
        (("random", "random=greedy"), {}, "two agents are called 'random'"),
        (("random", "greedy"), {"names": ("x",)}, "1 name for 2 agents"),
        (("a=b=random", "greedy"), {}, "unknown agent 'b=random'"),
    ],
)
def test_labels_that_do_not_tell_apart_are_refused(agents, more, complaint):
    with pytest.raises(PlygroundError, match=complaint):
        Tournament("connect_n", agents, **more)
    Tournament("connect_n", ("random", "random"))  # without labels, names may be equal


def test_seconds_go_by_label(run):
    agents = ("a=random", "b=random", "greedy")
    plan = Tournament("connect_n", agents, seconds=1.0, seconds_of=("b=3", "greedy=2"))
    assert [limit.seconds for limit in plan.limits] == [1.0, 3.0, 2.0]
    assert Tournament.make(plan.changed()) == plan
    by_spec = Tournament("connect_n", agents, seconds_of=("random=4",))
    assert [limit.seconds for limit in by_spec.limits] == [4.0, 4.0, None]
    with pytest.raises(PlygroundError, match="unknown agent of seconds_of 'c'; known: a, b"):
        Tournament("connect_n", agents, seconds_of=("c=1",))


def test_a_label_is_shown_everywhere(run, tmp_path):
    store, page, sheet = str(tmp_path / "g.sqlite"), tmp_path / "r.html", tmp_path / "r.csv"
    replay = tmp_path / "best.svg"
    files = ("--report", str(page), "--report", str(sheet), "--replay", str(replay))
    code, out, err = run(*MATCH, "--store", store, *files)
    assert code == 0, err
    assert "alice" in out
    assert "random" not in out
    assert {row["bot"] for row in csv.DictReader(sheet.open())} == {"alice", "bob"}
    assert "alice" in page.read_text()
    assert "alice" in replay.read_text()
    output = json.loads(run(*MATCH, "--store", "none", "--json")[1])
    assert output["entrants"] == [
        {"name": "alice", "agent": "random"}, {"name": "bob", "agent": "greedy"},
    ]  # fmt: skip
    assert {row["agent"] for row in output["standings"]} == {"alice", "bob"}
    assert "alice, bob" in run("runs", "list", "--store", store)[1]
    _, out, _ = run("runs", "show", "1", "--store", store)
    assert "alice = random\nbob = greedy\n" in out
    assert "bob - alice" in out
    assert '[Name2 "alice"]' in run("runs", "show", "1", "2", "--store", store)[1]
    (rated,) = json.loads(run("ratings", "--json", "--store", store, "--anchor", "alice")[1])
    assert {row["agent"]: row["identity"] for row in rated["agents"]} == {
        "alice": "random", "bob": "greedy",
    }  # fmt: skip
    assert rated["agents"][-1]["elo"] == 0
    exported, other = tmp_path / "g.jsonl", str(tmp_path / "other.sqlite")
    exported.write_text(run("runs", "export", "--store", store)[1])
    assert run("runs", "import", str(exported), "--store", other)[0] == 0
    assert run("runs", "export", "--store", other)[1] == exported.read_text()


def test_a_run_is_resumed_under_other_labels(run, tmp_path):
    store = ("--store", str(tmp_path / "games.sqlite"))
    assert run(*MATCH, *store)[0] == 0
    code, out, _ = run("match", "connect_n", "x=random", "greedy", *MATCH[4:], *store, "--resume")
    assert code == 0
    assert "run 1" in out
    assert " x " in out
    assert "alice" not in out


def test_the_same_label_for_different_agents_is_told_apart_in_ratings():
    names = {
        "random": ["random", "alice"],
        "greedy": ["alice"],
        "bot.py@0123abcd": ["x.py", "bob"],
        "bot.py@89ef0123": ["y.py", "bob"],
        "bot.py@89ef0123(a=1)": ["y.py(a=1)", "bob"],
        "mcts": ["mcts"],
    }
    assert unique_labels(list(names.items())) == [
        "alice (random)", "alice (greedy)", "bob @0123abcd",
        "bob @89ef0123 (bot.py@89ef0123)", "bob @89ef0123 (bot.py@89ef0123(a=1))", "mcts",
    ]  # fmt: skip
    entered = ("a=random", "greedy"), ("random", "a=greedy")
    plans = [Tournament("connect_n", agents, games=4) for agents in entered]
    rows = rate([record for plan in plans for record in play_tournament(plan)]).rows
    assert {row.agent: row.games for row in rows} == {
        "a (random)": 4, "greedy": 4, "random": 4, "a (greedy)": 4,
    }  # fmt: skip


def test_a_plan_in_a_file_has_labels(run, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('game = "connect_n"\nagents = ["alice=random", "bob=greedy"]\ngames = 2\n')
    options = ("--store", "none", "--workers", "1")
    _, out, _ = run("tournament", str(plan), *options)
    assert "alice" in out
    assert "bob" in out
    plan.write_text(plan.read_text().replace("bob=", "alice="))
    assert "two agents are called 'alice'" in run("tournament", str(plan), *options)[2]


def test_settings_apply_to_a_plan_in_a_file(run, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('game = "connect_n(n=3)"\nagents = ["random", "greedy"]\ngames = 2\n')
    command = ("tournament", str(plan), "--store", "none", "--workers", "1", "--json")
    output = json.loads(run(*command, "--set", "width=5")[1])
    assert output["game"] == "connect_n(width=5, n=3)"
    assert "did you mean 'width'?" in run(*command, "--set", "widht=5")[2]


def test_bots_of_two_folders_have_names_of_their_own(run, tmp_path):
    for folder in ("monday", "friday"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ada.py").write_text(PLAIN)
    (tmp_path / "friday" / "ada").mkdir()
    (tmp_path / "friday" / "ada" / "bot.py").write_text(PLAIN)
    command = ("tournament", "connect_n", str(tmp_path / "monday"), str(tmp_path / "friday"))
    code, out, err = run(
        *command, "--interface", "kaggle_connectx", "--games", "1", "--json", "--workers", "1",
        "--store", str(tmp_path / "games.sqlite"),
    )  # fmt: skip
    assert code == 0, err
    names = [each["name"] for each in json.loads(out)["entrants"]]
    assert names == ["ada", "friday/ada", "ada.py"]
    assert "names" in json.loads(out)["games"][0]
    output = run("match", "connect_n", f"x={tmp_path}/monday", "random")[2]
    assert "x cannot start" in output  # a folder with a label is one bot
