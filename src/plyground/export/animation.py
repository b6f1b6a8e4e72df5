"""A recorded game as a self-contained animated SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

from plyground.arena.record import Record, positions
from plyground.errors import OptionError
from plyground.export.replay import captions, contestants, replay_page
from plyground.game import Game
from plyground.picture import FAINT, INK, PANEL, Picture, fitting

PACE, LONGEST, PAUSE = 0.7, 60.0, 3.0
"""Seconds per frame, for all frames at most, and added for the last frame."""


def replay_form(path: Path) -> Callable[[Game, Record], str]:
    """Return the function that makes a replay for the file's suffix."""
    forms = {".html": replay_page, ".svg": replay_animation}
    try:
        return forms[path.suffix.lower()]
    except KeyError:
        raise OptionError(f"{path}: a replay's name must end in {' or '.join(forms)}") from None


def replay_animation(game: Game, record: Record) -> str:
    """Return an SVG that plays the game in a loop, without a script.

    Each shape is in the file once, with the times at which it is visible. A program without support
    for animations shows the last position.
    """
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    moves = [move for move, _ in captions(record, line)]
    size = min(fitting(move, width - 0.4, 0.42) for move in moves)
    moves[-1] += f". {record.outcome}."
    for picture, move in zip(pictures, moves, strict=True):
        picture.text(width / 2, height + 1.1, move, INK, fitting(move, width - 0.4, size))
    names = contestants(record)
    animation = Picture(width, height + 1.6, f"{record.game}: {names}")
    animation.rectangle(0, 0, width, height + 1.6, PANEL)
    animation.text(width / 2, height + 0.5, names, FAINT, fitting(names, width - 0.4, 0.42))
    pace = min(PACE, LONGEST / len(line))
    merged = _merged([picture.shapes for picture in pictures])
    for frames, shapes in groupby(merged, lambda pair: pair[1]):
        content = "".join(shape for shape, _ in shapes)
        animation.shapes.append(_timed(content, frames, len(line), pace))
    return animation.svg()


def _merged(frames: Iterable[Sequence[str]]) -> list[tuple[str, tuple[int, ...]]]:
    """Return shapes in an order that fits every frame, each with the frames that show it."""
    merged: list[str] = []
    shown_in: list[list[int]] = []
    for number, frame in enumerate(frames):
        matcher = SequenceMatcher(None, merged, frame, autojunk=False)
        for _, start, end, low, high in reversed(matcher.get_opcodes()):
            if merged[start:end] == list(frame[low:high]):
                for numbers in shown_in[start:end]:
                    numbers.append(number)
            else:
                merged[end:end] = frame[low:high]
                shown_in[end:end] = [[number] for _ in range(low, high)]
    return list(zip(merged, map(tuple, shown_in), strict=True))


def _timed(content: str, frames: Sequence[int], count: int, pace: float) -> str:
    """Return shapes as a group that is visible only in some of `count` frames."""
    if len(frames) == count:
        return content
    shown = [number in frames for number in range(count)]
    changes = [n for n in range(count) if n == 0 or shown[n] != shown[n - 1]]
    seconds = pace * count + PAUSE
    times = ";".join(f"{number * pace / seconds:.5g}" for number in changes)
    values = ";".join("visible" if shown[number] else "hidden" for number in changes)
    without_animation = "" if shown[-1] else ' visibility="hidden"'
    return (
        f'<g{without_animation}><animate attributeName="visibility" calcMode="discrete" '
        f'dur="{seconds:.5g}s" repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
        f"{content}</g>"
    )
