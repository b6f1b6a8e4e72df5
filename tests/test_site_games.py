"""Games of the site without a server: made, found again, and played by people."""

import asyncio
import sqlite3
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from site_of import served

from plyground import session
from plyground.agents.agent import Limit
from plyground.errors import CannotPlayError
from plyground.game import Position
from plyground.web.active import task_for
from plyground.web.catalogue import Catalogue
from plyground.web.forms import GameForm, MoveBody
from plyground.web.games import Games
from plyground.web.journal import Journal
from plyground.web.live import NotAllowedError
from plyground.web.pool import Pool
from plyground.web.rules_apart import RulesError

AGENTS = Path(__file__).parent / "agents"
PEOPLE = [{"kind": "person"}] * 2


@asynccontextmanager
async def games_at(location):
    """Yield the games of a site whose agents are not asked to think."""
    journal, pool = Journal(str(location)), Pool(1)
    games = Games(Catalogue(), journal, pool, str(location), str)
    try:
        yield games
    finally:
        await games.close()
        pool.close()
        await journal.close()


async def new_game(games, owner="ann", **form):
    """Make a game of Connect Four; return it."""
    form = {"game": "connect_n", "seats": PEOPLE} | form
    return await games.find(await games.make(owner, GameForm(**form)))


async def play(active, owner, *actions):
    for action in actions:
        ply = len(active.game.session.moves)
        await active.move(owner, MoveBody(ply=ply, action=action))


def test_moves_of_a_game_and_of_its_rematches_have_seeds_of_their_own(tmp_path):
    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            active, seeds = await new_game(games, seed=7), []
            for _ in range(3):
                await play(active, "ann", 0, 1, 2, 3)
                seeds += [active.game.session.seed]
                tasks = [task_for(active.game, ply, "random", limit=Limit()) for ply in range(5)]
                seeds += [task.seed for task in tasks]
                await active.resign("ann", "-", None)
                active = await games.find(await games.rematch(active, "ann"))
            assert len(set(seeds)) == len(seeds)

    asyncio.run(use())


def test_the_host_of_a_link_game_loses_no_time_before_the_first_moves(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(session, "perf_counter", lambda: now[0])
    clock = {"bank": 5, "increment": 0}

    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            seats = [{"kind": "person"}, {"kind": "open"}]
            active = await new_game(games, seats=seats, clock=clock)
            watched = active.game.session

            async def wait():
                now[0] += 60
                with pytest.raises(NotAllowedError):
                    await play(active, "nobody", 0)  # which looks at the clocks first
                state = active.situation("ann")
                assert (state["clocks"]["running"], state["clocks"]["left"]) == (None, [5, 5])

            now[0] += 60
            await active.sit("bob", "-", 1, "Bob")
            for player in ("ann", "bob"):
                await wait()
                await play(active, player, 0)
            assert active.situation("ann")["clocks"]["running"] == 0
            now[0] += 10
            with pytest.raises(CannotPlayError, match="the game is over"):
                await play(active, "ann", 0)
            assert (watched.ending, watched.fault) == ("late", 0)

    asyncio.run(use())


def test_the_clocks_of_a_continued_game_are_full_and_wait_for_the_first_moves(tmp_path):
    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            first = await new_game(games)
            await play(first, "ann", 0, 1, 2, 3)
            origin, clock = {"id": first.game.id, "ply": 3}, {"bank": 60, "increment": 9}
            copied = await new_game(games, **{"from": origin, "clock": clock})
            clocks = copied.situation("ann")["clocks"]
            assert (clocks["left"], clocks["running"]) == ([60, 60], None)
            assert len(copied.game.session.moves) == 3

    asyncio.run(use())


BROKEN = {
    "no text": '{"do": "mo',
    "no object": "[1]",
    "another kind": '{"do": "fly"}',
    "a missing field": '{"do": "move"}',
    "a wrong type": '{"do": "move", "action": "x", "seconds": 1}',
    "a seat too many": '{"do": "resign", "seat": 9}',
    "an illegal move": '{"do": "move", "action": 99, "seconds": 1}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize(("version", "rows"), [(1, BROKEN), (2, BROKEN)])
def test_damaged_rows_are_named_and_the_other_games_are_listed(tmp_path, capsys, version, rows):
    store = tmp_path / "games.sqlite"

    async def ask():
        async with served(store) as client:
            client.cookies["plyground"] = "a" * 24
            form = {"game": "connect_n", "seats": PEOPLE}
            made = [(await client.post("/api/games", json=form)).json()["id"] for _ in (*rows, "")]
            for game in made:
                body = {"ply": 0, "action": 3}
                assert (await client.post(f"/api/games/{game}/moves", json=body)).status_code == 200
        with closing(sqlite3.connect(store)) as database, database:
            for text, game in zip(rows.values(), made, strict=False):
                command = "UPDATE site_events SET event = ? WHERE game = ? AND version = ?"
                database.execute(command, (text, game, version))
            database.execute("UPDATE site_games SET changed = 'x' WHERE id = ?", (made[-1],))
        async with served(store) as client:
            client.cookies["plyground"] = "a" * 24
            for _ in range(2):
                listed = await client.get("/api/games")
                assert [row["id"] for row in listed.json()["games"]] == [made[-1]]
            for game in made[:-1]:
                answer = await client.get(f"/api/games/{game}")
                assert answer.status_code == 410
                assert "this game cannot be read" in answer.json()["error"]
            named = capsys.readouterr().err.splitlines()
            assert [line.split()[:5] for line in named if "site_events" in line] == [
                ["version", str(version), "of", "game", game] for game in reversed(made[:-1])
            ]

    asyncio.run(ask())


def test_people_without_names_are_called_by_their_seats(tmp_path):
    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            seats = [{"kind": "person"}, {"kind": "open"}, {"kind": "person", "name": "Cleo"}]
            seats = [*seats, {"kind": "agent", "level": 2}]
            active = await new_game(games, game="sheep", seats=seats)
            await active.sit("bob", "-", 1, " ")
            assert active.game.names == ["player 1", "player 2", "Cleo", "level 2"]
            await active.resign("bob", "-", None)
            assert active.game.outcome() == "player 2 resigned: gave up"
            following = await games.find(await games.rematch(active, "ann"))
            assert following.game.names == ["player 1", "Cleo", "level 2", "player 4"]
            assert following.game.seats_of("bob") == [0]
            shown = [seat["name"] for seat in following.situation("ann")["seats"]]
            assert shown == following.game.names == list(following.game.record().names)

    asyncio.run(use())


class Watcher:
    """A page that keeps what it is sent."""

    def __init__(self, owner):
        self.owner, self.sent = owner, []

    def send(self, message):
        self.sent.append(message)

    def disconnect(self):
        pass


def is_on_the_loop():
    try:
        return asyncio.get_running_loop() is not None
    except RuntimeError:
        return False


def test_long_games_are_played_back_and_drawn_in_threads(tmp_path, monkeypatch, connect_four):
    drawn, played, store = [], [], tmp_path / "games.sqlite"
    for kind, name, calls in (
        (type(connect_four), "draw", drawn),
        (Position, "play", played),
    ):
        real = getattr(kind, name)

        def noting(self, *given, real=real, calls=calls):
            calls.append(is_on_the_loop())
            return real(self, *given)

        monkeypatch.setattr(kind, name, noting)
    actions, reached = [], connect_four.start()
    while len(actions) < 25:
        after = {action: reached.play(action) for action in reached.legal_actions}
        actions.append(next(action for action in after if not after[action].is_over))
        reached = after[actions[-1]]
    position = {"game": "connect_n", "actions": actions}

    async def made():
        async with games_at(store) as games:
            active = await new_game(games)
            await play(active, "ann", *actions)
            await active.resign("ann", "-", None)
            return active.game.id

    def check(calls):
        assert len(calls) >= len(actions)
        assert sum(drawn) <= 1
        assert sum(played) <= 1
        drawn.clear()
        played.clear()

    async def enter(game):
        async with games_at(store) as games:
            watcher = Watcher("ann")
            await (await games.find(game)).enter(watcher, None)
            assert len(watcher.sent[0]["moves"]) == len(actions)

    async def ask(game):
        address, copied = f"/api/games/{game}", {"from": {"id": game}, "mode": "analysis"}
        random = {"agent": {"name": "random"}, "seconds": 0.1}
        async with served(store) as client:
            for file in ("", "/replay.html", "/animation.svg"):
                assert (await client.get(f"{address}{file}")).status_code == 200
                check(drawn)
            for where, form in (
                ("games", copied), ("positions", position), ("thoughts", position | random),
            ):  # fmt: skip
                assert (await client.post(f"/api/{where}", json=form)).status_code in (200, 201)
                check(played)

    game = asyncio.run(made())
    drawn.clear()
    played.clear()
    asyncio.run(enter(game))
    check(drawn)
    asyncio.run(ask(game))


def crash(position, action):
    raise RulesError("the rules crashed")


def test_rules_that_fail_are_no_damage_of_the_row(tmp_path, monkeypatch, capsys):
    store = tmp_path / "games.sqlite"

    async def made():
        async with games_at(store) as games:
            active = await new_game(games)
            await play(active, "ann", 3)
            return active.game.id

    async def ask(game):
        async with served(store) as client:
            with monkeypatch.context() as failing:
                reason = RulesError("the rules crashed")
                failing.setattr(
                    Position, "play", lambda self, action: (_ for _ in ()).throw(reason)
                )
                answer = await client.get(f"/api/games/{game}")
                assert (answer.status_code, answer.json()) == (500, {"error": "the rules crashed"})
            assert (await client.get(f"/api/games/{game}")).status_code == 200

    asyncio.run(ask(asyncio.run(made())))
    assert "site_events" not in capsys.readouterr().err


def test_a_slow_agent_can_play_and_one_for_other_games_cannot(tmp_path):
    slow = f"slow={AGENTS / 'slow.py'}(seconds=60.0)"

    async def ask():
        async with served(tmp_path / "games.sqlite", agents=[slow]) as client:
            answers = []
            for name in ("slow", "shortest"):
                seats = [{"kind": "agent", "agent": {"name": name}}, {"kind": "person"}]
                form = {"game": "connect_n", "seats": seats}
                answers.append((await client.post("/api/games", json=form)).status_code)
            return answers

    assert asyncio.run(ask()) == [201, 400]
