"""The page of a game in a real browser: entering moves, stepping, losing the connection."""

import json
import re

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
from playwright.sync_api import expect

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


# Steps, keys and what belongs to a position -----------------------------------------------------


def test_keys_step_flip_play_and_explain_without_the_server(page, site):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    # A bound method of a list cannot be a handler.
    page.on("websocket", lambda opened: opened.on("framesent", lambda text: asked.append(text)))
    new_game(page, site, "connect_n", *PEOPLE)
    for count, column in enumerate((0, 1, 2, 3, 4, 5, 6, 0, 1, 2), start=1):
        cell(page, column).click()
        expect(page.locator(".moves li")).to_have_count(count)
    asked.clear()
    stones = page.locator("[data-id^='stone-']")
    for count in range(9, -1, -1):
        page.keyboard.press("ArrowLeft")
        expect(stones).to_have_count(count)
    page.keyboard.press("ArrowDown")
    expect(stones).to_have_count(10)
    page.evaluate(
        """() => {
            for (const key of Array(100).fill(["ArrowLeft", "ArrowRight"]).flat())
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    )
    page.keyboard.press("ArrowUp")
    expect(stones).to_have_count(0)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause (space)")).to_be_visible()
    expect(stones.nth(1)).to_be_attached()
    page.keyboard.press(" ")
    page.keyboard.press("f")
    expect(page.locator(".turned")).to_have_class(re.compile("flipped"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    assert [each for each in asked if not str(each).endswith("icon.svg")] == []


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
    page.reload()
    expect(page.locator(".moves li")).to_have_count(1)
    expect(page.locator(".seats .about").first).to_have_text("you")
    site.stop()
    expect(page.locator("#banner")).to_contain_text("does not answer")
    cell(page, 2).click()
    expect(page.locator("[data-id='stone-2-0']")).to_be_visible()
    expect(page.locator("#banner")).to_contain_text("will be sent")
    page.wait_for_timeout(1500)
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
def test_axe_finds_nothing(visit, site, scheme):
    page = visit(color_scheme=scheme, viewport={"width": 390, "height": 844})
    expect(page.locator(".card img").first).to_be_visible()
    assert violations(page) == []
    page.locator("[data-game=connect_n]").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    assert violations(page) == []
    new_game(page, site, "expendibots", *PEOPLE, position=STACK)
    cell(page, 10).click()
    page.get_by_text("All legal moves").click()
    page.get_by_text("Share and keep").click()
    assert violations(page) == []
    for address in ("/analyse", "/arena", "/learn"):
        page.goto(site.address + address)
        page.wait_for_load_state("networkidle")
        assert violations(page) == []


def test_greyscale_tells_owner_and_last_move(page, site):
    """Pieces carry letters, players have marks, and the last move has a dark and a light frame."""
    new_game(page, site, "tron", *PEOPLE)
    page.keyboard.press("ArrowUp")
    expect(page.locator(".moves li")).to_have_count(1)
    names = page.locator("[data-id^='bike-']").evaluate_all("all => all.map(n => n.textContent)")
    assert sorted(names) == ["1", "2"]
    assert page.locator(".seats .token").all_inner_texts() == ["1", "2"]
    frame = page.locator(".cells .last").evaluate("node => getComputedStyle(node).boxShadow")
    assert "rgb(34, 34, 34)" in frame
    assert "rgb(255, 255, 255)" in frame


def test_the_theme_is_kept(page, site):
    page.get_by_role("button", name="Dark or light").click()
    dark = "getComputedStyle(document.body).backgroundColor"
    chosen = page.evaluate(dark)
    page.reload()
    assert page.evaluate(dark) == chosen == "rgb(23, 22, 20)"
