"""Tournaments and trainings of the site, without a server."""

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

from site_of import WAIT, served

from plyground.arena.plan import new_plan
from plyground.web import journal
from plyground.web.arena import Arena
from plyground.web.learning import MOST_ROWS, Trainings
from plyground.web.pool import Busy


def test_of_tournaments_that_are_started_at_once_one_is_played(tmp_path):
    arena, together = Arena(str(tmp_path / "games.sqlite"), workers=1), Barrier(4)
    plan = new_plan({"game": "connect_n", "agents": ["random", "greedy"], "games": 1000})

    def start(number):
        together.wait()
        try:
            return arena.start(plan)
        except Busy:
            return None

    with ThreadPoolExecutor(4) as threads:
        started = [run for run in threads.map(start, range(4)) if run is not None]
    assert started == [arena.playing]
    arena.stop()
    assert arena.playing is None
    with arena.open() as store:
        assert len(store.runs()) == 1


def test_of_a_long_curve_the_newest_rows_are_shown(tmp_path):
    rows = [{"step": step, "value": 1 / step} for step in range(1, MOST_ROWS + 102)]
    (tmp_path / "curve.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
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
            with closing(sqlite3.connect(store, isolation_level=None)) as other:
                other.execute("BEGIN EXCLUSIVE")
                form = {"game": "connect_n", "mode": "analysis"}
                answers = [
                    await client.get("/api/games"),
                    await client.post("/api/games", json=form),
                    await client.get("/api/games/nosuch"),
                    await client.get("/api/runs"),
                    await client.get("/api/runs/1"),
                ]
                other.execute("ROLLBACK")
            assert [answer.status_code for answer in answers] == [503] * 5
            assert (await client.post("/api/games", json=form)).status_code == 201

    asyncio.run(ask())
