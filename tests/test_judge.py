"""The commands `ratings` and `sprt` as a person or a script runs them."""

import json

import pytest

from plyground.arena.plan import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.tune.tuning import Tuning


def test_a_sequential_test_stops_by_itself(run):
    code, out, err = run("sprt", "connect_n", "greedy", "random", "--elo1", "100")
    assert (code, err) == (0, "")
    assert "A = greedy, B = random" in out
    assert "accepted: A is 100 Elo stronger, rather than 0" in out
    _, out, _ = run("sprt", "connect_n", "random", "greedy", "--elo1", "100", "--workers", "1")
    assert "accepted: A is 0 Elo stronger, rather than 100" in out


def test_a_sequential_test_prints_json_and_can_be_repeated(run):
    command = ("sprt", "connect_n", "greedy", "random", "--elo0=50", "--elo1=150", "--store=none")
    output = [json.loads(run(*command, "--json")[1]) for _ in range(2)]
    assert output[0] == output[1]
    assert output[0]["verdict"] == "H1"
    assert output[0]["games"] == 2 * sum(output[0]["pairs"])
    assert output[0]["ratio"] >= output[0]["bounds"][1]
    assert output[0]["agents"] == ["greedy", "random"]


def test_a_sequential_test_gives_up(run):
    code, out, _ = run(
        "sprt", "connect_n", "random", "random", "--max-games", "7", "--workers", "1"
    )
    assert code == 0
    assert "not decided" in out


@pytest.mark.parametrize(
    "limit",
    [
        ("--max-plies", "6"),  # nobody has four stones yet: all games are drawn
        ("--nodes", "1"),  # nobody sees anything, so that equal openings are played equally
    ],
)
def test_games_and_searches_of_a_sequential_test_can_be_limited(run, limit):
    players = "alphabeta(depth=6)", "alphabeta(depth=1)"
    games = "--max-games", "8", "--workers", "1", "--store", "none", "--json"
    _, out, _ = run("sprt", "connect_n", *players, *games)
    assert json.loads(out)["score"] > 0.5
    _, out, _ = run("sprt", "connect_n", *players, *games, *limit)
    assert json.loads(out)["score"] == 0.5


def test_few_starts_are_pointed_out(run):
    players = "alphabeta(depth=1)", "alphabeta(depth=2)"
    limits = "--opening", "1", "--max-games", "60", "--elo1", "1", "--workers", "1"
    _, _, err = run("sprt", "connect_n", *players, *limits)
    assert "games repeat others (equal starts, deterministic agents) and are not counted" in err
    assert "--opening of more than 1 ply" in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("robots", "random", "random"), "sprt needs a game of two players; robots has 1"),
        (("sheep", "random", "random"), "sprt needs a game of two players; sheep has 4"),
        (("tron", "random", "random", "--elo1", "-5"), "elo0 (0.0) must be below elo1 (-5.0)"),
        (("tron", "random", "random", "--alpha", "2"), "alpha must be between 0 and 0.5"),
        (("tron", "random", "radnom"), "did you mean 'random'"),
    ],
)
def test_senseless_tests_are_refused_in_one_line(run, arguments, complaint):
    code, out, err = run("sprt", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return the arguments that name a store with games of two, of four and of one player."""
    name = str(tmp_path_factory.mktemp("kept") / "games.sqlite")
    plans = [
        Tournament("connect_n", ("random", "greedy", "mcts(simulations=20)"), seed=1),
        Tournament("sheep", ("greedy", "random", "random", "random"), games=4),
        Tournament("robots", ("random",), games=2),
    ]
    with Store(name) as store:
        for plan in plans:
            for _ in play_tournament(plan, store=store, run=store.begin(plan)):
                pass
    return "--store", name


def test_stored_games_are_rated(run, kept):
    code, out, err = run("ratings", *kept)
    assert code == 0
    assert [game for game in ("connect_n", "sheep") if f"{game}\n" in out.replace(" ", "")] == [
        "connect_n",
        "sheep",
    ]
    assert "robots: ratings need agents that play each other" in err
    code, out, err = run("ratings", "connect_n", "--json", *kept)
    (output,) = json.loads(out)
    assert (code, err) == (0, "")
    assert {row["agent"] for row in output["agents"]} == {
        "random",
        "greedy",
        "mcts(simulations=20)",
    }
    assert output["agents"][-1]["agent"] == "random"
    assert all(row["games"] == 20 for row in output["agents"])
    _, out, _ = run("ratings", "connect_n", "--anchor", "random()", "--json", *kept)
    assert json.loads(out)[0]["agents"][-1]["elo"] == 0


def test_ratings_can_be_of_one_run_and_ask_for_the_first_seat(run, kept):
    (output,) = json.loads(run("ratings", "--run", "2", "--json", *kept)[1])
    assert output["game"] == "sheep"
    _, out, _ = run("ratings", "connect_n", "--first-seat", *kept)
    assert "moving first is worth" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("tron",), "has no such games"),
        (("--run", "9"), "has no run 9"),
        (("connect_n", "--anchor", "mcts"), "unknown agent 'mcts'; known: "),
        (("robots",), "ratings need agents that play each other"),
    ],
)
def test_games_that_cannot_be_rated_are_reported_in_one_line(run, kept, arguments, complaint):
    code, out, err = run("ratings", *arguments, *kept)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


def test_a_game_that_is_kept_is_played_again(run, kept, tmp_path):
    code, out, _ = run("runs", "show", "1", "4", "--play", *kept)
    assert code == 0
    assert "ply 7: player" in out
    for name in ("game.html", "game.svg"):
        code, _, err = run("runs", "show", "1", "4", "--replay", str(tmp_path / name), *kept)
        assert (code, err) == (0, f"replay written to {tmp_path / name}\n")
        shown = (tmp_path / name).read_text()
        assert sum(agent in shown for agent in ("random", "greedy", "mcts(simulations=20)")) == 2
    code, _, err = run("runs", "show", "1", "4", "--replay", str(tmp_path / "no" / "a.svg"), *kept)
    assert (code, err.count("\n")) == (2, 1)


def test_workers_do_not_change_the_verdict_and_more_games_answer_another_question(run, tmp_path):
    store = ("--store", str(tmp_path / "games.sqlite"))
    players = "mcts(simulations=30)", "mcts(simulations=10)"
    command = ("sprt", "connect_n", *players, "--elo1=80", "--max-games=200", "--json")
    alone = json.loads(run(*command, "--workers=1", *store)[1])
    assert alone["run"] == 1
    several = json.loads(run(*command, "--workers=2", "--store=none")[1])
    assert several == alone | {"run": 0}
    again = json.loads(run(*command, "--resume", "--workers=1", *store)[1])
    assert again["pairs"] == alone["pairs"]


def test_a_sequential_test_has_labels_and_clocks(run, tmp_path):
    store = ("--store", str(tmp_path / "games.sqlite"))
    command = ("sprt", "connect_n", "new=greedy", "old=random", "--elo1", "100", "--workers", "1")
    clocks = ("--clock", "cpu", "--seconds", "20", "--seconds-of", "old=10", "--ponder")
    code, out, _ = run(*command, *clocks, *store)
    assert code == 0
    assert "A = new, B = old" in out
    (stored,) = json.loads(run("runs", "list", "--json", *store)[1])
    plan = stored["tournament"]
    assert (plan["clock"], plan["ponder"], plan["seconds_of"]) == ("cpu", True, ["old=10.0"])
    assert plan["names"] == ["new", "old"]
    assert "unknown agent of seconds_of 'x'" in run(*command, "--seconds-of", "x=1", *store)[2]


def test_a_search_for_better_options_has_clocks():
    tuning = Tuning(
        "connect_n", "greedy", ("evaluate.zugzwang",), seconds=1.0, clock="cpu", ponder=True
    )
    (plan,) = tuning.plans(0, ["greedy"], 2)
    assert (plan.clock, plan.ponder, plan.seconds) == ("cpu", True, 1.0)


def test_a_test_that_was_decided_is_listed_as_decided(run, tmp_path):
    store = ("--store", str(tmp_path / "games.sqlite"))
    players = ("connect_n", "greedy", "random", "--elo1", "100", "--workers", "1")
    assert run("sprt", *players, "--max-games", "2", *store)[0] == 0
    assert run("sprt", *players, *store)[0] == 0
    assert "--resume" not in run("sprt", *players, *store)[2]
    undecided, *decided = json.loads(run("runs", "list", "--json", *store)[1])
    assert (undecided["verdict"], undecided["games"]) == (None, 2)
    for each in decided:
        assert (each["verdict"], each["total"]) == ("H1", 20_000)
        assert 2 < each["games"] < 20_000
    listed = run("runs", "list", *store)[1]
    assert "2 of 2 games" in listed
    assert listed.count(" games, H1 accepted") == 2
    assert f"run 2, {decided[0]['games']} games, H1 accepted" in run("runs", "show", "2", *store)[1]
    exported = tmp_path / "games.jsonl"
    exported.write_text(run("runs", "export", "2", *store)[1])
    other = ("--store", str(tmp_path / "other.sqlite"))
    assert run("runs", "import", str(exported), *other)[0] == 0
