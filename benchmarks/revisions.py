"""Play agents of this revision against agents of another one, in a sequential test.

    python -m benchmarks.revisions REVISION GAME NEW OLD --seconds 0.1

The other revision is unpacked to a temporary folder, where its agent runs as an external program.
Both have the same CPU time per move. In games of more than two players one NEW plays against OLD in
all other seats, and the difference in points is measured instead. With `--out FOLDER` the result is
added to the record `champions` there.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from benchmarks import strength
from benchmarks.before import check_out
from benchmarks.engine import DRAWN_AFTER
from plyground import __version__, load_game
from plyground.arena.sprt import Sprt
from plyground.cli.playing import new_pool
from plyground.cli.reproduce import show_report, write_report
from plyground.export.report import Report, Table
from plyground.spec import write_spec

NAME = "champions"
ABOUT = (
    "The strongest agents against the strongest of an earlier revision of this repository, both "
    "with the same CPU time per move. Games come in pairs that have the same opening, four random "
    "plies, and swapped seats; games of more than 140 plies are draws. H1 accepted means that the "
    "newer agent is stronger by the second of the two Elo bounds rather than the first."
)

BOT = '''
import json, os, sys
from pathlib import Path
here = Path(__file__).parent
os.environ["PLYGROUND_CACHE_DIR"] = str(here / "kernels")
sys.path.insert(0, str(here / "src"))
from plyground import Limit, load_agent, load_game

def serve(lines):
    """Answer the messages of a match with the moves of an agent."""
    agent = load_agent(sys.argv[1])
    for message in map(json.loads, lines):
        kind = message["type"]
        if kind == "hello":
            answer = {"type": "hello", "protocol": 1}
        elif kind == "new_game":
            game = load_game(message["game"])
            agent.prepare(game)
            player = agent.sit(game, message["seat"], message["seed"])
            start, position = game.start(0), None
            agent.think(start, Limit(seconds=0.05, cpu=True))  # loads what is loaded late
            answer = {"type": "ready"}
        elif kind == "turn":
            now = game.parse(message["position"])
            for name in message["played"] if position is not None else ():
                action = position.parse(name)
                position = position.play(action)
                player.watch(action)
            if position is None or position.to_text() != now.to_text():
                position = now
            limit = Limit(seconds=message["seconds"], cpu=True)
            action = player.think(position, limit, message["seed"]).action
            answer = {"type": "move", "turn": message["turn"], "action": action}
        else:
            continue
        print(json.dumps(answer), flush=True)

serve(sys.stdin)
'''
"""The program that plays for the other revision, in its folder."""


def prepare(folder: Path, revision: str, game: str, spec: str) -> str:
    """Unpack a revision, compile its kernels, and return the spec of its agent here."""
    check_out(revision, folder)
    bot = folder / "bot.py"
    bot.write_text(BOT)
    messages = [
        {"type": "new_game", "game": repr(load_game(game)), "seat": 0, "seed": 0},
        {"type": "bye"},
    ]
    text = "".join(json.dumps(message) + "\n" for message in messages)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [sys.executable, str(bot), spec], input=text, text=True, check=True, env=environment,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    command = shlex.join([sys.executable, str(bot), spec])
    return write_spec("remote", {"command": command, "startup": 60.0, "memory": 8192})


def main() -> None:
    """Read the command line, play, and print the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.revisions", description=__doc__)
    for name, text in (
        ("revision", "the other revision"),
        ("game", "game with its options"),
        ("new", "agent of this revision"),
        ("old", "agent of the other revision"),
    ):
        parser.add_argument(name, help=text)
    parser.add_argument("--seconds", type=float, default=0.1, help="CPU time per move")
    parser.add_argument("--elo1", type=float, default=30.0, help="the test is of 0 and this Elo")
    parser.add_argument("--games", type=int, default=2000, help="at most so many games")
    parser.add_argument("--opening", type=int, default=4, help="random plies before a game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder of the record")
    given = parser.parse_args()
    began = monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="plyground-revision-") as name,
        new_pool(given.workers, None) as pool,
    ):
        other = prepare(Path(name), given.revision, given.game, given.old)
        sides = given.game, given.new, other, given.seconds, given.games, given.opening, given.seed
        if load_game(given.game).facts.players > 2:
            table = strength.points_difference(*sides, pool)
        else:
            table = strength.equal_time(*sides, pool, Sprt(0.0, given.elo1), DRAWN_AFTER)
    (row,) = table.rows
    old = f"`{given.old}` of {given.revision}"
    headings, cells = ("game", *table.headings), (f"`{given.game}`", row[0], old, *row[2:])
    file = given.out / f"{NAME}.json" if given.out else None
    before = Report.from_json(file.read_text()) if file is not None and file.exists() else None
    result = Table(table.title, headings, (cells,))
    report = with_result(before, result, monotonic() - began)
    show_report(report)
    if given.out is not None:
        write_report(report, given.out)


def with_result(before: Report | None, result: Table, seconds: float) -> Report:
    """Return the record with a result added; it replaces one of the same game and agents."""
    tables = {table.title: table for table in before.tables} if before else {}
    (row,) = result.rows
    earlier = tables[result.title].rows if result.title in tables else ()
    kept = tuple(each for each in earlier if each[:3] != row[:3])
    tables[result.title] = Table(result.title, result.headings, (*kept, row))
    return Report(
        name=NAME,
        title="Champions against earlier revisions",
        about=ABOUT,
        command="python -m benchmarks.revisions REVISION GAME NEW OLD --out docs/games",
        tables=tuple(tables.values()),
        plots=(),
        remarks=(),
        seconds=seconds + (before.seconds if before else 0.0),
        version=__version__,
    )


if __name__ == "__main__":
    main()
