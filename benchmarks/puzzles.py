"""Positions with known scores: those of the tests, of a folder, and hard starts of Robot Reboot."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from plyground import Position, load_game
from plyground.games.robots.boards import LETTERS
from plyground.games.robots.solve import RobotsSolver
from plyground.games.robots.text import place_name

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

HARD, FIRST_SEED = 13, 10_000
"""Moves of the hard starts of Robots, and the seed from which on they are drawn."""


class Puzzle(NamedTuple):
    """A position, its text for other programs, and its score."""

    position: Position
    text: str
    score: int


def connect_four(columns: Sequence[int], score: int) -> Puzzle:
    """Make a puzzle of the columns played, from 0."""
    position = load_game("connect_n").start()
    for column in columns:
        position = position.play(column)
    return Puzzle(position, "".join(str(column + 1) for column in columns), score)


def robots(text: str, fewest: int) -> Puzzle:
    """Make a puzzle of a position's text."""
    return Puzzle(load_game("robots").parse(text), text, fewest)


def sets_of_tests(game: str) -> dict[str, list[Puzzle]]:
    """Return the sets that come with the tests."""
    if game == "connect_n":
        from solved_connect_four import solved_sets

        return {
            name: [connect_four(*each) for each in rows] for name, rows in solved_sets().items()
        }
    from solved_robots import puzzles

    return {
        kind: [robots(each.text, each.fewest) for each in puzzles() if each.kind == kind]
        for kind in ("classic", "velasquez")
    }


def sets_of_folder(game: str, folder: Path) -> dict[str, list[Puzzle]]:
    """Read the sets of a folder."""
    if game == "connect_n":
        return {
            file.name: [
                connect_four([int(column) - 1 for column in columns], int(score))
                for columns, score in map(str.split, file.read_text().splitlines())
            ]
            for file in sorted(folder.glob("Test_*"))
        }
    return {
        file.name.partition(".")[0]: [
            robots(robots_text(each), each["opt"])
            for each in map(json.loads, file.read_text().splitlines())
        ]
        for file in sorted(folder.glob("*.jsonl"))
    }


def robots_text(puzzle: dict[str, Any]) -> str:
    """Write a puzzle of 16 x 16 cells as the game's text."""
    walls = "/".join(wrap(puzzle["walls"], 16))
    names = [place_name((cell % 16, cell // 16)) for cell in [*puzzle["robots"], puzzle["target"]]]
    placed = " ".join(letter + name for letter, name in zip(LETTERS, names[:-1], strict=False))
    return f"{walls} {placed} {LETTERS[puzzle['target_robot']]}>{names[-1]} 0"


def hard_starts(count: int) -> list[Puzzle]:
    """Draw uniform classic starts of Robots until so many of them take HARD moves or more."""
    game = load_game("robots(board=classic, starts=uniform, solvable=False)")
    solver, found, seed = RobotsSolver(load_game("robots")), [], FIRST_SEED
    with Progress(console=Console(stderr=True)) as progress:
        for _ in progress.track(range(count), description=f"drawing starts of {HARD}+ moves"):
            score = None
            while score is None or score < HARD:
                position, seed = game.start(seed), seed + 1
                solution = solver.solve(position)
                score = solution and solution.score
            found.append(robots(position.to_text(), score))
    return found
