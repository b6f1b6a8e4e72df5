"""When searches stop: their reserve follows the observed lag, here of a simulated machine."""

import resource
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from plyground import Limit, load_agent, load_game
from plyground.control import CLOCK, CONTROL_SIZE, DEADLINE, STOP
from plyground.search import timing
from plyground.search.table import ENTRY, Table
from plyground.search.timing import AT_ONCE, LARGEST, Pace, Reserve, Timer

SHORT, LONG = 0.1, 2.0
"""Seconds of a search in the calling thread, and of one beside it."""


class Machine:
    """A clock that advances only while someone waits, and makes all waits longer than asked."""

    def __init__(self):
        self.now = 100.0
        self.lag = 0.0
        self.stop = [0] * CONTROL_SIZE
        self.stuck = False
        """Whether work in another thread never sees the request to stop."""

    def compute(self):
        """Work in the calling thread, as compiled work does: until its deadline."""
        self.now = max(self.now, self.stop[DEADLINE] / 1e9) + self.lag

    def wait(self, seconds=None):
        """Wait for work in another thread."""
        ended = bool(self.stop[STOP]) and (seconds is None or not self.stuck)
        self.now += self.lag + (0.0 if ended else seconds) + 1e-9
        return ended


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    clocks = SimpleNamespace(
        CLOCK_MONOTONIC=1,
        CLOCK_PROCESS_CPUTIME_ID=2,
        clock_gettime_ns=lambda kind: int(made.now * 1e9),
    )
    monkeypatch.setattr(timing, "perf_counter", lambda: made.now)
    monkeypatch.setattr(timing, "time", clocks)
    monkeypatch.setattr(timing, "Work", lambda work: made)
    return made


@pytest.fixture
def search(machine):
    """Search as agents do; return the seconds until the answer."""

    def run(reserve, seconds):
        began, machine.stop = machine.now, [0] * CONTROL_SIZE
        timer = Timer(seconds, reserve=reserve)
        list(timer.run(machine.compute, machine.stop))
        timer.answered()
        return machine.now - began

    return run


@pytest.mark.parametrize("seconds", [SHORT, LONG])
def test_without_lag_hardly_any_time_is_kept(seconds, search):
    reserve = Reserve()
    spent = [search(reserve, seconds) for _ in range(100)]
    assert max(spent) <= seconds + 1e-6
    assert min(spent) >= 0.8 * seconds  # nothing is known of the machine at first
    assert spent[-1] > 0.99 * seconds


@pytest.mark.parametrize("lag", [0.001, 0.01, 0.02, 0.05])
def test_a_short_search_is_in_time_under_a_steady_lag(lag, machine, search):
    machine.lag = lag
    reserve = Reserve()
    first, *later = [search(reserve, SHORT) for _ in range(100)]
    assert first <= SHORT + lag
    assert max(later) <= SHORT + 0.06 * lag  # except for what fades from one search to the next
    assert min(later) >= SHORT * (1 - LARGEST)


@pytest.mark.parametrize("stuck", [False, True])
@pytest.mark.parametrize("lag", [0.001, 0.01, 0.05, 0.2])
def test_a_long_search_is_in_time_under_a_steady_lag_from_the_first_one_on(
    lag, stuck, machine, search
):
    machine.lag, machine.stuck = lag, stuck
    reserve = Reserve()
    spent = [search(reserve, LONG) for _ in range(100)]
    assert max(spent) <= LONG + lag + 1e-6  # it is woken, and waits for the work, in one reserve
    assert min(spent) >= LONG * (1 - LARGEST)


def test_a_hiccup_is_forgotten(search):
    reserve = Reserve()
    reserve.note(0.05)
    spent = [search(reserve, SHORT) for _ in range(100)]
    assert spent[0] < 0.6 * SHORT
    assert spent == sorted(spent)
    assert spent[-1] > 0.99 * SHORT


def test_the_reserve_leaves_time_to_think():
    reserve = Reserve()
    reserve.note(10.0)
    assert reserve.of(SHORT) == LARGEST * SHORT < SHORT
    assert reserve.of(100.0) == 10.0


def test_work_that_is_stuck_is_left_behind_and_waited_for_before_the_next_search(machine, search):
    machine.stuck, machine.lag = True, 0.01
    waits = []
    patient = machine.wait
    machine.wait = lambda seconds=None: waits.append(seconds) or patient(seconds)
    timer = Timer(LONG, reserve=Reserve())
    list(timer.run(machine.compute, machine.stop))
    assert None not in waits
    timer.finish()
    assert waits[-1] is None


def test_a_search_without_a_clock_runs_to_its_end():
    seen = []
    list(Timer().run(lambda: seen.append(1), [0] * CONTROL_SIZE, threads=3))
    assert seen == [1, 1, 1]


GAMES = {
    "perfect": "robots(board=maze, width=32, height=32)",
    "shortest": "robots(board=maze, width=32, height=32)",
    "alphazero": "sheep",
}
"""The games of searches that do not play Connect Four, or too well."""
SEARCHES = ("alphabeta", "maxn", "mcts", "perfect", "shortest", "alphazero")


@pytest.fixture
def without_threads(monkeypatch):
    """Let searches fail that start a thread."""
    monkeypatch.setattr(timing, "Work", None)


@pytest.mark.usefixtures("without_threads")
@pytest.mark.parametrize(
    "limit",
    [Limit(seconds=0.05), Limit(seconds=0.05, cpu=True), Limit(nodes=300, simulations=30)],
    ids=["wall", "cpu", "nodes"],
)
@pytest.mark.parametrize("spec", SEARCHES)
def test_short_searches_and_those_without_a_clock_run_in_the_calling_thread(spec, limit):
    position = load_game(GAMES.get(spec, "connect_n")).start(1)
    thought = load_agent(spec).think(position, limit)
    assert thought.action in position.legal_actions
    assert thought.nodes > 0


@pytest.mark.parametrize(
    ("game", "spec"), [("robots", "alphazero"), ("sheep", "alphazero"), ("robots", "network")]
)
def test_a_network_is_not_asked_where_its_answer_would_be_late(game, spec, monkeypatch):
    def answer(*_):
        raise AssertionError

    start = load_game(game).start(1)
    with load_agent(spec).sit(start.game, 0) as player:
        monkeypatch.setattr(player._inference, "seconds", 1.0)
        monkeypatch.setattr(player._inference, "evaluate", answer)
        assert player.think(start, Limit(seconds=0.05)).action in start.legal_actions
        with pytest.raises(AssertionError):
            player.think(start, Limit(seconds=1.5))


class Signalled(BaseException):
    """Raised by the handler of a signal, as KeyboardInterrupt is by that of Ctrl-C."""


@pytest.fixture
def signal_soon():
    """Return a function that sends a signal after 0.1 s of computing; the handler is given."""

    def send(handler):
        signal.signal(signal.SIGVTALRM, handler)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)

    yield send
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


@pytest.mark.usefixtures("without_threads")
@pytest.mark.parametrize(
    ("game", "seed", "spec"),
    [
        ("connect_n", 0, "alphabeta(depth=42)"),
        ("connect_n", 0, "maxn(depth=42)"),
        ("connect_n", 0, "mcts(simulations=1000000000, nodes=10000, solve=False)"),
        ("connect_n(width=10, height=10)", 0, "perfect(nodes=1000000000000)"),
        ("robots(board=maze, width=32, height=32, robots=8)", 26, "shortest"),
        ("sheep", 0, "alphazero(evaluations=200000)"),
        ("robots", 3, "alphazero(evaluations=200000)"),
    ],
)
def test_ctrl_c_ends_a_long_search_without_a_clock(game, seed, spec, signal_soon):
    def fail(*_):
        raise Signalled

    start = load_game(game).start(seed)
    with load_agent(spec).sit(start.game, 0) as player:
        signal_soon(fail)
        with pytest.raises(Signalled):
            player.think(start)
        assert player.think(start, Limit(nodes=500, simulations=20)).action in start.legal_actions


def test_a_handler_that_raises_nothing_leaves_the_search_as_it_is(connect_four, signal_soon):
    agent, came = load_agent("alphabeta(depth=16, evaluate=windows)"), []
    alone = agent.think(connect_four.start())
    signal_soon(lambda *_: came.append(threading.current_thread()))
    disturbed = agent.think(connect_four.start())
    assert came == [threading.main_thread()]
    assert (disturbed.nodes, disturbed.line) == (alone.nodes, alone.line)


def test_a_search_without_a_clock_runs_in_any_thread(connect_four):
    agent, found = load_agent("mcts(simulations=5000)"), []
    thread = threading.Thread(target=lambda: found.append(agent.think(connect_four.start())))
    thread.start()
    thread.join()
    assert found[0].policy == agent.think(connect_four.start()).policy


FIRST_MOVES = """
import gc, sys
from plyground import Limit, compile, load_agent, load_game

thinking, seen = False, []
def note(event, arguments):
    if thinking and event in ("open", "import", "compile"):
        seen.append((event, str(arguments[0])))
build = compile._build
def note_build(functions):
    functions = list(functions)
    if thinking:
        seen.extend(("build", f.__name__) for f, s in functions if s.args not in f.overloads)
    build(functions)
compile._build = note_build
sys.addaudithook(note)
for spec in sys.argv[1:]:
    game, agent = map(str.strip, spec.split("|"))
    game = load_game(game)
    with load_agent(agent).sit(game, 0) as player:
        position = game.start(3)
        thinking = True
        player.think(position.observe(0), Limit(seconds=0.02))
        thinking = False
print(seen)
"""


def test_a_first_move_loads_nothing(fresh_python):
    pairs = (
        "connect_n | champion", "expendibots | champion", "expendibots | perfect",
        "sheep(hidden=True) | champion", "sheep | alphazero", "tron | champion", "tron | greedy",
        "robots | shortest", "robots | alphazero",
    )  # fmt: skip
    done = fresh_python(FIRST_MOVES, *pairs)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_THREAD"), reason="the system does not tell")
def test_a_table_has_its_memory_before_a_search():
    def faults():
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

    table, before = Table(22), faults()  # too large for memory that was used before
    table.entries["key"][:: 4096 // ENTRY.itemsize] = 1
    assert faults() - before < 10


def test_computing_counts_where_the_clock_is_of_cpu_time():
    stop = [0] * CONTROL_SIZE
    list(Timer(SHORT, cpu=True, reserve=Reserve()).run(lambda: None, stop))
    assert stop[CLOCK] == time.CLOCK_PROCESS_CPUTIME_ID
    assert stop[DEADLINE] / 1e9 <= time.process_time() + SHORT
    assert SHORT <= AT_ONCE < LONG


# Time of a bank ---------------------------------------------------------------------------------


def paces(*iterations):
    """Return the time after which a search stops, after these choices and falls of the value."""
    pace = Pace(1.0)
    for action, fall in iterations:
        pace.note(action, fall)
    return pace.last_start


def test_a_settled_choice_takes_less_time_than_one_that_changes_or_fails():
    settled = paces((3, 0.0), (3, 0.0), (3, 0.0))
    assert settled == paces((3, 0.0)) < 1.0
    assert paces((3, 0.0), (3, 0.0), (4, 0.0)) > settled
    assert paces((3, 0.0), (3, 0.0), (3, 0.5)) > settled
    assert paces((3, 0.0), (4, 0.0), (4, 0.0)) < paces((3, 0.0), (3, 0.0), (4, 0.0))


def test_only_a_share_of_a_bank_ends_a_search_between_iterations(connect_four):
    agent, start = load_agent("alphabeta(depth=4)"), connect_four.start()
    assert agent.think(start, Limit(seconds=1e-9, most=600)).depth == 1
    assert agent.think(start, Limit(seconds=600, most=600)).depth == 4
    assert agent.think(start, Limit(seconds=600)).depth == 4
