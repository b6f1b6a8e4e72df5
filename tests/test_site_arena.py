"""Tournaments and trainings of the site, without a server."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from plyground.arena.plan import new_plan
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
