"""The page of a tournament in a real browser: ranking, cross table, reasons, replays inside."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from test_replay import browsing, in_chromium

from plyground import Tournament, __version__
from plyground.arena.tournament import Standings, play_tournament
from plyground.export import tournament
from plyground.export.standings import Result, as_csv, as_html

REASON = "ValueError: <script>alert(1)</script> /*GAMES*/null"


@pytest.fixture(scope="module")
def result():
    """Return a round robin of three in which one game is forfeited and one move is replaced."""
    plan = Tournament(
        game="connect_n", agents=("greedy", "random", "mcts(simulations=20)"), games=2
    )
    records = sorted(play_tournament(plan), key=lambda record: record.number)
    records[1] = replace(records[1], ending="failed", reason=REASON, fault=0, returns=(-1.0, 1.0))
    records[4] = replace(records[4], faults=((3, 0, "late", "no move within 1 s"),))
    names = ["ada", "bob </script>", "carl"]
    table = Standings(names, plan)
    for record in records:
        table.add(record)
    forfeits = [record for record in records if record.fault is not None]
    absent = [("dora", "dora.txt is no program")]
    title = "connect_n, 6 games"
    return Result(title, table.rows(), names, forfeits, absent, plan=plan, records=records)


def test_the_cross_table_adds_up_to_the_standings(result):
    meetings = result.cross_table()
    for row in result.rows:
        of_row = [each for (entrant, _), each in meetings.items() if entrant == row.entrant]
        assert sum(each.points for each in of_row) == row.points
        assert sum(each.games for each in of_row) == row.games


def test_faults_that_the_referee_mended_are_listed(result):
    entrant = result.records[4].entrants[0]
    output = "1 x move replaced by the referee, late: no move within 1 s"
    assert output in as_csv(result)
    assert result.reasons(entrant)[output.removeprefix("1 x ")] == 1


def test_nothing_in_a_report_reaches_out(result):
    text = as_html(result).replace("http://www.w3.org/2000/svg", "")
    for reaching_out in ("http:", "https:", "<link", "src=", "url("):
        assert reaching_out not in text
    assert text.count("</script>") == 1


def games_to_watch(page):
    return {int(number) for number in re.findall(r"#game-(\d+)", page)}


def test_replays_are_bounded_and_every_agent_has_one(result, monkeypatch):
    assert len(games_to_watch(as_html(result))) == 4  # one per pair, and the forfeit
    monkeypatch.setattr(tournament, "MOST_REPLAYS", 1)
    monkeypatch.setattr(tournament, "LARGEST", 10)
    page = as_html(result)
    shown = [result.records[number - 1] for number in games_to_watch(page)]
    assert len(shown) == 2
    assert {entrant for record in shown for entrant in record.entrants} == {0, 1, 2}
    assert "3 groups of agents met; 2 games, of every agent at least one" in page


def test_a_report_says_what_it_is_and_when_and_by_which_version_it_was_made(result):
    page = as_html(result)
    assert "<title>connect_n, 6 games</title>" in page
    assert re.search(r"Written \d{4}-\d\d-\d\d \d\d:\d\d UTC; played by Plyground [\d.]+", page)
    assert f"Plyground {__version__}." in page


@in_chromium
def test_a_report_is_read_on_a_phone_and_plays_its_games(result, tmp_path):
    with browsing(tmp_path / "report.html", as_html(result)) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        scores = page.locator("td", has_text=re.compile(r"^\d+\.\d%$"))
        assert scores.count() == 3
        for box in (scores.nth(row).bounding_box() for row in range(3)):
            assert box["x"] + box["width"] <= 390
        assert f"1 x failed: {REASON}" in page.inner_text("tr.reasons >> nth=0")
        for output in ("dora", "not entered: dora.txt is no program", "opening", "Settings"):
            assert output in page.inner_text("body")
        page.click("a[href='#game-2'] >> nth=0")
        game = page.frame_locator("dialog iframe")
        game.locator("#next").click()
        assert game.locator("#players li").count() == 2
        assert "ply 1" in game.locator("#note").inner_text()
        page.click("dialog button")
        assert not page.is_visible("dialog")
        page.click("a[href='#game-2'] >> nth=0")  # the same one again
        page.locator("dialog").wait_for(state="visible")
