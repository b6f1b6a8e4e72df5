"""A recorded game as an animated SVG that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

from plyground.arena.record import Record, positions
from plyground.errors import BadOption
from plyground.export.replay import captions, contestants, replay_page
from plyground.game import Game
from plyground.picture import FAINT, INK, PANEL, Picture, fitting

PACE, LONGEST, PAUSE = 0.7, 60.0, 3.0
"""Seconds of a frame, of all frames at most, and how much longer the last one stays."""


def replay_form(path: Path) -> Callable[[Game, Record], str]:
    """Return the form that the file's ending asks for; an unknown ending is an error."""
    forms = {".html": replay_page, ".svg": replay_animation}
    try:
        return forms[path.suffix.lower()]
    except KeyError:
        raise BadOption(f"{path}: a replay is a file ending in {' or '.join(forms)}") from None


def replay_animation(game: Game, record: Record) -> str:
    """Return an SVG that plays the game over and over, without a script.

    Each shape is in the file once, with the times at which it is visible. A program that shows no
    animations shows the last position.
    """
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    width = max(each.width for each in pictures)
    height = max(each.height for each in pictures)
    moves = [move for move, _ in captions(record, line)]
    size = min(fitting(move, width - 0.4, 0.42) for move in moves)
    moves[-1] += f". {record.outcome}."
    for picture, move in zip(pictures, moves, strict=True):
        picture.text(width / 2, height + 1.1, move, INK, fitting(move, width - 0.4, size))
    names = contestants(record)
    whole = Picture(width, height + 1.6, f"{record.game}: {names}")
    whole.rectangle(0, 0, width, height + 1.6, PANEL)
    whole.text(width / 2, height + 0.5, names, FAINT, fitting(names, width - 0.4, 0.42))
    pace = min(PACE, LONGEST / len(line))
    for seen, shapes in groupby(_merged([each.shapes for each in pictures]), lambda pair: pair[1]):
        inside = "".join(shape for shape, _ in shapes)
        whole.shapes.append(_timed(inside, seen, len(line), pace))
    return whole.svg()


def _merged(frames: Iterable[Sequence[str]]) -> list[tuple[str, tuple[int, ...]]]:
    """Return shapes in an order that fits every frame, each with the frames that show it."""
    merged: list[str] = []
    seen: list[list[int]] = []
    for number, frame in enumerate(frames):
        matcher = SequenceMatcher(None, merged, frame, autojunk=False)
        for _, start, end, low, high in reversed(matcher.get_opcodes()):
            if merged[start:end] == list(frame[low:high]):
                for each in seen[start:end]:
                    each.append(number)
            else:
                merged[end:end] = frame[low:high]
                seen[end:end] = [[number] for _ in range(low, high)]
    return list(zip(merged, map(tuple, seen), strict=True))


def _timed(inside: str, seen: Sequence[int], count: int, pace: float) -> str:
    """Return shapes in a group that is visible in the frames `seen`, of `count` frames."""
    if len(seen) == count:
        return inside
    shown = [number in seen for number in range(count)]
    changes = [each for each in range(count) if each == 0 or shown[each] != shown[each - 1]]
    seconds = pace * count + PAUSE
    times = ";".join(f"{each * pace / seconds:.5g}" for each in changes)
    values = ";".join("visible" if shown[each] else "hidden" for each in changes)
    resting = "" if shown[-1] else ' visibility="hidden"'
    return (
        f'<g{resting}><animate attributeName="visibility" calcMode="discrete" '
        f'dur="{seconds:.5g}s" repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
        f"{inside}</g>"
    )
