"""Errors that nobody foresaw, on the site: whoever waits is told, and everything goes on."""

import asyncio
import time
from types import SimpleNamespace

from test_site_games import games_at, new_game

from plyground import Tournament
from plyground.web import forms
from plyground.web.active import ActiveGame
from plyground.web.app import _sweep
from plyground.web.arena import Arena
from plyground.web.channel import BUSY, Channel


def broken(*arguments):
    raise KeyError("nobody foresaw this")


async def broken_soon(*arguments):
    broken()


def test_an_unforeseen_error_of_an_agents_search_ends_the_game(tmp_path, monkeypatch):
    monkeypatch.setattr(ActiveGame, "_think", broken_soon)

    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            active = await new_game(games, seats=[{"kind": "agent"}, {"kind": "person"}])
            active.touch()
            while not active.game.session.is_over:
                await asyncio.wait_for(asyncio.sleep(0.01), 10)
            assert "failed: KeyError: 'nobody foresaw this'" in active.game.outcome()

    asyncio.run(asyncio.wait_for(use(), 30))


def test_an_unforeseen_error_of_a_request_is_answered(tmp_path, monkeypatch):
    monkeypatch.setattr(ActiveGame, "hint", broken_soon)

    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            active = await new_game(games)
            channel = Channel(SimpleNamespace(scope={"visitor": "ann"}), games)
            await channel._answer(active, forms.Hint(type="hint", request="r7"))
            answer = channel._outgoing.get_nowait()
            assert (answer["type"], answer["request"]) == ("refused", "r7")
            assert answer["reason"] == "the server could not answer this request"

    asyncio.run(use())


def test_a_message_that_cannot_be_written_closes_its_page(tmp_path):
    closed = []

    async def close(code, reason):
        closed.append(code)

    async def use():
        socket = SimpleNamespace(scope={"visitor": "ann"}, close=close, send_text=print)
        channel = Channel(socket, None)
        channel.send({"type": "thinking", "value": object()})
        await asyncio.wait_for(channel._write(), 10)
        assert closed == [BUSY]

    asyncio.run(use())


def test_sweeping_goes_on_after_an_unforeseen_error(monkeypatch):
    sweeps = []

    async def sweep():
        sweeps.append(1)
        broken()

    async def use():
        sweeping = asyncio.create_task(_sweep(SimpleNamespace(sweep=sweep)))
        while len(sweeps) < 3 and not sweeping.done():
            await asyncio.sleep(0.01)
        assert not sweeping.done()
        sweeping.cancel()

    monkeypatch.setattr("plyground.web.app.SWEEP", 0.0)
    asyncio.run(asyncio.wait_for(use(), 30))


def test_a_tournament_that_ends_by_an_unforeseen_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("plyground.web.arena.play_tournament", broken)
    arena = Arena(str(tmp_path / "games.sqlite"), 1)
    number = arena.start(Tournament(game="connect_n", agents=("random", "greedy"), games=2))
    while arena.playing is not None:
        time.sleep(0.01)
    assert "KeyError: 'nobody foresaw this'" in arena.results(number)["problem"]
