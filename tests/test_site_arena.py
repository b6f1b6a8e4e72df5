"""Tournaments and trainings of the site, without a server."""

import asyncio
import json
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import psycopg
from site_of import WAIT, served

from plyground import load_agent, load_game
from plyground.arena.match import play_match
from plyground.arena.plan import Run, new_plan, timestamp
from plyground.arena.record import PERSON, read_text
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.errors import StoreError
from plyground.web import arena as web_arena
from plyground.web import journal
from plyground.web.arena import Arena
from plyground.web.learning import MOST_ROWS, Trainings
from plyground.web.paths import shown_names, shown_text
from plyground.web.pool import BusyError

AGENTS = Path(__file__).parent / "agents"


def test_of_tournaments_that_are_started_at_once_one_is_played(tmp_path):
    arena, together = Arena(str(tmp_path / "games.sqlite"), workers=1), Barrier(4)
    plan = new_plan({"game": "connect_n", "agents": ["random", "greedy"], "games": 1000})

    def start(number):
        together.wait()
        try:
            return arena.start(plan)
        except BusyError:
            return None

    with ThreadPoolExecutor(4) as threads:
        started = [run for run in threads.map(start, range(4)) if run is not None]
    assert started == [arena.playing]
    arena.stop()
    assert arena.playing is None
    with arena.open() as store:
        assert len(store.runs()) == 1


def test_standings_are_those_of_all_agents_and_of_the_games_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(web_arena, "MOST_RECORDS", 120)
    arena = Arena(str(tmp_path / "games.sqlite"), workers=1)
    agents = ["a=random", "b=random", "c=random", "d=random"]
    plan = new_plan({"game": "connect_n(width=3, height=3, n=3)", "agents": agents, "games": 60})
    with arena.open() as store:
        run = store.begin(plan)
        records = list(play_tournament(plan, None, store, run))
        results = arena.results(run)
        played = {row["name"]: row["games"] for row in results["standings"]}
        assert 100 <= sum(played.values()) / 2 <= 140
        assert all(40 <= played[name] <= 80 for name in "abcd")
        lost = [replace(each, returns=(-1.0, 1.0)) for each in records]
        store.drop(run, range(plan.total))
        store.add(run, lost)
    monkeypatch.setattr(web_arena, "FRESH", -1.0)
    now = arena.results(run)
    assert {row["name"]: row["games"] for row in now["standings"]} == played
    assert sum(row["draws"] for row in now["standings"]) == 0
    assert sum(row["draws"] for row in results["standings"]) > 0


def test_of_a_long_curve_the_newest_rows_are_shown(tmp_path):
    rows = [{"step": step, "value": 1 / step} for step in range(1, MOST_ROWS + 102)]
    lines = [json.dumps(row) for row in rows]
    lines[5:5] = ["{", "[1]", "[" * 100_000, '{"step": "x"}']
    (tmp_path / "curve.jsonl").write_text("\n".join(lines))
    trainings = Trainings([str(tmp_path)])
    assert trainings.rows(1, -1) == rows[-MOST_ROWS:]
    assert trainings.rows(1, MOST_ROWS + 99) == rows[-2:]
    assert trainings.summary(1)["step"] == rows[-1]["step"]


def test_a_store_that_another_program_has_locked_is_not_waited_for_long(tmp_path, monkeypatch):
    assert journal.PATIENCE <= 5
    monkeypatch.setattr(journal, "PATIENCE", 0.1)
    store = tmp_path / "games.sqlite"

    async def ask():
        async with served(store) as client, asyncio.timeout(WAIT / 3):
            with locked(str(store)):
                form = {"game": "connect_n", "mode": "analysis"}
                answers = [
                    await client.get("/api/games"),
                    await client.post("/api/games", json=form),
                    await client.get("/api/games/nosuch"),
                    await client.get("/api/runs"),
                    await client.get("/api/runs/1"),
                ]
            assert [answer.status_code for answer in answers] == [503] * 5
            assert (await client.post("/api/games", json=form)).status_code == 201

    asyncio.run(ask())


@contextmanager
def locked(location):
    """Lock a store as another program can, until the end of the context."""
    if "://" in location:
        with psycopg.connect(location) as other:
            other.execute("LOCK TABLE site_events IN ACCESS EXCLUSIVE MODE")
            yield
        return
    with closing(sqlite3.connect(location, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def test_moves_that_wait_for_a_locked_store_are_refused_together(location, monkeypatch):
    monkeypatch.setattr(journal, "PATIENCE", 0.1)

    async def use():
        events, calls = journal.Journal(location), []
        call = events._call
        monkeypatch.setattr(events, "_call", lambda work: calls.append(work) or call(work))
        with locked(location):
            waiting = [events.append(f"game{at}", 1, {"do": "make"}) for at in range(20)]
            refused = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(error) for error in refused} == {StoreError}
        assert len(calls) <= 2
        await events.append("game0", 1, {"do": "make"})
        await events.close()

    asyncio.run(use())


def test_no_folder_of_this_machine_is_shown(tmp_path, example):
    folder = tmp_path / "a secret"
    specs = []
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
        specs.append(shutil.copy(AGENTS / "slow.py", folder / name))
    game = load_game(str(example))
    agents = [load_agent(f"{specs[0]}(seconds=0.0)"), load_agent(specs[1])]
    first, *more = play_match(game, agents, 2)
    first = replace(first, ending="failed", fault=0, reason=f"cannot read {specs[0]}: gone")
    plan = new_plan({"game": repr(game), "agents": list(map(repr, agents)), "games": 2}).changed()
    runs = [Run(plan, 2, timestamp()), Run(plan | {"game": f"{folder}/nosuch.py"}, 2, timestamp())]
    gone = replace(first, game=runs[1].tournament["game"])
    store = tmp_path / "games.sqlite"
    with Store(str(store)) as database:
        database.add_all(lambda: [(runs[0], first), (runs[0], *more), (runs[1], gone)])
    runs = [f"/api/runs{rest}" for rest in ("", "/1", "/1/games", "/1/games/1", "/2", "/2/games/1")]

    async def ask():
        named = {"game_files": [repr(game)], "agents": [*specs, f"Rex={specs[1]}"]}
        async with served(store, **named) as client:
            seats = [{"kind": "agent", "agent": {"name": "Rex"}}, {"kind": "person"}]
            entrants = [{"agent": {"name": name}} for name in ("slow.py", "slow.py (2)")]
            form = {"game": game.name, "agents": entrants, "games": 1}
            answer = await client.post("/api/runs", json=form)
            assert (answer.status_code, answer.json()) == (201, {"run": 3})
            form = {"game": game.name, "seats": seats}
            made = (await client.post("/api/games", json=form)).json()["id"]
            files = ("", "/record.txt", "/replay.html", "/animation.svg", "/picture.svg")
            games = ["/api/games", *(f"/api/games/{made}{file}" for file in files)]
            addresses = [*runs, *games, "/api/catalogue", f"/api/catalogue/{game.name}"]
            return {address: (await client.get(address)) for address in addresses}

    answers = asyncio.run(ask())
    for address, answer in answers.items():
        assert "secret" not in answer.text, address
        assert str(example.parent) not in answer.text, address
        assert answer.status_code == (400 if "/runs/2" in address else 200), address
    run = answers["/api/runs/1"].json()
    assert (run["game"], run["agents"]) == ("tic_tac_toe.py", ["slow.py(seconds=0.0)", "slow.py"])
    assert answers["/api/runs/1/games/1"].json()["outcome"].endswith("cannot read slow.py: gone")
    record = next(text for address, text in answers.items() if "record.txt" in address).text
    assert read_text(record).agents == ("slow.py", PERSON)


def test_names_of_files_are_told_apart():
    specs = [
        "/a/b.py",
        "/c/b.py",
        "remote(command='python3 /x/y z.py', path='D:\\\\q\\\\w')",
        "Rex",
    ]
    assert shown_names(specs) == [
        "b.py",
        "b.py (2)",
        "remote(command='python3 y z.py', path='w')",
        "Rex",
    ]
    for text in ("7/7/7/7/7/3x3", "3 / 4", "http://127.0.0.1/x", "row 2 of '8/8/4a3 w 0'"):
        assert shown_text(text) == text
    text = "no file '/home/me/x.py' in /tmp/a folder/b: gone"
    assert shown_text(text) == "no file 'x.py' in b: gone"
