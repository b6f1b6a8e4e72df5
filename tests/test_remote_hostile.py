"""Hostile bots, one attack each: they lose with a reason, and leave nothing behind."""

import ast
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from unprivileged import PYTHON

from plyground import Limit, load_agent, load_game, play_game
from plyground.arena.record import positions
from plyground.programs.sandbox import process

FOLDER = Path(__file__).parent / "hostile"
BOTS = sorted(set(FOLDER.glob("*.py")) - {FOLDER / "polite.py"})
TOGETHER = (
    "crash", "daemon", "deaf", "fork_bomb", "heir", "kill_group", "memory_of_many",
    "nameless_daemon", "nuisance", "parricide", "stay", "stop", "threads",
)  # fmt: skip
"""Attacks whose outcome differs if a bot is not in namespaces of its own."""


def expected(bot):
    """Return the fault and the part of the reason that a bot's docstring names."""
    return ast.get_docstring(ast.parse(bot.read_text())).splitlines()[-1]


def what_becomes_of(bot, python):
    """Let a bot play a game; return its fault and the reason."""
    agent = load_agent(
        "remote",
        command=f"{python} {bot}",
        startup=1 if bot.stem == "hang_at_start" else 60,
        memory=100,
        processes=40,
        disk=20,
    )
    limit = Limit(seconds=0.7 if expected(bot).startswith("late") else 60)
    game = load_game("connect_n")
    record = play_game(game, [agent, load_agent("random")], limit)
    assert positions(game, record)[-1].ply == len(record.actions)
    if record.fault is None:
        return record.ending
    assert (record.fault, record.returns) == (0, (-1.0, 1.0))
    return f"{record.ending}: {record.reason}"


def still_running(folder):
    """List the running processes of the bots in a folder, by their command lines."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in words:
            found.append(words.replace(b"\0", b" "))
    return found


@pytest.mark.parametrize("together", [False, True])
def test_hostile_bots_lose_and_leave_nothing(together, monkeypatch, public_folder):
    python = sys.executable
    if not together and process.confined_by() == "nothing":
        pytest.skip("this system allows no namespaces")
    if together:
        monkeypatch.setattr(process, "confined_by", lambda: "nothing")
        monkeypatch.setattr("plyground.agents.program.require_confinement", lambda: None)
        if os.getuid() == 0:  # it runs as nobody, who may not be able to read the tests' folder
            python = PYTHON
    monkeypatch.setattr(tempfile, "tempdir", str(public_folder / "homes"))
    (public_folder / "homes").mkdir()
    folder = shutil.copytree(FOLDER, public_folder / "bots")
    load_game("connect_n").prepare()
    bots = [folder / bot.name for bot in BOTS if not together or bot.stem in TOGETHER]
    with ThreadPoolExecutor(10) as pool:
        output = pool.map(lambda bot: what_becomes_of(bot, python), bots)
        became = dict(zip(bots, output, strict=True))
    wrong = {}
    for bot, reason in became.items():
        fault, _, part = expected(bot).partition(": ")
        if together and bot.stem in ("nuisance", "parricide") and not reason.startswith("late"):
            fault = "failed"  # its parent belongs to root, or the bot could end it
            part = "not permitted" if os.getuid() == 0 else "ended its supervisor"
        output = reason.startswith(fault) and part.casefold() in reason.casefold()
        if not (output and reason.isprintable() and len(reason) < 400):
            wrong[bot.stem] = f"{reason!r}, not {expected(bot)!r}"
    assert not wrong, "\n".join(f"{name}: {output}" for name, output in wrong.items())
    assert not still_running(folder)
    assert list((public_folder / "homes").iterdir()) == []
    assert (folder / "polite.py").exists()


def test_there_are_fifty_of_them():
    assert len(BOTS) >= 50
