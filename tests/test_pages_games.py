"""The site in a real browser: whole games, two visitors, watching, analysing, tournaments."""

import re

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

pytestmark = in_chromium
__all__ = ("browser", "site", "visit")

HOSTILE = "<img src=x onerror=alert(1)>"
SMALL = {
    "connect_n": {"options": {"width": 4, "height": 4, "n": 3}},
    "expendibots": {"position": "8/8/8/8/1a6/8/1A6/8 w 0"},
    "robots": {"options": {"cap": 3}},
    "sheep": {"options": {"players": 2, "size": 4, "cells": 16, "sheep": 4}},
}
"""Positions and options that make a game short enough for a test."""


@pytest.fixture
def page(visit):
    return visit()


def click_a_move(page):
    """Enter the first move that the board offers, by clicks; the last of a piece's targets."""
    begin = page.locator(".cells .begins").first
    if begin.count():
        begin.click()
    page.locator(".cells .target").last.click()
    choice = page.get_by_role("group", name="Choose").get_by_role("button").first
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


@pytest.mark.parametrize("game", SMALL)
def test_a_whole_game_by_clicks(page, site, game):
    seats = [PERSON] if game == "robots" else [PERSON, RANDOM]
    new_game(page, site, game, *seats, **SMALL[game])
    play_to_the_end(page, click_a_move)


def test_a_whole_game_by_keys(page, site):
    new_game(page, site, "tron")
    play_to_the_end(page, lambda page: page.keyboard.press("ArrowUp"))
    assert set(moves(page)[::2]) == {"U"}


def test_a_whole_game_by_the_table_of_buttons(page, site):
    """As a screen-reader does it: by roles and names, without the picture."""
    new_game(page, site, "connect_n", options=SMALL["connect_n"]["options"])
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
    dialog.get_by_label("Strength").last.select_option("agent random")
    dialog.get_by_role("button", name="Start").click()
    expect(page.locator(".cells button")).to_have_count(5)
    expect(page.locator(".seats .name").first).to_have_text(HOSTILE)
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


def test_two_visitors_play_one_game(page, visit, site):
    address = new_game(page, site, "connect_n", PERSON, {"kind": "open"})
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


def test_a_game_from_a_file_is_played_from_a_list_of_moves(page, site):
    new_game(page, site, "tic_tac_toe")
    page.get_by_role("list", name="Legal moves").get_by_role("button").nth(4).click()
    expect(page.locator(".moves li")).to_have_count(2)


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
    page.get_by_role("group", name="Symbols").get_by_role("button", name=".").click()
    expect(page).to_have_url(re.compile("position=7%2F7%2F7%2F7%2F4o2"))
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url("**/game/*")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".verdict")).to_contain_text(re.compile("win|depth"))
    expect(page.locator(".marks .line").first).to_be_attached()
    cell(page, 3).click()
    page.get_by_role("button", name="Evaluate all moves").click()
    expect(page.locator(".chart polyline").last).to_have_attribute("points", re.compile(" "))
    page.locator(".chart").click(position={"x": 46, "y": 30})
    expect(page.locator(".status")).to_have_text("After 0 of 1 moves")
    expect(page.locator(".bar b")).to_have_text(re.compile(r"^.\d\.\d\d$"))


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
