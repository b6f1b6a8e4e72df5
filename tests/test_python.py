"""Use from Python or a notebook: texts for games and agents, tables, replays."""

import re
import sys
from html import unescape

import pytest

import plyground
from plyground import PlygroundError, load_agent, load_game, play_game, play_match, rate, to_frame
from plyground.arena.tournament import Standings


@pytest.fixture(scope="module")
def records():
    return list(play_match("connect_n(width=5, height=4)", ["greedy", "random"], 4))


def test_games_and_agents_may_be_texts(records):
    game, agents = load_game("connect_n(width=5, height=4)"), ["greedy", "random"]
    made = list(play_match(game, [load_agent(agent) for agent in agents], 4))
    assert [record.actions for record in records] == [record.actions for record in made]
    record = play_game("connect_n", ["random", load_agent("random")])
    assert record.agents == ("random", "random")


def test_objects_are_loaded_unchanged():
    game = load_game("connect_n(width=5)")
    assert load_game(game) is game
    assert repr(load_game(game, height=4)) == "connect_n(width=5, height=4)"


@pytest.mark.parametrize(
    ("game", "agents", "message"),
    [
        ("connect_m", ["random", "random"], "did you mean 'connect_n'"),
        ("connect_n", ["random", "radnom"], "unknown agent 'radnom'; did you mean 'random'"),
        ("connect_n", ["random"], "connect_n has 2 players, 1 agent given"),
        (4, ["random", "random"], "4 is no game: give its text or an object of class Game"),
        (
            "connect_n",
            ["random", None],
            "None is no agent: give its text or an object of class Agent",
        ),
    ],
)
@pytest.mark.parametrize("play", [play_game, lambda *given: list(play_match(*given, 2))])
def test_errors_name_what_the_caller_passed(play, game, agents, message):
    with pytest.raises(PlygroundError, match=re.escape(message)):
        play(game, agents)


def test_every_public_name_is_there():
    assert plyground.__version__
    assert all(getattr(plyground, name) is not None for name in plyground.__all__)


def test_a_record_shows_itself_as_a_replay(records):
    shown = records[0]._repr_html_()
    page = unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" [^>]*></iframe>', shown)[1])
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "greedy" in page


def test_tables_become_frames(records):
    pytest.importorskip("pandas")
    games = to_frame(records)
    assert games["returns1"].tolist() == [record.returns[0] for record in records]
    assert games["plies"].tolist() == [len(record.actions) for record in records]
    assert records[0].to_frame()["action"].tolist() == list(records[0].actions)
    table = Standings(["greedy", "random"])
    for record in records:
        table.add(record)
    assert table.to_frame()["agent"].tolist() == [row.agent for row in table.rows()]
    assert rate(records).to_frame()["elo"].is_monotonic_decreasing


def test_without_pandas_one_line_says_what_is_missing(records, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PlygroundError, match="to_frame needs pandas: pip install pandas"):
        to_frame(records)
