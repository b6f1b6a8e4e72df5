"""Pictures: pieces keep their names, and cells can be clicked."""

import os
import re
import shutil
from collections import Counter
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from lines import continued, random_position

from plyground import load_game
from plyground.game.check import random_game
from plyground.picture import COLOURS, FAINT, INK, PANEL, Picture, ink_on, luminance

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
GAMES = (
    "connect_n",
    "tron",
    "tron(map=divider)",
    "robots",
    "sheep",
    "sheep(hex=true)",
    "expendibots",
)
PIECE = re.compile(r'<g data-id="([^"]*)" transform="translate\(([^ ]*) ([^ ]*)\)">')


def pieces(position):
    """Return where each piece of a position's picture is, by its name."""
    shapes = position.game.draw(position).shapes
    found = [PIECE.match(shape).groups() for shape in shapes if shape.startswith("<g")]
    names = [name for name, _, _ in found]
    assert len(set(names)) == len(names), "two pieces have one name"
    return {name: (float(x), float(y)) for name, x, y in found}


def moved(before, after):
    """Return the names of the pieces that are in both pictures at different places."""
    return {name for name in before.keys() & after.keys() if before[name] != after[name]}


# Pieces -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", GAMES)
def test_pieces_keep_their_names_through_a_game(spec):
    game = load_game(spec)
    line = list(random_game(game, 5))[:60]
    counts = Counter(name for position in line for name in pieces(position))
    assert max(counts.values()) > 1
    for before, after in pairwise(line):
        there, now = pieces(before), pieces(after)
        if game.name in ("connect_n", "sheep"):  # the others stay, and one is added
            assert now.items() > there.items()
            assert len(now) == len(there) + 1
        elif game.name == "robots":
            assert now.keys() == there.keys()
            assert moved(there, now) == {f"robot-{before.format(after.action)[0]}"}
        elif game.name == "tron":
            assert moved(there, now) == (set() if after.is_over else {f"bike-{before.player + 1}"})


def test_the_upper_tokens_of_a_stack_move_and_come_to_lie_on_top():
    game = load_game("expendibots")
    first = game.parse("8/8/8/8/8/2C5/8/B6a w 0")
    before = pieces(first)
    assert before.keys() == {"w1", "w2", "w3", "w4", "w5", "b1"}  # a1 has w1 and w2
    second = continued(first, "2c3-c5")
    assert moved(before, pieces(second)) == {"w3", "w4", "w5"}  # the rest is centred again
    after = pieces(second)
    assert after["w4"][1] - after["w3"][1] < -1.8
    third = continued(second, "h1-h2", "2c5-c3")
    again = pieces(third)
    assert [again[name] for name in ("w3", "w4", "w5")] == [
        before[name] for name in ("w3", "w4", "w5")
    ]
    assert pieces(continued(third, "h2-h1", "boom-c3")).keys() == {"w1", "w2", "b1"}


def test_of_a_high_stack_the_upper_tokens_are_seen():
    position = load_game("expendibots").parse("8/8/8/8/8/2F5/8/7a w 0")
    assert pieces(position).keys() == {"w3", "w4", "w5", "w6", "b1"}


@pytest.mark.parametrize("seed", range(3))
def test_as_many_tokens_are_drawn_as_the_board_has(seed):
    for position in random_game(load_game("expendibots"), seed):
        drawn = Counter(name[0] for name in pieces(position))
        stacks = position.to_text().split()[0]
        for side, letters in (("w", "ABCDEFGHIJKL"), ("b", "abcdefghijkl")):
            heights = [letters.index(each) + 1 for each in stacks if each in letters]
            assert drawn[side] == sum(min(height, 4) for height in heights)


def test_a_pieces_name_cannot_break_out_of_its_attribute():
    picture = Picture(1, 1)
    with picture.piece('"><script>', 0.5, 1 / 3):
        picture.circle(0, 0, 1, "blue")
    (group,) = ElementTree.fromstring(picture.svg())
    assert group.get("data-id") == '"><script>'
    assert group.get("transform") == "translate(0.5 0.3333)"


# Colours and captions ----------------------------------------------------------------------------

VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""Colour vision deficiencies: matrices of linear RGB (Machado, Oliveira and Fernandes 2009)."""


def seen(colour, matrix):
    """Return a colour in OKLab, where distances are proportional to perceived differences."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    light = np.clip(np.array(matrix) @ linear, 0, 1)
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    lab = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.array(lab) @ np.cbrt(np.array(cones) @ light)


@pytest.mark.parametrize("vision", VISION)
def test_players_colours_can_be_told_apart_with_any_colour_vision(vision):
    for one, other in combinations(COLOURS[:4], 2):
        distance = np.linalg.norm(seen(one, VISION[vision]) - seen(other, VISION[vision]))
        assert distance > 0.09, (one, other)  # 0.02 is about the least noticeable difference


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_are_readable_on_their_background():
    assert min(contrast(colour, PANEL) for colour in (INK, FAINT)) >= 4.5
    for colour in COLOURS:
        assert contrast(ink_on(colour), colour) >= 4.5


@pytest.mark.parametrize("spec", GAMES)
def test_every_picture_shows_whose_turn_it_is_or_how_the_game_ended(spec, tic_tac_toe):
    for game in (load_game(spec), tic_tac_toe):
        *before, end = random_game(game, 2)
        output = [
            " ".join(ElementTree.fromstring(game.draw(each).svg()).itertext()) for each in before
        ]
        if game.facts.players == 1:  # a puzzle: the task
            assert all(" moves" in text for text in output)
        else:
            assert all("to move" in text for text in output)
        ended = " ".join(ElementTree.fromstring(game.draw(end).svg()).itertext())
        assert re.search(r"\b(won|draw|crashed|solved|lost)\b", ended)
        assert "to move" not in ended


def test_stacks_of_sheep_have_their_owners_letters():
    game = load_game("sheep(players=2, sheep=4, size=3, cells=7)")
    output = game.draw(game.parse("#../a3.b4/a.# a")).svg()
    assert {">a3<", ">b4<", ">a<"} <= set(re.findall(r">\w+<", output))


# Clicks -----------------------------------------------------------------------------------------


def clicks(position):
    return {
        position.format(action): position.game.clicks(position, action)
        for action in position.legal_actions
    }


def test_a_game_without_clicks_of_its_own_offers_its_actions_by_name(tic_tac_toe):
    assert clicks(tic_tac_toe.start().play(4))["3"] == ("3",)


def test_a_column_is_one_click():
    assert clicks(load_game("connect_n").start())["7"] == (6,)


def test_a_rider_is_sent_to_the_next_cell():
    position = load_game("tron(map=small_room)").parse(
        "#######/#1....#/#.....#/#..2..#/#.....#/#.....#/####### 2"
    )
    assert clicks(position) == {"U": (17,), "D": (31,), "L": (23,), "R": (25,)}


def test_a_robot_is_sent_to_where_it_stops():
    game = load_game("robots(board=maze, width=5, height=4, robots=2)")
    position = game.parse("91113/80002/80002/c4446 yA1 gD4 g>B3 0")
    assert clicks(position) == {
        "yE": (0, 4), "yS": (0, 15), "gN": (18, 3), "gE": (18, 19), "gW": (18, 15),
    }  # fmt: skip


def test_sheep_are_sent_to_where_they_stop_and_counted_if_one_can_choose():
    game = load_game("sheep(players=2, sheep=4, size=3, cells=7)")
    assert clicks(game.parse("#../.../..# a"))["0,1"] == (3,)
    output = clicks(game.parse("#../a3.b4/a.# a"))
    assert output["0,1>6:2"] == (3, 4, "2")
    output = clicks(game.parse("#../a2.b4/a2.# a"))
    assert output["0,1>6:1"] == (3, 4)
    assert output["0,2>6:1"] == (6, 7)


def test_a_stack_is_pointed_at_twice_to_boom():
    output = clicks(load_game("expendibots").parse("8/8/8/8/8/2B5/8/A6a w 0"))
    assert output["boom-c3"] == (18, 18)
    assert output["2c3-c5"] == (18, 34, "2")
    assert output["a1-a2"] == (0, 8)


# Areas ------------------------------------------------------------------------------------------


def test_areas_are_written_where_they_are_wanted(connect_four):
    picture = connect_four.draw(connect_four.start())
    assert "data-cell" not in picture.svg()
    root = ElementTree.fromstring(picture.svg(areas=True))
    cells = [each.get("data-cell") for each in root.iter() if each.get("data-cell")]
    assert cells == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.skipif(CHROMIUM is None, reason="needs the program chromium")
def test_a_browser_finds_the_cell_that_is_pointed_at(tmp_path):
    from playwright.sync_api import sync_playwright

    flags = ["--disable-gpu", "--no-first-run"] + ["--no-sandbox"] * (os.geteuid() == 0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page(viewport={"width": 900, "height": 900})
        for number, spec in enumerate(GAMES):
            position = random_position(load_game(spec), 1, 20)
            picture = position.game.draw(position)
            file = tmp_path / f"{number}.svg"
            file.write_text(picture.svg(areas=True), encoding="utf-8")
            page.goto(file.as_uri())
            for cell, (x, y, width, height) in list(picture.areas.items())[::5]:
                found = page.evaluate(
                    "([x, y]) => document.elementFromPoint(x, y).dataset.cell",
                    [40 * (x + width / 2), 40 * (y + height / 2)],
                )
                assert found == str(cell), spec
        browser.close()
