"""Addresses of pages that lead nowhere, and what visitors are told there."""

import asyncio

import pytest
from site_of import served

from plyground.agents.greedy import Greedy
from plyground.web.catalogue import Catalogue, _accepts

NOWHERE = {
    "/game/nosuch": ("There is no such game", "/"),
    "/analyse?game=nosuch": ("There is no such game", "/analyse"),
    "/analyse?game=tron(((": ("There is no such game", "/analyse"),
    "/?game=nosuch": ("There is no such game", "/"),
    "/arena/999": ("There is no run 999", "/arena"),
    "/arena/999/1": ("There is no run 999", "/arena"),
    "/arena/0": ("There is no such page", "/arena"),
    "/arena/99999999999999": ("There is no such page", "/arena"),
    "/arena/<script>": ("There is no such page", "/arena"),
    "/nothing": ("There is no such page", "/"),
}
THERE = ("/", "/?game=tron", "/analyse", "/analyse?game=tron(width=9)", "/arena", "/learn", "/api")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return the answers to all these addresses."""

    async def ask():
        async with served(tmp_path_factory.mktemp("pages") / "games.sqlite") as client:
            api = ("/api/games/nosuch", "/api/runs/999", "/static/nosuch.js")
            return {each: await client.get(each) for each in (*NOWHERE, *THERE, *api)}

    return asyncio.run(ask())


@pytest.mark.parametrize("address", NOWHERE)
def test_an_address_that_leads_nowhere_says_where_to_go(answers, address):
    answer, (title, link) = answers[address], NOWHERE[address]
    assert (answer.status_code, answer.headers["content-type"][:9]) == (404, "text/html")
    assert f"<h1>{title}</h1>" in answer.text
    assert f'href="{link}"' in answer.text


def test_the_other_addresses_have_their_pages(answers):
    assert {answers[address].status_code for address in THERE} == {200}


def test_programs_get_errors_as_json(answers):
    for address in ("/api/games/nosuch", "/api/runs/999", "/static/nosuch.js"):
        assert (answers[address].status_code, list(answers[address].json())) == (404, ["error"])


def test_agents_that_are_offered_can_play(tmp_path, example):
    """Those that are not offered are refused; neither costs a search here."""
    named = {"game_files": [str(example)], "agents": ["Rex=nycu_sheep(path='bot.py')"]}

    async def ask():
        async with served(tmp_path / "games.sqlite", **named) as client:
            offers = {}
            for game in ("connect_n", "robots", "sheep", "tron", "tic_tac_toe"):
                described = (await client.get(f"/api/catalogue/{game}")).json()
                offers[game] = {agent["name"] for agent in described["agents"]}
                found = (await client.post("/api/positions", json={"game": game})).json()
                assert set(found["agents"]) == offers[game]
            rules = {"simultaneous": True, "map": "room", "width": 7, "height": 7}
            form = {"game": "tron", "options": rules}
            offers["small"] = set((await client.post("/api/positions", json=form)).json()["agents"])
            return offers

    offers = asyncio.run(ask())
    some = {
        "shortest": {"robots"},
        "perfect": {"connect_n", "robots"},
        "network": {"connect_n", "robots", "sheep", "tron", "small"},
        "rule": {"connect_n", "robots", "sheep", "tron", "small"},
        "openspiel": {"connect_n", "robots", "sheep", "tron", "tic_tac_toe"},
        "Rex": {"sheep"},
        "mcts": set(offers),
    }
    for name, games in some.items():
        assert {game for game in offers if name in offers[game]} == games, name


def test_an_agent_that_cannot_be_asked_is_not_offered(connect_four, monkeypatch):
    monkeypatch.setattr(Greedy, "accept", lambda self, game: game.no_such_name)
    catalogue = Catalogue()
    _accepts.cache_clear()
    try:
        assert "greedy" not in catalogue.players_of(connect_four)
        assert "random" in catalogue.players_of(connect_four)
    finally:
        _accepts.cache_clear()
