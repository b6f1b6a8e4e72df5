"""When searches stop: a reserve follows the lag they see; the machine here is a simulated one."""

from types import SimpleNamespace

import pytest

from plyground.agents import _timing
from plyground.agents._timing import LARGEST, Reserve, Timer

SECONDS = 0.1


class Machine:
    """A clock that moves only while someone waits, and lets everyone wait longer than asked."""

    def __init__(self):
        self.now = 100.0
        self.lag = 0.0
        self.stuck = False
        """Whether work does not even get to see that it is to stop."""

    def work(self, stop):
        machine = self

        class Thread:
            def __init__(self, target, daemon):
                self.ended = False

            def start(self):
                machine.now += machine.lag

            def is_alive(self):
                return not self.ended

            def join(self, timeout=None):
                self.ended = bool(stop[0]) and (timeout is None or not machine.stuck)
                machine.now += machine.lag + (0.0 if self.ended else timeout) + 1e-9

        return Thread


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setattr(_timing, "perf_counter", lambda: made.now)
    return made


@pytest.fixture
def search(machine, monkeypatch):
    """Search as agents do; give the seconds after which the answer is there."""

    def run(reserve):
        stop, began = [0], machine.now
        monkeypatch.setattr(_timing, "threading", SimpleNamespace(Thread=machine.work(stop)))
        timer = Timer(SECONDS, reserve=reserve)
        list(timer.run(lambda: None, stop))
        timer.answered()
        return machine.now - began

    return run


def test_without_lag_hardly_any_time_is_kept(search):
    reserve = Reserve()
    spent = [search(reserve) for _ in range(100)]
    assert max(spent) <= SECONDS + 1e-6
    assert min(spent) >= 0.8 * SECONDS  # nothing is known of the machine at first
    assert spent[-1] > 0.99 * SECONDS


@pytest.mark.parametrize("stuck", [False, True])
@pytest.mark.parametrize("lag", [0.001, 0.005, 0.01, 0.02])
def test_answers_are_in_time_under_a_steady_lag_from_the_first_search_on(
    lag, stuck, machine, search
):
    machine.lag, machine.stuck = lag, stuck
    reserve = Reserve()
    first, *later = [search(reserve) for _ in range(100)]
    assert first <= SECONDS + lag + 1e-6
    assert max(later) <= SECONDS + lag + 1e-6  # it is woken, and the work after it, in one reserve
    assert min(later) >= SECONDS * (1 - LARGEST)


def test_what_a_search_was_late_the_next_one_keeps(machine, search):
    reserve = Reserve()
    for _ in range(100):
        search(reserve)
    timer = Timer(SECONDS, reserve=reserve)
    timer.stopped = machine.now
    machine.now += 0.03  # it was stopped, and had its answer so much later
    timer.answered()
    assert reserve.lag == pytest.approx(0.03)
    assert search(reserve) == pytest.approx(SECONDS - 0.03 * _timing.FADING)


def test_a_hiccup_is_forgotten(search):
    reserve = Reserve()
    reserve.note(0.05)
    spent = [search(reserve) for _ in range(100)]
    assert spent[0] < 0.6 * SECONDS
    assert spent == sorted(spent)
    assert spent[-1] > 0.99 * SECONDS


def test_the_reserve_leaves_time_to_think():
    reserve = Reserve()
    reserve.note(10.0)
    assert reserve.of(SECONDS) == LARGEST * SECONDS < SECONDS
    assert reserve.of(100.0) == 10.0


def test_who_is_stuck_is_waited_for_before_the_next_search(machine, monkeypatch):
    stop = [0]
    machine.stuck = True
    monkeypatch.setattr(_timing, "threading", SimpleNamespace(Thread=machine.work(stop)))
    timer = Timer(SECONDS, reserve=Reserve())
    list(timer.run(lambda: None, stop))
    assert timer.thread.is_alive()
    timer.finish()
    assert not timer.thread.is_alive()


def test_a_search_without_a_clock_runs_to_its_end():
    seen = []
    list(Timer().run(lambda: seen.append(1), [0]))
    assert seen == [1]


def test_computing_counts_where_the_clock_is_of_cpu_time(monkeypatch):
    """However much time passes, the search stops when the process has computed enough."""
    cpu = iter(x / 1000 for x in range(100_000))
    monkeypatch.setattr(_timing, "process_time", lambda: next(cpu))
    stop = [0]

    def wait():
        while not stop[0]:
            pass

    timer = Timer(SECONDS, cpu=True, reserve=Reserve())
    list(timer.run(wait, stop))
    assert stop == [1]
    assert timer.stopped is not None
    assert timer.elapsed >= SECONDS * (1 - LARGEST)
