"""The site, by messages to a real server: play, watch, analyse, restart."""

import signal
import time

import pytest
from site_of import Visitor, running
from websockets.exceptions import ConnectionClosed

from plyground.games import load_game
from plyground.web.drawing import Drawing

GAMES = ("connect_n", "tron", "sheep", "robots", "expendibots")
RANDOM = {"kind": "agent", "agent": {"name": "random"}}
"""An opponent that needs no search to be compiled."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with running(folder / "games.sqlite", "--workers", "2") as started:
        yield started


@pytest.fixture
def visitor(site):
    return Visitor(site.address)


def people(count):
    return [{"kind": "person"}] * count


def drawn(state):
    """Apply the operations of a state's moves as a page does; return the shapes by id, in order."""
    shapes = {shape["id"]: dict(shape) for shape in state["start"]["shapes"]}
    for move in state["moves"]:
        for step in move["operations"]:
            shapes = applied(shapes, step)
    return list(shapes.values())


def applied(shapes, step):
    name = step.get("id")
    match step["do"]:
        case "redraw":
            return {shape["id"]: dict(shape) for shape in step["shapes"]}
        case "remove":
            return {id: shape for id, shape in shapes.items() if id != name}
        case "set":
            shapes[name]["svg"] = step["svg"]
            return shapes
        case "move":
            shapes[name] |= {"x": step["x"], "y": step["y"]}
            return shapes
    added = step["do"] == "add"
    shape = {part: step[part] for part in ("id", "x", "y", "svg")} if added else shapes.pop(name)
    rest = list(shapes.values())
    at = len(rest) if step["before"] is None else list(shapes).index(step["before"])
    return {shape["id"]: shape for shape in [*rest[:at], shape, *rest[at:]]}


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_messages(visitor, game):
    players = load_game(game).facts.players
    seats = [{"kind": "person"}, *[RANDOM] * (players - 1)]
    made = visitor.make(game, seats=seats, seed=3)
    with visitor.join(made) as page:
        page.wait_for_turn()
        while not page.state["over"]:
            legal = page.state["legal"]
            chosen = legal[len(page.state["moves"]) % len(legal)]
            assert page.move(chosen["action"])["type"] == "accepted"
            page.wait_for_turn()
        state = page.state
    assert state["outcome"]
    assert state["turn"] is None
    rules = load_game(game)
    position = rules.parse(state["start"]["text"])
    for move in state["moves"]:
        assert move["text"] == position.format(move["action"])
        assert move["seat"] == position.player
        position = position.play(move["action"])
    assert position.to_text() == state["moves"][-1]["position"]
    expected = [shape.to_json() for shape in Drawing.of(rules.draw(position)).shapes]
    assert drawn(state) == expected
    assert visitor.http.get(f"/api/games/{made}").json()["moves"] == state["moves"]
    assert "[Game" in visitor.http.get(f"/api/games/{made}/record.txt").text
