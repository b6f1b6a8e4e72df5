"""Parts of the site on their own: operations on pictures, the journal, the pool, views, clocks."""

import asyncio
import threading
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from site_of import applied

from plyground import load_game
from plyground.agents.agent import Limit
from plyground.errors import AgentError, StoreError
from plyground.session import Move, Session
from plyground.web.catalogue import Catalogue
from plyground.web.drawing import Drawing, Shape, operations
from plyground.web.journal import Journal
from plyground.web.live import PERSON, Chair, LiveGame, made_event
from plyground.web.pool import ANALYSIS, REPLY, Pool, Task
from plyground.web.views import EVERYTHING, NOTHING, shown_position

AGENTS = Path(__file__).parent / "agents"

shapes = some.lists(
    some.builds(
        Shape, some.sampled_from("abcdefghij"), some.integers(0, 3), some.integers(0, 3),
        some.sampled_from(("<i/>", "<j/>")), some.just(True),
    ),
    unique_by=lambda shape: shape.id,
).map(lambda found: Drawing((1.0, 1.0), (), tuple(found)))  # fmt: skip


@given(shapes, shapes)
def test_operations_lead_from_any_drawing_to_any_other(before, after):
    current = {shape.id: shape.to_json() for shape in before.shapes}
    steps = operations(before, after)
    for step in steps:
        current = applied(current, step)
    assert list(current.values()) == [shape.to_json() for shape in after.shapes]
    assert before.shapes != after.shapes or steps == []
    kept = {shape.id for shape in before.shapes} & {shape.id for shape in after.shapes}
    assert not kept & {step["id"] for step in steps if step["do"] in ("add", "remove")}


def test_another_box_is_drawn_anew():
    before = Drawing((1.0, 1.0), (), ())
    assert [step["do"] for step in operations(before, replace(before, box=(2.0, 1.0)))] == [
        "redraw"
    ]


def test_the_journal_keeps_events_in_order(location):
    async def use():
        journal = Journal(location)
        await asyncio.gather(
            *(journal.append(f"game{at}", 1, {"do": "make"}, ("ann",)) for at in range(3))
        )
        await journal.append("game1", 2, {"do": "move", "text": "é'\""})
        with pytest.raises(StoreError):  # another server has been faster
            await journal.append("game1", 2, {"do": "undo"})
        assert await journal.events("game1") == [{"do": "make"}, {"do": "move", "text": "é'\""}]
        assert await journal.events("unknown") == []
        with pytest.raises(StoreError, match="not JSON serializable"):
            await asyncio.wait_for(journal.append("game1", 3, {"text": object()}), 10)
        await asyncio.wait_for(journal.append("game1", 3, {"do": "undo"}), 10)
        assert (await journal.games_of("ann", 2))[0][0] == "game1"
        assert len(await journal.games_of("ann", 2)) == 2
        await journal.close()
        again = Journal(location)
        assert len(await again.events("game1")) == 3
        await again.close()

    asyncio.run(use())


def task(agent):
    start = load_game("connect_n").start().to_text()
    return Task("connect_n", start, (0, 1, 2, 3), agent, Limit(), 0)


def test_the_pool_ends_agents_that_do_not_stop_and_survives_those_that_die():
    async def use():
        pool = Pool(1)
        try:
            deadly = pool.submit(task(str(AGENTS / "deadly.py")), REPLY, 5.0)
            with pytest.raises(AgentError, match="its process ended"):
                await pool.last(deadly)
            slow = pool.submit(task(f"{AGENTS / 'slow.py'}(seconds=60)"), REPLY, 0.1)
            with pytest.raises(AgentError, match="did not answer within"):
                await pool.last(slow)
            thinking = pool.submit(task("alphabeta(depth=40)"), ANALYSIS, 60.0)
            waiting = pool.submit(task("random"), REPLY, 5.0)
            await anext(aiter(thinking))
            assert (pool.running, pool.waiting) == (1, 1)
            pool.stop(thinking)
            thought, _ = await pool.last(waiting)
            assert thought.action in range(7)
            assert pool.running == 0
        finally:
            pool.close()

    asyncio.run(use())


def test_a_pool_that_can_start_no_process_says_so(monkeypatch):
    def refused(context, receive):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async def use():
        pool = Pool(1)
        monkeypatch.setattr("plyground.web.pool._Worker", refused)
        job = pool.submit(task("random"), REPLY, 5.0)
        with pytest.raises(AgentError, match="no process can be started: Resource temporarily"):
            await asyncio.wait_for(pool.last(job), 10)

    asyncio.run(use())


def test_the_first_process_is_started_beside_the_event_loop(monkeypatch):
    """It imports much, for which the start waits: a second or two."""
    threads = []
    real = BaseProcess.start

    def start(self):
        threads.append(threading.current_thread())
        real(self)

    monkeypatch.setattr(BaseProcess, "start", start)

    async def use():
        pool = Pool(1)
        try:
            await asyncio.gather(
                *(pool.last(pool.submit(task("random"), REPLY, 5.0)) for _ in "ab")
            )
        finally:
            pool.close()

    asyncio.run(use())
    assert len(threads) == 2
    assert threads[0] is not threading.main_thread()


def test_views_hide_a_pending_move_but_not_the_trails():
    game = load_game("tron(simultaneous=True)")
    position = game.start(1)
    for _ in range(3):
        position = position.play(position.legal_actions[0])
    assert position.player == 1
    for seat in (0, 1):
        shown = shown_position(position, seat)
        assert shown == (position if seat == 0 else position.previous)
        assert shown.previous is not None  # with the line of play, trails have their colours


def new_game(spec, seats, clock=None):
    start = load_game(spec).start(1)
    chairs = [Chair(PERSON, owner, owner) for owner in seats]
    return LiveGame("x", Catalogue(), made_event(start, chairs, "play", "a", 1, clock, []))


def test_who_sees_what_in_a_game_with_hidden_counts():
    game = new_game("sheep(players=2, hidden=True)", "ab")
    assert [game.view_of(owner) for owner in "abc"] == [0, 1, NOTHING]
    both = new_game("sheep(players=2, hidden=True)", "aa")
    assert both.view_of("a") == both.session.seat
    game.apply({"do": "resign", "seat": 0})
    assert [game.view_of(owner) for owner in "abc"] == [EVERYTHING] * 3


def test_clocks_are_charged_again_when_a_game_is_read_back():
    game = new_game("connect_n", "ab", {"bank": 10.0, "increment": 1.0})
    for _ in range(2):
        game.apply({"do": "move", "action": 3, "seconds": 99.0})  # the first ones cost nothing
    game.apply({"do": "move", "action": 3, "seconds": 4.0})
    game.apply({"do": "move", "action": 3, "seconds": 1.0})
    game.apply({"do": "pause", "seconds": 2.5})
    assert game.session.seconds_left(1) == 10.0
    assert 4.0 < game.session.seconds_left(0) <= 4.5
    game.apply({"do": "undo", "seat": 1})
    assert game.session.seconds_left(0) == 7.0
    game.apply({"do": "move", "action": 2, "seconds": 12.0})
    assert game.session.ending == "late"
    assert game.outcome() == "b late: took 12.000 s, had 10.000 s"
    assert game.allowed("c") == ["analyse"]


def test_moves_found_elsewhere_are_charged_and_checked(connect_four):
    agent = Catalogue().agent(connect_four, "random", {}).load()
    session = Session(connect_four.start(), [agent, None], Limit(bank=5.0), prepare=False)
    assert session.allowance().bank == 5.0
    session.begin_with([3, 3])
    for seconds in (9.0, 9.0, 2.0):
        session.make(Move(session.seat, 3, seconds))
    assert session.seconds_left(0) == 3.0
    session.forfeit(1, "late", "slept")
    assert session.record().outcome == "player 2 late: slept"
