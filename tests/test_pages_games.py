"""The site in a real browser: whole games, two visitors, watching, analysing, tournaments."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from browsing import (
    PERSON,
    RANDOM,
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

from plyground import Tournament
from plyground.arena.store import Store
from plyground.arena.tournament import play_tournament
from plyground.web.catalogue import STRENGTHS

pytestmark = in_chromium
__all__ = ("browser", "site", "visit")

HOSTILE = "<img src=x onerror=alert(1)>"
SETUPS = {
    "connect_n": [PERSON, RANDOM],
    "expendibots": [PERSON, RANDOM],
    "robots": [PERSON],
    "sheep": [PERSON, RANDOM, RANDOM, RANDOM],
}
"""The games that are played by clicks, with their default rules, and who plays."""
SMALL = {"width": 4, "height": 4, "n": 3}
"""Options of Connect Four that make a game short."""


@pytest.fixture
def page(visit):
    return visit()


def click_a_move(page):
    """Enter a move that the board offers, by clicks: an explosion, or a piece's last target."""
    begin = page.locator(".cells .begins").first
    if begin.count():
        begin.click()
    again = page.locator(".cells .chosen.target")
    if again.count():
        page.wait_for_timeout(350)  # not a double click, which counts once
        again.click()
        return
    page.locator(".cells .target").last.click()
    choice = page.get_by_role("group", name="Choose").get_by_role("button").last
    if choice.count():
        choice.click()


def play_to_the_end(page, move):
    """Play until the page says that the game is over, as the server does."""
    ours = page.locator(".status.ours")
    over = page.locator(".seats:not(:has(.turn))")
    for _ in range(60):
        ours.or_(over).first.wait_for(state="attached")
        if over.count():
            break
        count = page.locator(".moves li").count()
        move(page)
        expect(page.locator(".moves li").nth(count)).to_be_attached()
    state = state_of(page)
    assert state["over"]
    expect(page.locator(".status")).to_have_text(state["outcome"])
    expect(page.locator(".moves li")).to_have_count(len(state["moves"]))


@pytest.mark.parametrize("game", SETUPS)
def test_a_whole_game_by_clicks(page, site, game):
    new_game(page, site, game, *SETUPS[game])
    play_to_the_end(page, click_a_move)


def test_a_whole_game_by_keys(page, site):
    new_game(page, site, "tron")
    play_to_the_end(page, lambda page: page.keyboard.press("ArrowUp"))
    assert set(moves(page)[::2]) == {"U"}


def test_a_whole_game_by_the_table_of_buttons(page, site):
    """As a screen-reader does it: by roles and names, without the picture."""
    new_game(page, site, "connect_n", options=SMALL)
    columns = page.get_by_role("grid", name="Board").get_by_role("button", disabled=False)

    def press(page):
        columns.first.focus()
        page.keyboard.press("Enter")

    play_to_the_end(page, press)
    label = cell(page, 0).get_attribute("aria-label")
    assert re.fullmatch("column 1: (empty|[xo]( [xo])*)", label)
    expect(page.locator("#live")).to_contain_text(state_of(page)["outcome"])


def test_a_game_is_chosen_in_the_gallery_and_played_again(page, site):
    expect(page.locator(".card")).to_have_count(6)
    picture = page.locator(".card img").first
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.locator("[data-game=connect_n]").click()
    dialog = page.get_by_role("dialog", name="Connect Four")
    dialog.get_by_text("Rules", exact=True).click()
    dialog.get_by_label("width").fill("5")
    dialog.get_by_label("name of player 1").fill(HOSTILE)
    strength = dialog.get_by_label("Strength").last
    levels = strength.locator("optgroup").first.locator("option").all_inner_texts()
    assert levels == [f"level {level}: {about}" for level, about in enumerate(STRENGTHS, start=1)]
    strength.select_option("level 1")
    dialog.get_by_role("button", name="Start").click()
    expect(page.locator(".cells button")).to_have_count(5)
    expect(page.locator(".seats .name").first).to_have_text(HOSTILE)
    expect(page.locator(".seats li").last).to_contain_text("level 1")
    cell(page, 0).click()
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)
    expect(page.locator("[data-id^='stone-']")).to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".seats .turn")).to_have_count(0)
    first = page.url
    page.get_by_role("button", name="Rematch").click()
    expect(page).not_to_have_url(first)
    expect(page.locator(".seats .name").last).to_have_text(HOSTILE)
    page.goto(site.address)
    expect(page.locator("main tr")).to_have_count(2)


def test_seats_are_swapped_whole_and_offer_who_can_play(page, site):
    page.locator("[data-game=tron]").click()
    dialog = page.get_by_role("dialog", name="Tron")
    kinds = [dialog.get_by_label(f"player {number}", exact=True) for number in (1, 2)]
    strengths = dialog.get_by_label("Strength")
    dialog.get_by_label("name of player 1").fill("Ann")
    strengths.last.select_option("agent openspiel")
    dialog.get_by_label("simulations").last.fill("7")
    dialog.get_by_role("button", name="Swap seats").click()
    assert [kind.input_value() for kind in kinds] == ["agent", "person"]
    expect(dialog.get_by_label("name of player 2")).to_have_value("Ann")
    expect(strengths.first).to_have_value("agent openspiel")
    expect(dialog.get_by_label("simulations").first).to_have_value("7")
    dialog.get_by_text("Rules", exact=True).click()
    dialog.get_by_label("simultaneous").check()  # OpenSpiel has no bots for that
    expect(strengths.first).to_have_value("level 4")
    assert strengths.first.locator("option[value='agent openspiel']").is_disabled()
    assert strengths.first.locator("option[value='agent shortest']").count() == 0
    dialog.get_by_role("button", name="Swap seats").click()
    assert [kind.input_value() for kind in kinds] == ["person", "agent"]
    kinds[1].select_option("person")
    dialog.get_by_role("button", name="Start").click()
    expect(page.locator(".seats .name")).to_have_text(["Ann", "player 2"])


def test_two_visitors_play_one_game(page, visit, site):
    address = new_game(page, site, "connect_n", PERSON, {"kind": "open"})
    expect(page.locator(".status")).to_contain_text("send the link")
    other = visit()
    other.goto(address)
    other.get_by_role("button", name="Sit here").click()
    expect(other.locator(".seats .about").last).to_have_text("you")
    expect(other.locator(".cells .target")).to_have_count(0)
    cell(page, 3).click()
    expect(other.locator("[data-id='stone-3-0']")).to_be_visible()
    cell(other, 3).click()
    expect(page.locator("[data-id='stone-3-1']")).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(other.locator(".proposal")).to_contain_text("would like to take back")
    other.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li")).to_have_count(0)


def test_players_who_move_at_once_do_not_see_the_others_move(page, visit, site):
    address = new_game(page, site, "tron", PERSON, {"kind": "open"}, options={"simultaneous": True})
    other = visit()
    other.goto(address)
    other.get_by_role("button", name="Sit here").click()
    place = "node => node.style.transform"
    bike = other.locator("[data-id='bike-1']")
    before = bike.evaluate(place)
    expect(page.locator(".status")).to_have_text("Your turn")
    page.keyboard.press("ArrowUp")
    expect(other.locator(".status")).to_have_text("Your turn")
    assert moves(other) == ["hidden"]
    assert bike.evaluate(place) == before
    assert state_of(other)["moves"][0]["text"] is None
    other.keyboard.press("ArrowDown")
    expect(bike).not_to_have_attribute("style", f"transform: {before};")
    for each in (page, other):
        expect(each.locator(".moves li")).to_have_count(2)


def test_hidden_counts_never_reach_the_other_page(page, visit, site):
    """Neither in messages nor in the document: only what the player may see is sent."""
    received = []
    options = {"players": 2, "hidden": True, "size": 6, "cells": 20}
    address = new_game(page, site, "sheep", PERSON, {"kind": "open"}, options=options)
    other = visit()
    other.on("websocket", lambda opened: opened.on("framereceived", lambda t: received.append(t)))
    other.goto(address)
    other.get_by_role("button", name="Sit here").click()
    for each in (page, other, page):
        expect(each.locator(".status")).to_have_text("Your turn")
        click_a_move(each)
    expect(other.locator(".status")).to_have_text("Your turn")
    split = moves(page)[2]
    assert re.fullmatch(r"[0-9]+,[0-9]+>[0-9]:[0-9]+", split)
    assert moves(other)[2] == "hidden"
    stacks = "all => all.map((node) => node.textContent)"
    counts = page.locator("[data-id^='stack-']").evaluate_all(stacks)
    seen = other.locator("[data-id^='stack-']").evaluate_all(stacks)
    assert {text for text in counts if text[0] == "a"} & {"a15", "a1", "a"}
    assert {text for text in seen if text[0] == "a"} == {"a?"}
    assert split not in other.content()
    assert received
    for message in map(json.loads, received):
        assert split not in json.dumps(message)
        for move in [*message.get("moves", []), message.get("move") or {}]:
            assert move.get("seat") != 0 or move["action"] is move["clicks"] is None


def test_a_game_from_a_file_is_played_to_its_end_from_a_list_of_moves(page, site):
    new_game(page, site, "tic_tac_toe")
    listed = page.get_by_role("list", name="Legal moves").get_by_role("button")
    play_to_the_end(page, lambda page: listed.first.click())


def test_agents_are_watched_with_speed_and_steps(page, site):
    new_game(page, site, "connect_n", RANDOM, RANDOM, mode="watch")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="play (space)")).to_be_visible()
    count = page.locator(".moves li").count()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".moves li")).to_have_count(count + 1)
    page.get_by_label("Speed").select_option("fastest")
    page.keyboard.press(" ")
    expect(page.locator(".seats .turn")).to_have_count(0)


def test_a_pasted_position_is_analysed(page, site):
    page.goto(f"{site.address}/analyse?game=connect_n")
    text = page.get_by_label("Position as text")
    expect(text).to_have_value("7/7/7/7/7/7")
    text.fill("7/7/7/7/7/8")
    expect(page.locator(".problem")).to_contain_text("row 6")
    expect(page.get_by_role("button", name="Analyse")).to_be_disabled()
    text.fill("7/7/7/7/4o2/xxx1oo1")
    expect(page.locator("[data-id='stone-0-0']")).to_be_visible()
    page.get_by_text("Paint the board").click()
    symbols = page.get_by_role("group", name="Symbols")
    symbols.get_by_role("button", name="o", exact=True).click()
    page.get_by_label("row 6, column 4: .").click()
    expect(page.locator(".problem")).not_to_be_empty()  # there is a stone too many
    symbols.get_by_role("button", name=".", exact=True).click()
    page.get_by_label("row 6, column 4: o").click()
    expect(text).to_have_value("......./......./......./......./....o../xxx.oo.")
    expect(page.get_by_role("button", name="Analyse")).to_be_enabled()
    expect(page).to_have_url(re.compile("position=.*xxx.oo"))
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url("**/game/*")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#notes")).to_contain_text("Hint: 4")
    expect(page.locator(".marks .line")).to_have_count(1)
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".verdict")).to_contain_text(re.compile("win|depth"))
    expect(page.locator(".marks .line").first).to_be_attached()
    page.get_by_label("What analyses").select_option("Exact solver")
    expect(page.locator(".verdict")).to_contain_text("win in 1 ply")
    expect(page.locator(".candidates tr")).to_have_count(7)
    cell(page, 3).click()
    page.get_by_role("button", name="Evaluate all moves").click()
    expect(page.locator(".chart polyline").last).to_have_attribute("points", re.compile(" "))
    page.locator(".chart").click(position={"x": 46, "y": 30})
    expect(page.locator(".status")).to_have_text("After 0 of 1 move")
    expect(page.locator(".bar b")).to_have_text(re.compile(r"^.\d\.\d\d$"))


def test_overlays_show_territory_and_blasts(page, site):
    new_game(page, site, "tron", mode="analysis", seats=None)
    page.get_by_label("territory").check()
    expect(page.locator(".marks .overlay").nth(100)).to_be_attached()
    colours = page.locator(".marks .overlay").evaluate_all(
        "all => all.map(n => n.attributes.fill.value)"
    )
    assert set(colours) == set(state_of(page)["colours"])
    stack = "8/8/8/8/4a3/8/2B5/8 w 0"
    new_game(page, site, "expendibots", mode="analysis", seats=None, position=stack)
    page.get_by_label("blast").check()
    expect(page.locator(".marks .overlay")).to_have_count(9 + 9 - 1)  # both reach d3
    page.get_by_label("blast").uncheck()
    expect(page.locator(".marks .overlay")).to_have_count(0)


def test_a_game_is_shared_and_kept(visit, site):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    new_game(page, site, "connect_n", PERSON, PERSON)
    for count, column in enumerate((3, 2), start=1):
        cell(page, column).click()
        expect(page.locator(".moves li")).to_have_count(count)
    page.get_by_text("Share and keep").click()
    files = {
        "Picture (SVG)": "<svg", "Animation (SVG)": "<animate", "Record": "[Game",
        "Replay page": "<html",
    }  # fmt: skip
    for name, content in files.items():
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert content in Path(download.value.path()).read_text()
    for name in ("Link to this game", "Link to this position"):
        page.get_by_role("button", name=name).click()
        expect(page.locator("#notes")).to_contain_text("copied")
        other = visit()
        other.goto(page.evaluate("navigator.clipboard.readText()"))
        expect(other.locator("[data-id='stone-3-0']")).to_be_visible()
        expect(other.locator("[data-id='stone-2-0']")).to_be_visible()


def test_the_curve_of_a_training_grows_on_the_page(page, site):
    from test_training import TINY  # with JAX, which is slow to import

    from plyground.learn.recipe import Limit
    from plyground.learn.training import train

    page.goto(f"{site.address}/learn")
    expect(page.get_by_role("status").first).to_contain_text("step 0")
    train(TINY, site.training, Limit(steps=2), every=0.0)
    expect(page.get_by_role("status").first).to_have_text("step 2, under way")
    loss = page.get_by_role("img", name="loss of the policy, by step").locator("polyline").last
    expect(loss).to_be_attached()
    assert len(loss.get_attribute("points").split()) == 2


def test_a_tournament_is_watched_to_its_end_and_replayed(page, site):
    page.goto(f"{site.address}/arena")
    expect(page.get_by_label("Strength")).to_have_count(3)
    page.get_by_role("button", name="Remove the last").click()
    for number, name in enumerate(("random", "greedy")):
        page.get_by_label("Strength").nth(number).select_option(f"agent {name}")
    page.get_by_label("Games per pair").fill("6")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/arena/*")
    expect(page.get_by_role("status").first).to_contain_text("6 of 6 games, finished")
    expect(page.locator("#standings tbody tr")).to_have_count(2)
    expect(page.locator("#cross tbody tr")).to_have_count(2)
    expect(page.locator("#games tbody tr")).to_have_count(6)
    assert violations(page) == []
    page.locator("#games a").first.click()
    page.wait_for_url("**/arena/*/1")
    expect(page.locator(".status")).to_contain_text("After 0 of")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-id^='stone-']")).to_have_count(1)
    assert violations(page) == []
    page.goto(f"{page.url.rpartition('/')[0]}/6")  # the last
    expect(page.get_by_role("link", name="previous game")).to_be_visible()
    expect(page.get_by_role("link", name="next game")).to_have_count(0)


def test_tables_of_four_show_first_places_and_points(page, site):
    plan = Tournament(game="sheep", agents=("random", "greedy", "random", "random"), games=4)
    with Store(str(site.store)) as store:
        run = store.begin(plan)
        *games, last = play_tournament(plan)
        store.add(run, [*games, replace(last, faults=((last.opening, 0, "late", "too late"),))])
    page.goto(f"{site.address}/arena/{run}")
    expect(page.locator("#standings thead")).to_contain_text("First places")
    expect(page.locator("#standings thead")).to_contain_text("Faults")
    expect(page.locator("#standings thead")).not_to_contain_text(re.compile(r"\+|Forfeits"))
    rows = page.locator("#standings tbody tr")
    expect(rows).to_have_count(4)
    cells = (page.locator(f"#standings td:nth-child({column})") for column in (4, 5))
    firsts, points = ([float(text) for text in column.all_inner_texts()] for column in cells)
    assert sum(firsts) == pytest.approx(4, abs=0.05)
    assert sum(points) == pytest.approx(5 + 3 + 2 + 1, abs=0.05)
    assert violations(page) == []
