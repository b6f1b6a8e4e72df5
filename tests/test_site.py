"""The site, by messages to a real server: play, watch, analyse, restart."""

import json
import signal
import sqlite3
import time

import pytest
from site_of import WAIT, Visitor, drawn, running

from plyground.games import load_game
from plyground.web.drawing import Drawing

GAMES = ("connect_n", "tron", "sheep", "robots", "expendibots")
RANDOM = {"kind": "agent", "agent": {"name": "random"}}
"""An opponent that needs no search to be compiled."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with running(folder / "games.sqlite", "--workers", "2") as started:
        yield started


@pytest.fixture
def visitor(site):
    return Visitor(site.address)


def people(count):
    return [{"kind": "person"}] * count


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_messages(visitor, game):
    players = load_game(game).facts.players
    seats = [{"kind": "person"}, *[RANDOM] * (players - 1)]
    made = visitor.make(game, seats=seats, seed=3)
    with visitor.join(made) as page:
        page.wait_for_turn()
        while not page.state["over"]:
            legal = page.state["legal"]
            chosen = legal[len(page.state["moves"]) % len(legal)]
            assert page.move(chosen["action"])["type"] == "accepted"
            page.wait_for_turn()
        state = page.state
    assert state["outcome"]
    assert state["turn"] is None
    rules = load_game(game)
    position = rules.parse(state["start"]["text"])
    for move in state["moves"]:
        assert move["text"] == position.format(move["action"])
        assert move["seat"] == position.player
        position = position.play(move["action"])
    assert position.to_text() == state["moves"][-1]["position"]
    expected = [shape.to_json() for shape in Drawing.of(rules.draw(position)).shapes]
    assert drawn(state) == expected
    assert visitor.http.get(f"/api/games/{made}").json()["moves"] == state["moves"]
    assert "[Game" in visitor.http.get(f"/api/games/{made}/record.txt").text


def test_undo_takes_back_ones_own_move_and_the_reply(visitor):
    made = visitor.make("connect_n", seats=[{"kind": "person"}, RANDOM])
    with visitor.join(made) as page:
        page.wait_for_turn()
        start = page.state["version"]
        page.move(3)
        page.wait_for_turn()
        assert len(page.state["moves"]) == 2
        assert page.ask("undo", ply=2)["type"] == "accepted"
        assert page.state["ply"] == 0
        assert page.state["version"] == start + 3
        assert page.ask("undo", ply=0)["type"] == "refused"
        page.move(0)
        page.wait_for_turn()
        assert page.state["moves"][0]["text"] == "1"
        assert page.ask("resign")["type"] == "accepted"
        assert page.state["outcome"] == "player 1 resigned: gave up"
        assert page.ask("undo", ply=2)["type"] == "accepted"
        assert not page.state["over"]
        page.ask("resign")
        assert page.ask("rematch")["type"] == "accepted"
        following = next(message for message in page.seen if message["type"] == "rematch")["id"]
    with visitor.join(following) as page:
        page.wait_for_turn()
        assert [seat["kind"] for seat in page.state["seats"]] == ["agent", "person"]
        assert len(page.state["moves"]) == 1


def test_two_people_at_one_board(site, visitor):
    made = visitor.make("connect_n", seats=[{"kind": "person", "name": "<b>Ann"}, {"kind": "open"}])
    other = Visitor(site.address)
    with visitor.join(made) as one, other.join(made) as two:
        one.hear()
        two.hear()
        assert one.move(3) == one.seen[-1]
        assert one.seen[-1]["reason"] == "a seat is still open"
        assert two.ask("sit", seat=1, name="Bob")["type"] == "accepted"
        one.wait_for_turn()
        assert [seat["name"] for seat in one.state["seats"]] == ["<b>Ann", "Bob"]
        assert two.ask("move", ply=0, action=0)["type"] == "refused"
        assert one.move(3)["type"] == "accepted"
        two.wait_for_turn()
        assert two.state["moves"][0]["text"] == "4"
        assert two.ask("undo", ply=1)["type"] == "refused"
        assert two.ask("analyse", ply=1)["type"] == "refused"
        assert one.ask("undo", ply=1)["type"] == "accepted"
        assert one.state["proposal"] == {"undo": [0]}
        two.wait("situation", proposal={"undo": [0]})
        assert two.ask("undo", ply=1)["type"] == "accepted"
        one.wait("undo", ply=0)


def test_a_stale_move_is_refused_and_a_repeated_one_is_played_once(visitor):
    made = visitor.make("connect_n", seats=people(2))
    with visitor.join(made) as page:
        page.wait_for_turn()
        version = page.move(3)["version"]
        page.tell(type="move", request="twice", ply=1, action=3)
        first = page.wait("accepted", request="twice")
        page.tell(type="move", request="twice", ply=1, action=3)
        assert page.wait("accepted", request="twice") == first
        assert page.ask("move", ply=1, action=2)["reason"] == "the game is at ply 2, not 1"
        assert page.hear()["type"] == "state"
        assert page.ask("move", ply=2, action=77)["type"] == "refused"
        assert page.ask("move", ply=2, text="9")["type"] == "refused"
        assert page.ask("move", ply=2, text="7")["type"] == "accepted"
        current = page.state["version"]
        assert len(page.state["moves"]) == 3
    with visitor.join(made, version=version) as page:  # what was missed, and no more
        missed = [page.hear() for _ in range(2)]
        assert [message["move"]["ply"] for message in missed] == [2, 3]
        assert missed[-1]["version"] == current
    with visitor.join(made, version=current) as page:
        assert page.hear()["type"] == "current"
    for unknown in (0, current + 5):
        with visitor.join(made, version=unknown) as page:
            assert page.hear()["type"] == "state"


def test_a_restart_restores_ply_seat_and_clocks(tmp_path):
    store = tmp_path / "games.sqlite"
    clock = {"bank": 300, "increment": 1}
    with running(store) as site:
        visitor = Visitor(site.address)
        made = visitor.make("connect_n", seats=people(2), clock=clock)
        with visitor.join(made) as page:
            page.wait_for_turn()
            page.move(3)
            page.move(4)
            before = page.state
        cookies = dict(visitor.http.cookies)
        assert "Traceback" not in site.stop()
        assert site.process.returncode == 0
    with running(store) as site:
        visitor = Visitor(site.address, **cookies)
        with visitor.join(made) as page:
            page.wait_for_turn()
            after = page.state
            assert page.move(3)["type"] == "accepted"
            page.tell(type="move", request="last", ply=3, action=6)
            page.wait("accepted", request="last")
        site.stop(signal.SIGKILL)
    assert after["moves"] == before["moves"]
    assert after["turn"] == before["turn"] == 0
    assert after["seats"] == before["seats"]
    assert after["clocks"]["left"][1] == before["clocks"]["left"][1]
    assert 0 < after["clocks"]["left"][0] <= before["clocks"]["left"][0]
    with running(store) as site:  # after a crash nothing that was accepted is lost
        visitor = Visitor(site.address, **cookies)
        with visitor.join(made) as page:
            page.wait_for_turn()
            assert [move["action"] for move in page.state["moves"]] == [3, 4, 3, 6]
            page.tell(type="move", request="last", ply=3, action=6)
            assert page.wait("accepted", request="last")["version"] == page.state["version"]
        games = visitor.http.get("/api/games").json()["games"]
        assert [(game["id"], game["ply"]) for game in games] == [(made, 4)]


def test_a_person_who_runs_out_of_time_loses(visitor):
    clock = {"bank": 1, "increment": 0}
    made = visitor.make("connect_n", seats=people(2), clock=clock)
    with visitor.join(made) as page:
        page.wait_for_turn()
        for _ in range(2):
            assert page.state["clocks"]["running"] is None
            page.move(3)
        assert page.state["clocks"]["running"] == 0
        while not page.state["over"]:
            page.hear()
        assert page.state["ending"] == "late"
        assert page.state["returns"] == [-1.0, 1.0]
        assert page.ask("move", ply=2, action=3)["reason"] == "the game is over"


def test_hidden_counts_are_sent_to_nobody_else(site, visitor):
    options = {"players": 2, "hidden": True, "size": 6, "cells": 20}
    seats = [{"kind": "person"}, {"kind": "open"}]
    made = visitor.make("sheep", options=options, seats=seats, seed=1)
    two, watcher = Visitor(site.address), Visitor(site.address)
    with visitor.join(made) as one, two.join(made) as other, watcher.join(made) as third:
        third.hear()
        other.hear()
        other.ask("sit", seat=1)
        for _ in range(3):
            for page in (one, other):
                page.wait_for_turn()
                page.move(page.state["legal"][-1]["action"])
        one.wait_for_turn()
        hidden = [move for move in one.state["moves"] if move["seat"] == 1]
        assert {move["text"] for move in hidden} == {None}
        assert {move["action"] for move in hidden} == {None}
        assert "?" in one.state["moves"][-1]["position"]
        seen = [shape["svg"] for shape in drawn(one.state) if shape["id"].startswith("stack-")]
        assert all("?" in svg for svg in seen if ">b" in svg)
        assert any("?" not in svg for svg in seen if ">a" in svg)
        sent = visitor_view(watcher, made)
        assert not any(shape["id"].startswith("stack-") for shape in drawn(sent))
        assert {move["position"] for move in sent["moves"]} == {""}
        assert third.ask("analyse", ply=0)["type"] == "refused"
        for address in ("record.txt", "replay.html", "animation.svg"):
            assert watcher.http.get(f"/api/games/{made}/{address}").status_code == 400
        assert watcher.http.get(f"/api/games/{made}/picture.svg").status_code == 400
        one.ask("resign")
        third.wait("state")
        assert None not in {move["text"] for move in third.state["moves"]}


def visitor_view(visitor, made):
    return visitor.http.get(f"/api/games/{made}").json()


def test_a_search_ends_when_its_page_is_closed(visitor):
    slow = {"kind": "agent", "agent": {"name": "alphabeta", "options": {"depth": 60}}}
    made = visitor.make("expendibots", seats=[slow, {"kind": "person"}])
    with visitor.join(made) as page:
        page.wait("thinking", seat=0)
        until(lambda: status(visitor)["searches"] == 1)
    until(lambda: status(visitor)["searches"] == 0)
    assert visitor_view(visitor, made)["moves"] == []  # it was stopped before it would have moved


def status(visitor):
    return visitor.http.get("/api/status").json()


def until(is_so):
    deadline = time.monotonic() + WAIT
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_watching_analysing_and_hints(visitor):
    made = visitor.make("connect_n", mode="watch", seats=[RANDOM, RANDOM])
    with visitor.join(made) as page:
        page.hear()
        assert page.ask("pace", paused=True)["type"] == "accepted"
        ply = page.state["ply"]
        assert page.ask("pace", paused=True, step=True)["type"] == "accepted"
        page.wait("move")
        assert page.state["ply"] == ply + 1
        page.ask("pace", seconds=0)
        while not page.state["over"]:
            page.hear()
    position = "7/7/7/7/ooo4/xxx4"
    made = visitor.make("connect_n", mode="analysis", position=position)
    with visitor.join(made) as page:
        page.wait_for_turn()
        assert page.state["game"]["sources"][:2] == ["search", "solver"]
        page.ask("analyse", ply=0, source="solver", seconds=20)
        thoughts = []
        while not thoughts or not thoughts[-1]["done"]:
            thoughts.append(page.wait("analysis"))
        last = thoughts[-1]["thought"]
        assert last["text"] == "4"
        assert last["proof"]["text"] == "win in 1 ply"
        assert len(last["values"]) == 7
        page.ask("graph")
        value = page.wait("evaluation", ply=0, done=True)["value"]
        assert value is None or -1 <= value <= 1
        page.tell(type="hint", request="hint")
        assert page.wait("hint")["thought"]["text"] == "4"
        previews = [message for message in page.seen if message["type"] == "previews"]
        assert {step["do"] for step in previews[0]["previews"]["3"]} == {"add"}
        assert page.ask("overlay", ply=0, name="territory")["type"] == "refused"
    made = visitor.make("robots", mode="analysis", seed=1)  # which comes with a network
    with visitor.join(made) as page:
        page.wait_for_turn()
        page.ask("analyse", ply=0, source="network", seconds=20)  # the network is loaded first
        thought = page.wait("analysis", done=True)["thought"]
        assert thought["policy"][0]["share"] > thought["policy"][1]["share"] > 0
        assert -1 <= thought["value"] <= 1
    made = visitor.make("tron", mode="analysis")
    with visitor.join(made) as page:
        page.wait_for_turn()
        page.ask("overlay", ply=0, name="territory")
        cells = next(m for m in page.seen if m["type"] == "overlay")["cells"]
        assert {seat for _, seat, _ in cells} == {0, 1}
        assert {cell for cell, _, _ in cells} <= {area[0] for area in page.state["areas"]}


def test_a_tournament_is_played_and_kept_in_the_store(site, visitor, run):
    agents = [{"agent": {"name": name}} for name in ("random", "greedy")]
    form = {"game": "connect_n", "agents": agents, "games": 4}
    started = visitor.http.post("/api/runs", json=form)
    assert started.status_code == 201, started.text
    number = started.json()["run"]
    until(lambda: not visitor.http.get(f"/api/runs/{number}").json()["playing"])
    result = visitor.http.get(f"/api/runs/{number}").json()
    assert result["kept"] == result["total"] == 4
    assert [row["games"] for row in result["standings"]] == [4, 4]
    assert result["cross"]["cells"][0][1]["games"] == 4
    games = visitor.http.get(f"/api/runs/{number}/games").json()["games"]
    assert [game["number"] for game in games] == [1, 2, 3, 4]
    state = visitor.http.get(f"/api/runs/{number}/games/2").json()
    assert len(state["moves"]) == games[1]["plies"]
    assert drawn(state)
    assert visitor.http.get("/api/runs").json()["runs"][0]["run"] == number
    missing = visitor.http.get("/api/runs/999")
    assert (missing.status_code, missing.json()) == (404, {"error": "there is no run 999"})
    assert visitor.http.get(f"/api/runs/{number}/games/99").status_code == 404
    command = "match", "connect_n", "random", "greedy", "--games", "2", "--workers", "1"
    assert run(*command, "--store", str(site.store))[0] == 0
    latest = visitor.http.get("/api/runs").json()["runs"][0]  # that of the command line
    assert (latest["run"], latest["kept"]) == (number + 1, 2)
    assert len(visitor.http.get(f"/api/runs/{number + 1}/games").json()["games"]) == 2
    connection = sqlite3.connect(site.store)
    change = "UPDATE games SET record = replace(record, ?, ?) WHERE run = ? AND number = ?"
    connection.execute(change, ('"seconds":[0.0', '"seconds":[-7.8e-05', number + 1, 0))
    connection.execute(change, ('"entrants":[1,0]', '"entrants":[1,7]', number + 1, 1))
    connection.commit()
    connection.close()
    result = visitor.http.get(f"/api/runs/{number + 1}").json()
    assert [row["games"] for row in result["standings"]] == [0, 0]
    assert result["problem"].startswith(f"game 1 of run {number + 1} is left out, it cannot be")
    assert f"game 2 of run {number + 1} is left out: the record's agents" in result["problem"]
    assert len(visitor.http.get(f"/api/runs/{number + 1}/games").json()["games"]) == 1
    unreadable = visitor.http.get(f"/api/runs/{number + 1}/games/1")
    assert unreadable.status_code == 400
    assert unreadable.json()["error"].endswith("the record's 'seconds' are negative")


def test_curves_of_a_training_and_a_game_from_a_file(tmp_path, example):
    folder = tmp_path / "training"
    folder.mkdir()
    rows = [{"step": step, "policy": 1 / step} for step in (10, 20)]
    (folder / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"st')
    store, named = tmp_path / "games.sqlite", ("--game", str(example), "--agent", "Rex=random")
    with running(store, "--training", str(folder), *named) as site:
        visitor = Visitor(site.address)
        listed = visitor.http.get("/api/trainings").json()["trainings"]
        assert listed[0] | {"running": True} == {
            "training": 1, "name": "training", "rows": 2, "step": 20, "running": True,
        }  # fmt: skip
        assert visitor.http.get("/api/trainings/1?after=10").json()["rows"] == rows[1:]
        assert visitor.http.get("/api/trainings/2").status_code == 404
        rex = {"kind": "agent", "agent": {"name": "Rex"}}
        made = visitor.make("tic_tac_toe", seats=[{"kind": "person"}, rex])
        with visitor.join(made) as page:
            page.wait_for_turn()
            while not page.state["over"]:
                page.move(page.state["legal"][0]["action"])
                page.wait_for_turn()
        shown = visitor_view(visitor, made)
        assert str(example) not in json.dumps(shown)
        assert shown["seats"][1]["agent"] == "Rex"
