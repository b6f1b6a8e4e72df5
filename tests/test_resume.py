"""A tournament that is killed and resumed has the same games as an undisturbed one."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plyground import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament

SLOW = str(Path(__file__).parent / "agents" / "slow.py")
KILLS = int(os.environ.get("KILLS", "4"))
"""How often a run is killed; the environment variable KILLS sets a larger number."""


def plan_of(seconds):
    """Return a plan of 600 games that is slow enough to be interrupted."""
    slow = f"{SLOW}(seconds={seconds})"
    return Tournament(
        game="connect_n(width=4, height=4, n=3)",
        agents=(slow, "random", "mcts(simulations=5)", slow),
        games=100, seed=7, format="swiss", rounds=3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return plan_of(0.006)


@pytest.fixture(scope="module")
def undisturbed():
    return essence(play_tournament(plan_of(0.0)))


def essence(records):
    """Return what a seed determines of games: everything but the times."""
    return {
        each.number: (each.entrants, each.actions, each.values, each.returns, each.ending)
        for each in records
    }


def command(plan, store, *more, **keywords):
    options = [f"--{name}={value}" for name, value in plan.changed().items() if name not in FIRST]
    options.append(f"--opening-rule={plan.opening_rule}")
    arguments = [plan.game, *plan.agents, *options, "--store", str(store), *more]
    return subprocess.Popen(
        [sys.executable, "-m", "plyground", "tournament", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        **keywords,
    )  # fmt: skip


FIRST = ("game", "agents")


def kept(store):
    """Count the games in the file through a read-only connection."""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0


def assert_whole(plan, store, undisturbed):
    with Store(str(store)) as opened:
        assert [(run.kept, run.total) for run in opened.runs()] == [(plan.total, plan.total)]
        assert essence(opened.records(1)) == undisturbed


def finish(plan, store, undisturbed, *more):
    process = command(plan, store, "--resume", *more)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert f"{plan.total} games, run 1" in out
    assert_whole(plan, store, undisturbed)


def test_killed_at_random_moments(plan, undisturbed, tmp_path):
    store = tmp_path / "games.sqlite"
    moments = random.Random(5)
    seen = 0
    for number in range(KILLS):
        more = ["--resume"] if kept_runs(store) else []
        process = command(plan, store, *more, "--workers", str(1 + number % 2))
        # Half of the moments lie anywhere, at the start too; half between two games.
        until = time.monotonic() + (moments.uniform(0, 2) if number % 4 < 2 else 60)
        while time.monotonic() < until and kept(store) <= seen:
            time.sleep(0.02)
        time.sleep(moments.uniform(0, 0.2))
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert kept(store) >= seen
        seen = kept(store)
    assert 0 < seen < plan.total
    finish(plan, store, undisturbed)


def kept_runs(store):
    return store.exists() and len(Store(str(store)).runs()) > 0


def test_workers_do_not_outlive_the_command(plan, tmp_path):
    process = command(plan, tmp_path / "games.sqlite", "--workers", "2")
    while kept(tmp_path / "games.sqlite") == 0:
        assert process.poll() is None
        time.sleep(0.05)
    assert len(session(process.pid)) >= 3
    process.kill()
    process.wait()
    while session(process.pid):  # for ever, if they stay
        time.sleep(0.05)


def session(leader):
    """List the processes of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def test_a_full_disk_ends_the_run_with_a_clear_error(undisturbed, tmp_path):
    plan, store = plan_of(0.0), tmp_path / "games.sqlite"

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))

    process = command(plan, store, "--workers", "1", preexec_fn=small_files)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert err.startswith(f"error: {store}: ")
    assert 0 < kept(store) < plan.total
    finish(plan, store, undisturbed)


def test_a_server_that_restarts_in_the_middle_is_waited_for(plan, undisturbed, postgres):
    store = postgres.database()
    process = command(plan, store, "--workers", "2")
    with Store(store) as watching:
        for _ in range(2):
            before = sum(run.kept for run in watching.runs())
            while sum(run.kept for run in watching.runs()) == before:
                assert process.poll() is None
                time.sleep(0.05)
            postgres.stop()
            time.sleep(1)
            postgres.start()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "does not answer: trying again" in err
    assert_whole(plan, store, undisturbed)
