"""The page of a game in a real browser: entering moves, stepping, losing the connection."""

import io
import json
import re
from itertools import combinations
from random import Random

import numpy as np
import pytest
from browsing import (
    PERSON,
    browser,
    cell,
    in_chromium,
    moves,
    new_game,
    site,
    state_of,
    violations,
    visit,
)
from PIL import Image
from playwright.sync_api import expect

from plyground import load_game
from plyground.games.expendibots.rules import SQUARES

pytestmark = in_chromium
__all__ = ("browser", "site", "visit")

PEOPLE = (PERSON, PERSON)
STACK = "8/8/8/8/4a3/8/2B5/8 w 0"
"""White has a stack of two on c2 (cell 10); Black's stone is on e4."""


@pytest.fixture
def page(visit):
    return visit()


def place_of(page, name):
    """Return where a piece is, and how long it takes to get elsewhere."""
    return page.locator(f"[data-id='{name}']").evaluate(
        "node => [node.style.transform, getComputedStyle(node).transitionDuration]"
    )


# Moves ------------------------------------------------------------------------------------------


def test_targets_and_the_own_move_are_shown_while_the_server_is_busy(page, site):
    new_game(page, site, "expendibots", *PEOPLE)
    cell(page, 8).hover()
    expect(cell(page, 8)).to_have_class(re.compile("begins"))
    piece = page.locator("[data-id]:not([data-id^='-'])")
    site.freeze()
    try:
        cell(page, 8).click()
        expect(cell(page, 16)).to_have_class(re.compile("target"))
        before = [node.evaluate("node => node.style.transform") for node in piece.all()]
        shown = cell(page, 16).evaluate(
            """async (button) => {
                button.click();
                await new Promise(requestAnimationFrame);
                const pieces = document.querySelectorAll("[data-id]:not([data-id^='-'])");
                return [...pieces].map((node) => node.style.transform);
            }"""
        )
        assert len(set(before) - set(shown)) == 1
        assert moves(page) == []
    finally:
        site.thaw()
    expect(page.locator(".moves li")).to_have_count(1)
    assert state_of(page)["moves"][0]["text"] == "a2-a3"


def test_a_refused_move_snaps_back(page, site):
    def outdate(channel):
        server = channel.connect_to_server()

        def alter(text):
            message = json.loads(text)
            server.send(json.dumps(message | {"ply": 7} if message["type"] == "move" else message))

        channel.on_message(alter)

    page.route_web_socket(re.compile("/ws/game/"), outdate)
    new_game(page, site, "connect_n", *PEOPLE)
    cell(page, 3).click()
    expect(page.locator("[data-id='stone-3-0']")).to_have_count(0)
    expect(page.locator("#notes")).to_contain_text("not played")
    assert state_of(page)["moves"] == []
    expect(page.locator(".status")).to_contain_text("to move")


@pytest.mark.parametrize(("motion", "seconds"), [("no-preference", "0.25s"), ("reduce", "0s")])
def test_a_moved_piece_keeps_its_node_and_slides(visit, site, motion, seconds):
    page = visit(reduced_motion=motion)
    new_game(page, site, "tron", *PEOPLE)
    bike = page.locator("[data-id='bike-1']")
    node = bike.element_handle()
    before, _ = place_of(page, "bike-1")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".moves li")).to_have_count(1)
    after, duration = place_of(page, "bike-1")
    assert after != before
    assert duration == seconds
    assert node.evaluate("(node) => node === document.querySelector(\"[data-id='bike-1']\")")


def _click(page):
    cell(page, 10).click()
    cell(page, 18).click()
    page.get_by_role("group", name="Choose").get_by_role("button", name="2").click()


def _drag(page):
    cell(page, 10).drag_to(cell(page, 18))
    page.get_by_role("group", name="Choose").get_by_role("button", name="2").click()


def _tap(page):
    cell(page, 10).tap()
    cell(page, 18).tap()
    page.get_by_role("group", name="Choose").get_by_role("button", name="2").tap()


def _keys(page):
    page.locator(".cells button[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", *["ArrowDown"] * 6, "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)


def _type(page):
    page.get_by_label("Type a move").fill("2C2-c3")
    page.keyboard.press("Enter")


def _list(page):
    page.get_by_text("All legal moves").click()
    page.get_by_role("list", name="Legal moves").get_by_role("button", name="2c2-c3").click()


@pytest.mark.parametrize("enter", [_click, _drag, _tap, _keys, _type, _list])
def test_all_ways_to_enter_a_move_give_one_record(visit, site, enter):
    page = visit(has_touch=True)
    new_game(page, site, "expendibots", *PEOPLE, position=STACK)
    enter(page)
    expect(page.locator(".moves li")).to_have_count(1)
    assert [move["text"] for move in state_of(page)["moves"]] == ["2c2-c3"]


def test_swiping_scrolls_and_plays_nothing(visit, site):
    page = visit(has_touch=True, viewport={"width": 390, "height": 500})
    new_game(page, site, "connect_n", *PEOPLE)
    box = cell(page, 3).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 250
    tool = page.context.new_cdp_session(page)
    for kind, height in [("touchStart", y), *[("touchMove", y - step) for step in (20, 90, 160)]]:
        tool.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": height}]}
        )
    tool.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > 50
    assert moves(page) == []
    assert state_of(page)["moves"] == []


def test_a_double_tap_does_not_explode(visit, site):
    """An explosion is entered by two taps on one stack that are not a double tap."""
    page = visit(has_touch=True)
    new_game(page, site, "expendibots", *PEOPLE, position=STACK)
    cell(page, 10).dblclick()
    expect(page.locator(".status")).to_have_text("Again on the same cell: boom-c2")
    page.keyboard.press("Escape")
    cell(page, 10).focus()
    for _ in range(2):
        page.keyboard.press("Enter")
    expect(page.locator(".status")).to_have_text("Again on the same cell: boom-c2")
    assert state_of(page)["moves"] == []
    cell(page, 10).hover()
    expect(page.locator(".piece.doomed")).to_have_count(2)  # both tokens of the stack
    page.wait_for_timeout(350)
    cell(page, 10).tap()
    expect(page.locator(".moves li")).to_have_count(1)
    assert [move["text"] for move in state_of(page)["moves"]] == ["boom-c2"]


# Steps, keys and what belongs to a position -----------------------------------------------------


def play_long_game(page, site, plies):
    """Play a game of Expendibots for both players by the HTTP interface, without explosions."""
    new_game(page, site, "expendibots", *PEOPLE)
    address, drawn = page.url.replace("/game/", "/api/games/") + "/moves", Random(1)
    page.goto("about:blank")
    position = load_game("expendibots").start()
    for ply in range(plies):
        quiet = [action for action in position.legal_actions if action >= SQUARES]
        chosen = drawn.choice(quiet)
        body = {"request": f"long{ply}", "ply": ply, "action": chosen}
        answer = page.request.post(address, data=body)
        assert answer.ok, answer.text()
        position = position.play(chosen)
    page.go_back()
    expect(page.locator(".moves li")).to_have_count(plies)


def test_keys_step_through_200_plies_without_the_server(page, site):
    play_long_game(page, site, 200)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    # A bound method of a list cannot be a handler.
    page.on("websocket", lambda opened: opened.on("framesent", lambda text: asked.append(text)))
    page.reload()
    expect(page.locator(".moves li")).to_have_count(200)
    assert any("hello" in each for each in asked)  # messages are seen here
    page.wait_for_load_state("networkidle")
    asked.clear()
    for key, end in (("ArrowLeft", 0), ("ArrowRight", 200)):
        page.evaluate(
            """(key) => {
                const pressed = { key, bubbles: true };
                for (let ply = 0; ply < 200; ply += 1)
                    document.body.dispatchEvent(new KeyboardEvent("keydown", pressed));
            }""",
            key,
        )
        expect(page.get_by_role("slider", name="ply")).to_have_value(str(end))
    page.keyboard.press("ArrowUp")
    expect(page.locator(".status")).to_have_text("After 0 of 200 moves")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause (space)")).to_be_visible()
    expect(page.locator(".status")).to_have_text("After 2 of 200 moves")
    page.keyboard.press(" ")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("not where pieces fall")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator(".turned")).to_have_class(re.compile("flipped"))
    page.keyboard.press("ArrowDown")
    assert [each for each in asked if not str(each).endswith("icon.svg")] == []


def test_the_board_is_turned_round_unless_pieces_fall(page, site):
    new_game(page, site, "expendibots", *PEOPLE)
    before = cell(page, 0).bounding_box()
    page.keyboard.press("f")
    after = cell(page, 0).bounding_box()
    assert (after["x"] > before["x"], after["y"] < before["y"]) == (True, True)
    cell(page, 8).click()
    cell(page, 16).click()
    expect(page.locator(".moves li")).to_have_count(1)
    assert state_of(page)["moves"][0]["text"] == "a2-a3"
    page.get_by_role("button", name="flip the board (f)").click()
    assert cell(page, 0).bounding_box() == before
    new_game(page, site, "connect_n", *PEOPLE)  # where stones fall
    page.keyboard.press("f")
    expect(page.locator(".turned.flipped")).to_have_count(0)
    expect(page.get_by_role("button", name="flip the board (f)")).to_be_hidden()


def test_an_evaluation_is_never_shown_for_another_position(page, site):
    """Answers are held back, and come after another position is on the board."""
    held = []

    def hold(channel):
        server = channel.connect_to_server()

        def answer(text):
            message = json.loads(text)
            if message["type"] == "analysis":
                held.append((channel, text))
            else:
                channel.send(text)

        server.on_message(answer)

    page.route_web_socket(re.compile("/ws/game/"), hold)
    new_game(page, site, "connect_n", position="7/7/7/7/7/3x3", mode="analysis", seats=None)
    cell(page, 3).click()
    expect(page.locator(".moves li")).to_have_count(1)
    page.keyboard.press("a")
    while not held:
        page.wait_for_timeout(50)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".status")).to_contain_text("After 0 of 1")
    for channel, text in list(held):
        channel.send(text)
    page.wait_for_timeout(100)
    assert page.locator(".verdict").inner_text() == "…"
    assert page.locator(".marks > *").count() == 0
    assert page.locator(".bar b").inner_text() == ""


# Reconnection -----------------------------------------------------------------------------------


def test_reload_and_restart_restore_the_game_and_an_unsent_move_lands_once(page, site):
    new_game(page, site, "connect_n", *PEOPLE, clock={"bank": 300, "increment": 0})
    cell(page, 3).click()
    expect(page.locator(".moves li")).to_have_count(1)
    received = []
    note = lambda message: received.append(message)  # noqa: E731 (Playwright takes no built-in)
    page.on("websocket", lambda socket: socket.on("framereceived", note))
    page.reload()
    expect(page.locator(".moves li")).to_have_count(1)
    expect(page.locator(".seats .about").first).to_have_text("you")
    while not any('"previews"' in str(message) for message in received):  # how moves will look
        page.wait_for_timeout(50)
    site.stop()
    expect(page.locator("#banner")).to_contain_text("does not answer")
    cell(page, 2).click()
    expect(page.locator("[data-id='stone-2-0']")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("will be sent")
    page.wait_for_timeout(5000)
    expect(page.locator("#banner")).to_contain_text("does not answer")
    site.start()
    expect(page.locator(".moves li")).to_have_count(2)
    expect(page.locator("#banner")).to_be_hidden()
    state = state_of(page)
    assert [move["text"] for move in state["moves"]] == ["4", "3"]
    left = state["clocks"]["left"]
    assert 200 < min(left) <= max(left) <= 300
    expect(page.locator(".clock.runs")).to_have_count(1)


# People -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_pages_fit_a_phone(visit, site, scheme):
    page = visit(color_scheme=scheme, viewport={"width": 390, "height": 844})
    width = "document.documentElement.scrollWidth"
    expect(page.locator(".card img").first).to_be_visible()
    assert page.evaluate(width) == 390
    assert violations(page) == []
    page.locator("[data-game=connect_n]").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    assert violations(page) == []
    new_game(page, site, "expendibots", *PEOPLE, position=STACK)
    cell(page, 10).click()
    page.get_by_text("All legal moves").click()
    page.get_by_text("Share and keep").click()
    assert violations(page) == []
    assert page.evaluate(width) == 390
    for address in ("/analyse", "/arena", "/learn", "/api", "/game/nosuch"):
        page.goto(site.address + address)
        page.wait_for_load_state("networkidle")
        assert violations(page) == []
        assert page.evaluate(width) == 390


MOVES = {
    "connect_n": ("4", "3", "5", "1"),
    "tron": ("U", "D", "U", "D"),
    "sheep": ("3,1", "4,1", "10,1", "3,2", "3,1>1:3", "4,1>1:2"),
    "robots": ("rN", "gN", "rE"),
    "expendibots": ("a2-a3", "a7-a6", "b2-b3", "h7-h6"),
}
"""A few moves; in sheep the last two are the last legal ones, whatever they are."""
PIECES = {
    "connect_n": ("stone-3-0", "stone-2-0"),
    "tron": ("bike-1", "bike-2"),
    "robots": ("robot-r", "robot-g", "robot-b", "robot-y"),
    "expendibots": ("w1", "b1"),
}
"""A piece of each player that has not just moved, or each robot; in sheep they are looked up."""


def grey(page, box, inner=1.0):
    """Return a part of the page in shades of grey, of one size; `inner` is its middle's share."""
    width, height = inner * box["width"], inner * box["height"]
    left, top = box["x"] + (box["width"] - width) / 2, box["y"] + (box["height"] - height) / 2
    taken = page.screenshot(clip={"x": left, "y": top, "width": width, "height": height})
    image = Image.open(io.BytesIO(taken)).convert("L").resize((64, 64))
    return np.asarray(image, dtype=int)


def differing(one, other):
    """Return the share of pixels that differ clearly."""
    return float(np.mean(np.abs(one - other) > 50))


@pytest.mark.parametrize("game", MOVES)
def test_greyscale_tells_owner_and_last_move(visit, site, game):
    page = visit(reduced_motion="reduce")
    new_game(page, site, game, *[PERSON] * (4 if game == "sheep" else 1 if game == "robots" else 2))
    for ply, text in enumerate(MOVES[game]):
        legal = [action["text"] for action in state_of(page)["legal"]]
        body = {"request": f"grey{ply}", "ply": ply, "text": text if text in legal else legal[-1]}
        answer = page.request.post(page.url.replace("/game/", "/api/games/") + "/moves", data=body)
        assert answer.ok, answer.text()
    expect(page.locator(".moves li")).to_have_count(len(MOVES[game]))
    page.keyboard.press(",")
    expect(page.locator(".status")).to_contain_text("After")
    clicks = state_of(page)["moves"][-2]["clicks"]
    place = cell(page, next(c for c in reversed(clicks) if isinstance(c, int))).bounding_box()
    marked = grey(page, place)
    page.keyboard.press(".")
    expect(page.locator(".status.ours")).to_be_visible()
    assert differing(marked, grey(page, place)) > 0.02
    names = PIECES.get(game) or page.locator("[data-id^='stack-']").evaluate_all(
        """all => [...Map.groupBy(all, (node) => node.textContent[0]).values()]
                 .map(([node]) => node.dataset.id)"""
    )
    seen = [grey(page, page.locator(f"[data-id='{n}']").bounding_box(), 0.6) for n in names]
    assert len(seen) >= 2
    for one, other in combinations(seen, 2):
        assert differing(one, other) > 0.1


def test_the_theme_is_kept(page, site):
    page.get_by_role("button", name="Dark or light").click()
    dark = "getComputedStyle(document.body).backgroundColor"
    chosen = page.evaluate(dark)
    page.reload()
    assert page.evaluate(dark) == chosen == "rgb(23, 22, 20)"
