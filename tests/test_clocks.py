"""Clocks of a match: what is measured, for whom, and the extra time of contests."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from plyground import Limit, PlygroundError, Thought, Tournament, load_agent, load_game, play_game
from plyground.agents.agent import PATIENCE, Agent
from plyground.arena.record import ADJUDICATED, FINISHED
from plyground.errors import OptionError
from plyground.programs import protocol
from plyground.programs.sandbox.process import Process
from plyground.search import timing

TESTS = Path(__file__).parent


@pytest.fixture(autouse=True)
def own_clock(monkeypatch):
    """Give each test measured times of its own, as some set the clock forward."""
    monkeypatch.setattr(timing, "_OWN", threading.local())


def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


class BusyError(Agent):
    """Computes, and sleeps, before each move."""

    name = "busy"
    computes: float = 0.0
    sleeps: float = 0.0

    def choose(self, position, limit, seed):
        burn(self.computes)
        time.sleep(self.sleeps)
        return Thought(position.legal_actions[0])


BOT = """
import sys, time
from polite import begin, hear, move
turn = begin()
while True:
    {trick}
    move(turn, turn["legal"][0])
    turn = hear()
    if turn["type"] != "turn":
        break
"""


@pytest.fixture
def bot(tmp_path):
    """Return a bot that runs given code at each turn before it answers."""

    def make(trick):
        path = tmp_path / "bot.py"
        path.write_text(BOT.format(trick=trick))
        shutil.copy(TESTS / "hostile" / "polite.py", tmp_path)
        return load_agent("remote", command=f"{sys.executable} {path}")

    return make


SPIN = "until = time.process_time() + {}\n    while time.process_time() < until: pass"


def play(agent, limit, plies=2):
    return play_game(load_game("connect_n"), [agent, BusyError()], limit, max_plies=plies)


def test_the_seconds_of_a_late_move_are_those_of_the_clock_that_judged_it():
    late = BusyError(computes=0.03, sleeps=0.05)
    limit = Limit(seconds=0.001, grace=0.0, cpu=True)
    game = load_game("sheep(players=2)")
    record = play_game(game, [late, BusyError()], limit, referee="course", max_plies=1)
    (_, seat, kind, reason) = record.faults[0]
    assert (seat, kind) == (0, "late")
    assert f"took {record.seconds[0]:.3f} s, had" in reason


# Grace ------------------------------------------------------------------------------------------


def test_the_matchs_grace_holds_for_other_programs_too(bot):
    sleepy = bot("time.sleep(0.3)")
    assert play(sleepy, Limit(seconds=0.05, grace=60.0)).ending == ADJUDICATED
    record = play(sleepy, Limit(seconds=0.05, grace=0.05))
    assert (record.ending, record.reason) == ("late", "no move within 0.05 s")


@pytest.mark.parametrize("values", [{"grace": -1.0}, {"overage": -0.1}, {"grace": float("nan")}])
def test_no_less_than_nothing_is_granted(values):
    with pytest.raises(OptionError, match="at least 0"):
        Limit(seconds=1.0, **values)


# What is measured -------------------------------------------------------------------------------


def test_a_program_is_not_charged_for_work_before_its_turn_is_sent(bot, monkeypatch):
    write, hours = protocol._line, [0.0]

    def slow_line(**message):
        hours[0] += 1000.0 * (message["type"] == "turn")
        return write(**message)

    monkeypatch.setattr(protocol, "_line", slow_line)
    monkeypatch.setattr(timing, "perf_counter", lambda: time.perf_counter() + hours[0])
    record = play(bot("pass"), Limit(seconds=60.0), plies=1)
    assert record.ending == ADJUDICATED
    assert record.seconds[0] < 900.0


@pytest.mark.parametrize("kind", ["ours", "another program"])
def test_no_player_is_charged_for_time_spent_waiting_for_a_processor(kind, bot, monkeypatch):
    """The thread waits 500 seconds for a processor between any two readings of the waiting time."""
    began, waited = time.perf_counter(), [0.0]

    def wait():
        since = time.perf_counter() - began
        waited[0] = 500.0 * (since // 0.05)  # so much once in a while, as a system schedules
        return waited[0]

    monkeypatch.setattr(timing, "kept_waiting", wait)
    monkeypatch.setattr(timing, "perf_counter", lambda: time.perf_counter() + waited[0])
    agent = BusyError(computes=0.2) if kind == "ours" else bot("time.sleep(0.2)")
    record = play(agent, Limit(seconds=60.0), plies=1)
    assert record.ending == ADJUDICATED
    assert 0.0 <= record.seconds[0] < 60.0


def test_a_program_that_answers_in_many_parts_is_charged_for_the_waiting(bot, monkeypatch):
    """By many threads and single blanks it could keep this thread waiting for a processor."""
    began = time.perf_counter()

    def half():
        return (time.perf_counter() - began) / 2  # half of the time passes in waiting

    monkeypatch.setattr(timing, "kept_waiting", half)
    monkeypatch.setattr(protocol, "kept_waiting", half, raising=False)
    parts = "for _ in range(40):\n        print(' ', end='', flush=True); time.sleep(0.01)"
    for trick, charged in (("time.sleep(0.4)", 0.2), (parts, 0.35)):
        record = play(bot(trick), Limit(seconds=60.0), plies=1)
        assert record.ending == ADJUDICATED
        assert record.seconds[0] >= charged


def test_measured_time_never_runs_backwards(monkeypatch):
    """A thread loses its processor before any of the readings that a measured time is made of."""
    chance, now, waited, computed = Random(3), [100.0], [0.0], [0.0]

    def scheduled():
        if chance.random() < 0.2:
            delay = chance.uniform(0.0, 0.012)
            now[0], waited[0] = now[0] + delay, waited[0] + delay
        now[0], computed[0] = now[0] + 1e-6, computed[0] + 1e-6

    def read(clock):
        scheduled()
        return clock[0]

    monkeypatch.setattr(timing, "kept_waiting", lambda: read(waited))
    monkeypatch.setattr(timing, "perf_counter", lambda: read(now))
    times = [(timing.own_time(), computed[0]) for _ in range(10_000)]
    assert all(later >= earlier for (earlier, _), (later, _) in pairwise(times))
    assert max(abs(own - computing - 100.0) for own, computing in times) < 0.012


def test_the_cpu_time_of_a_program_never_runs_backwards():
    """The time of a process that ended is known less exactly than while it ran."""
    process = object.__new__(Process)
    process._computed = 0.0
    process._control, supervisor = socket.socketpair()
    read = []
    for seconds in (b"1.5\n", b"1.2\n", b"1.6\n"):
        supervisor.sendall(seconds)
        read.append(process.cpu_seconds())
    assert read == [1.5, 1.5, 1.6]
    process._control.close()
    supervisor.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread waited")
def test_a_thread_that_shares_a_processor_waits_for_it():
    """Two threads on one processor: each waits while the other computes."""
    before = timing.kept_waiting()
    allowed = os.sched_getaffinity(0)
    code = "import time\nwhile time.process_time() < 0.3: pass"
    os.sched_setaffinity(0, {min(allowed)})
    try:
        with subprocess.Popen([sys.executable, "-c", code]):
            burn(0.3)
    finally:
        os.sched_setaffinity(0, allowed)
    assert timing.kept_waiting() > before + 0.05


def test_sleep_is_free_where_computing_counts():
    record = play(BusyError(sleeps=0.3), Limit(seconds=0.1, grace=0.1, cpu=True))
    assert record.ending == ADJUDICATED
    assert record.seconds[0] < 0.2
    record = play(BusyError(computes=0.3), Limit(seconds=0.1, grace=0.1, cpu=True))
    assert (record.ending, record.fault) == ("late", 0)
    assert re.match(r"took 0\.[3-9]\d* s, had 0\.100 s", record.reason)


def test_sleep_is_not_free_for_ever():
    limit = Limit(seconds=0.02, grace=0.0, cpu=True)
    record = play(BusyError(sleeps=PATIENCE * 0.02 + 0.1), limit)
    assert record.ending == "late"
    assert "of elapsed time, had 0.200 s" in record.reason


def test_computing_of_other_programs_is_counted_by_the_sandbox(bot):
    limit = Limit(seconds=0.2, grace=0.1, cpu=True)
    assert play(bot("time.sleep(0.5)"), limit).ending == ADJUDICATED
    for trick in (SPIN.format(0.5), "import subprocess\n    subprocess.run([sys.executable, '-c', "
                  "'import time\\nwhile time.process_time() < 0.6: pass'])"):  # fmt: skip
        record = play(bot(trick), limit)
        assert record.ending == "late", trick


def test_a_program_that_never_answers_loses_by_either_clock(bot):
    output = "no move within 0.05 s of CPU time, or 0.5 s in all"
    for trick in ("time.sleep(1_000)", "while True: pass"):
        record = play(bot(trick), Limit(seconds=0.05, grace=0.0, cpu=True))
        assert (record.ending, record.reason) == ("late", output)


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "mcts(threads=2)", "maxn"])
def test_searches_keep_within_cpu_time(spec, connect_four):
    agents = [load_agent(spec), load_agent("random")]
    limit = Limit(seconds=0.1, grace=1.0, cpu=True)
    record = play_game(connect_four, agents, limit, max_plies=6)
    assert record.ending in (ADJUDICATED, FINISHED), record.reason


@pytest.mark.parametrize("spec", ["alphabeta", "mcts", "perfect", "casual(judge=alphabeta)"])
def test_a_bank_ends_the_search_of_a_move_that_has_no_share_of_it(spec):
    wide = load_game("connect_n", width=10, height=8)
    limit = Limit(bank=0.1, cpu=True)
    assert load_agent(spec).think(wide.start(), limit).action in range(10)
    *_, last = load_agent(spec).analyse(wide.start(), limit)
    assert last.action in range(10)


def test_a_bank_of_cpu_time_is_spent_by_computing_alone():
    limit = Limit(bank=0.5, grace=0.0, cpu=True)
    record = play(BusyError(sleeps=0.3), limit, plies=6)  # three moves: 0.9 s pass
    assert record.ending == ADJUDICATED
    record = play(BusyError(computes=0.3), limit, plies=6)
    assert (record.ending, len(record.actions)) == ("late", 2)


# Whose time it is -------------------------------------------------------------------------------


def plan(**options):
    agents = ("mcts(simulations=5)", "random")
    return Tournament(**{"game": "connect_n", "agents": agents, "games": 2} | options)


def test_one_agent_can_have_another_time():
    made = plan(seconds=1.0, seconds_of=("mcts( simulations = 5 )=3",))
    assert [limit.seconds for limit in made.limits] == [3.0, 1.0]
    assert made.seconds_of == ("mcts(simulations=5)=3.0",)
    alone = plan(seconds_of=("random=2",), bank=60.0)
    assert [(limit.seconds, limit.bank) for limit in alone.limits] == [(None, 60.0), (2.0, 60.0)]
    same = plan(seconds_of=("random=2", "mcts(simulations=5)=3"))
    assert same.digest == plan(seconds_of=("mcts(simulations=5)=3.0", "random=2.0")).digest
    assert same.digest != plan().digest
    assert Tournament.make(json.loads(json.dumps(same.changed()))) == same


def test_the_time_of_one_agent_reaches_its_seat():
    played = []

    class Told(BusyError):
        name = "told"

        def choose(self, position, limit, seed):
            played.append((position.player, limit.seconds))
            return super().choose(position, limit, seed)

    limits = [Limit(seconds=7.0), Limit(seconds=9.0)]
    play_game(load_game("connect_n"), [Told(), Told()], limits, max_plies=3)
    assert played == [(0, 7.0), (1, 9.0), (0, 7.0)]


@pytest.mark.parametrize(
    ("given", "output"),
    [
        (("mct=3",), "unknown agent of seconds_of 'mct'; .*mcts.simulations=5.*random"),
        (("greedy=3",), "unknown agent of seconds_of 'greedy'"),
        (("random=soon",), "'random=soon' must be AGENT=SECONDS"),
        (("random",), "unknown agent of seconds_of"),
        (("random=1", "random=2"), "random is named twice"),
        (("random=-1",), "seconds=-1.0 must be above 0"),
        (("random=nan",), "seconds"),
    ],
)
def test_times_of_unknown_agents_and_of_zero_length_are_refused(given, output):
    with pytest.raises(PlygroundError, match=output):
        plan(seconds_of=given)


def test_plans_of_before_are_the_same_plans():
    """A stored plan holds only what differs from the defaults, and identifies the run."""
    old = {"game": "connect_n", "agents": ["mcts", "random"], "seconds": 0.1, "bank": 60.0,
           "grace": 0.2}  # fmt: skip
    read = Tournament.make(old)
    assert read.digest == "6c728502029796d88d4489593b4b3b75"
    assert [limit.grace for limit in read.limits] == [0.2, 0.2]
    assert not any(limit.cpu for limit in read.limits)


def test_options_of_the_clock_are_taken_from_the_command_line(run, tmp_path):
    (tmp_path / "bots").mkdir()
    source = (TESTS / "courses" / "kaggle" / "submission.py").read_text()
    (tmp_path / "bots" / "alice.py").write_text(source)
    plain = ["match", "connect_n", str(tmp_path / "bots"), "random", "--interface",
             "kaggle_connectx", "--games", "1", "--workers", "1", "--store"]  # fmt: skip
    store = str(tmp_path / "games.sqlite")
    code, _, errors = run(*plain, store, "--clock", "cpu", "--seconds", "20", "--seconds-of",
                          "alice=30", "--seconds-of", "random=5")  # fmt: skip
    assert (code, errors) == (0, "")
    code, out, _ = run("runs", "list", "--store", store, "--json")
    (held,) = json.loads(out)
    stored = held["tournament"]
    assert stored["clock"] == "cpu"
    assert [each.rpartition("=")[2] for each in stored["seconds_of"]] == ["30.0", "5.0"]
    code, _, errors = run(*plain, "none", "--seconds-of", "bob=3")
    assert code != 0
    assert "unknown agent of seconds_of 'bob'" in errors
    assert "alice" in errors
    code, _, errors = run(*plain, "none", "--clock", "sun")
    assert code != 0
    assert "wall" in errors
    toml = tmp_path / "plan.toml"
    toml.write_text('game = "connect_n"\nagents = ["random", "greedy"]\nseconds_of = [3]\n')
    code, _, errors = run("match", str(toml), "--store", "none")
    assert code != 0
    assert "seconds_of must be str" in errors


# What contests grant ----------------------------------------------------------------------------


class Granted(BusyError):
    """Has extra seconds per game beyond the time of its moves."""

    name = "granted"
    overage: float = 0.0

    def granted(self, limit, move):
        return Limit(seconds=limit.seconds, grace=limit.grace, cpu=True, overage=self.overage)


def test_time_beyond_that_of_a_move_is_taken_from_the_overage():
    limit = Limit(seconds=0.1, grace=0.0, cpu=True)
    record = play(Granted(computes=0.3, overage=0.5), limit, plies=99)
    assert (record.ending, len(record.actions)) == ("late", 4)  # 0.2 beyond it, twice
    assert play(Granted(computes=0.02, overage=0.05), limit, plies=8).ending == ADJUDICATED


CONTEST = f"tron_contest(command='{sys.executable} %s')"
SLOW_AT = """
import sys, time
for turn in range(1000):
    header = sys.stdin.readline().split()
    if not header:
        break
    rows = [sys.stdin.readline() for _ in range(int(header[1]))]
    time.sleep(1.5 if turn == {turn} else 0)
    y = next(y for y, row in enumerate(rows) if "1" in row)
    x = rows[y].index("1")
    ways = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
    print(next((n for n, (a, b) in enumerate(ways, 1) if rows[b][a] == " "), 1), flush=True)
"""


@pytest.mark.parametrize(("turn", "ending"), [(0, ADJUDICATED), (1, "late")])
def test_the_first_move_of_the_contest_of_2010_has_three_seconds(turn, ending, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW_AT.format(turn=turn))
    bot = load_agent(CONTEST % (tmp_path / "slow.py"))
    limit = Limit(seconds=0.2, grace=0.5)
    record = play_game(load_game("tron"), [bot, BusyError()], limit, max_plies=4)
    assert (record.ending, record.fault) == (ending, None if ending == ADJUDICATED else 0)


def test_the_contests_times_hold_where_the_match_has_none():
    bot = load_agent(CONTEST % "x.py")
    for limit, seconds in (
        (Limit(), (3.0, 1.0)),
        (Limit(seconds=1.0), (3.0, 1.0)),
        (Limit(seconds=0.1), (3.0, 0.1)),
        (Limit(seconds=5.0), (5.0, 5.0)),
        (Limit(bank=60.0), (None, None)),
    ):
        assert tuple(bot.granted(limit, move).seconds for move in (0, 1)) == seconds


KAGGLE = """
import time
def agent(observation, configuration):
    if observation.step >= 2:
        raise ValueError(f"{configuration.actTimeout} {observation.remainingOverageTime}")
    assert observation.remainingOverageTime == GRANTED
    time.sleep(0.7)
    return 0
"""


def kaggle(tmp_path, overage):
    (tmp_path / "bot.py").write_text(KAGGLE.replace("GRANTED", str(overage)))
    return load_agent("kaggle_connectx", path=str(tmp_path / "bot.py"), overage=overage)


def test_kaggles_overage_time_is_granted_and_reported(tmp_path):
    limit = Limit(seconds=0.2, grace=0.05)
    record = play_game(load_game("connect_n"), [kaggle(tmp_path, 60), BusyError()], limit)
    assert record.ending == "failed"
    act, left = map(float, re.findall(r"\d+\.\d+", record.reason)[:2])
    assert act == 0.2
    assert 30 < left <= 59.5
    record = play_game(load_game("connect_n"), [kaggle(tmp_path, 0.3), BusyError()], limit)
    assert (record.ending, record.reason) == ("late", "no move within 0.5 s")


def test_kaggles_own_times_hold_where_the_match_has_none():
    granted = load_agent("kaggle_connectx").granted(Limit(), 0)
    assert (granted.seconds, granted.overage) == (2.0, 60.0)


MELBOURNE = """
import subprocess, sys, threading, time
BURN = "import time\\nwhile time.process_time() < 0.5: pass\\n"
class Player:
    def __init__(self, colour):
        pass
    def action(self):
        {trick}
    def update(self, colour, action):
        pass
"""
TRICKS = {
    "itself, with the shim's functions replaced": "import __main__, signal;"
    " vars(__main__).update(Budget=None, budget=None, cpu_seconds=float); exec(BURN)",
    "threads": "each = threading.Thread(target=exec, args=(BURN,)); each.start(); each.join()",
    "children": "subprocess.run([sys.executable, '-c', BURN])",
    "children that stay": "subprocess.Popen([sys.executable, '-c', BURN + 'print(1, flush=True);"
    " time.sleep(99)'], stdout=subprocess.PIPE).stdout.readline()",
    "children that nobody waits for": "import signal; "
    "signal.signal(signal.SIGCHLD, signal.SIG_IGN); subprocess.call([sys.executable, '-c', BURN])",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_melbournes_seconds_are_all_that_the_bot_computes(trick, tmp_path):
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "__init__.py").write_text(MELBOURNE.format(trick=TRICKS[trick]))
    bot = load_agent("unimelb_expendibots", path=str(tmp_path / "team"), budget=0.25)
    record = play_game(load_game("expendibots"), [bot, BusyError()])
    assert (record.ending, record.fault) == ("late", 0)
    assert "had 0.25 s" in record.reason


def test_melbournes_bots_are_not_charged_for_their_import(tmp_path):
    (tmp_path / "team").mkdir()
    source = MELBOURNE.format(trick="return 'BOOM', (0, 0)")
    (tmp_path / "team" / "__init__.py").write_text(source + "exec(BURN)\n")
    bot = load_agent("unimelb_expendibots", path=str(tmp_path / "team"), budget=0.25)
    record = play_game(load_game("expendibots"), [bot, BusyError()], max_plies=2)
    assert record.ending == ADJUDICATED, record.reason
