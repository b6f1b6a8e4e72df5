"""Fixtures of the tests of pages: one server and one real browser for a module."""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from site_of import Site

WAIT = 60_000
"""Milliseconds for anything that should come at once; kernels may have to be compiled first."""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs the program chromium")
RANDOM = {"kind": "agent", "agent": {"name": "random"}}
"""An opponent that needs no search to be compiled."""
PERSON = {"kind": "person"}
HARMLESS = ("WebSocket connection to", "Failed to load resource")
"""What a browser reports when the server is gone, or refuses something."""


class Place:
    """A server that can be ended and started again at the same address."""

    def __init__(self, store, *arguments):
        self.store, self.arguments = store, arguments
        self.server = Site(store, *arguments)
        self.address = self.server.address

    def stop(self):
        self.server.stop(signal.SIGKILL)

    def start(self):
        port = self.address.rsplit(":", 1)[1]
        self.server = Site(self.store, *self.arguments, "--port", port)

    def freeze(self):
        self.server.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.server.process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def browser():
    """Yield a browser."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT)
    flags = ["--disable-gpu", "--no-first-run", "--disable-background-networking"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory, example):
    """Yield a server with a game from a file and the folder of a training."""
    folder = tmp_path_factory.mktemp("pages")
    training = folder / "training"
    training.mkdir()
    named = "--game", str(example), "--training", str(training)
    place = Place(folder / "games.sqlite", "--workers", "2", *named)
    place.training = training
    yield place
    place.stop()


@pytest.fixture
def visit(browser, site):
    """Yield a function that opens a browser window of its own; errors on its pages fail the test.

    No request may leave the machine either.
    """
    problems, contexts = [], []

    def open_window(**settings):
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}} | settings)
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.on("console", lambda line: problems.append(line.text) if line.type == "error" else 0)
        page.on("request", lambda asked: asked.url.startswith(("data:", "blob:", site.address))
                or problems.append(asked.url))  # fmt: skip
        page.goto(site.address)
        contexts.append(context)
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert [line for line in problems if not line.startswith(HARMLESS)] == []


def new_game(page, site, game, *seats, **form):
    """Make a game for the visitor of a page, and open it."""
    body = {"game": game, "seed": 1, "seats": list(seats or (PERSON, RANDOM))} | form
    answer = page.request.post(f"{site.address}/api/games", data=body)
    assert answer.status == 201, answer.text()
    address = f"{site.address}/game/{answer.json()['id']}"
    page.goto(address)
    page.locator(".turned svg [data-id]").first.wait_for()
    return address


def state_of(page):
    """Return the state of the game that a page shows, as the server has it."""
    return page.request.get(page.url.replace("/game/", "/api/games/")).json()


def cell(page, number):
    return page.locator(f"[data-cell='{number}']")


def moves(page):
    """Return the texts of the moves that a page lists."""
    return [text.split()[-1] for text in page.locator(".moves li").all_inner_texts()]


def violations(page):
    """Return what the accessibility checker axe finds on a page, with the elements."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]
