"""A recorded game as one file that needs nothing else: an HTML page, or an SVG that moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from plyground.arena.record import Record, positions
from plyground.errors import BadOption
from plyground.game import Game, Position
from plyground.games import GAMES
from plyground.picture import Picture
from plyground.ui.arguments import say, write_file

PACE, LONGEST, PAUSE = 0.7, 60.0, 3.0
"""Seconds that a frame of the animation stands, that all do at most, and that the last stays on."""


def replay_form(path: Path) -> Callable[[Game, Record], str]:
    """Choose the form by the file's ending; an unknown one is an error."""
    forms = {".html": replay_page, ".svg": replay_animation}
    try:
        return forms[path.suffix.lower()]
    except KeyError:
        raise BadOption(f"{path}: a replay is a file ending in {' or '.join(forms)}") from None


def write_replay(path: Path, record: Record) -> None:
    """Write a record in the form that the file's ending asks for, and say so."""
    write_file(path, replay_form(path)(GAMES.recall(record.game), record))
    say(f"replay written to {path}")


def captions(record: Record, line: Sequence[Position]) -> list[tuple[str, str]]:
    """Say what led to each position of the record's line, and in how much time and hope."""
    told = [("the start", "")]
    for ply, (before, action) in enumerate(zip(line, record.actions, strict=False)):
        deed = f"ply {ply + 1}: player {before.player + 1} played {before.format(action)}"
        value = record.values[ply]
        hope = "" if value is None else f", expecting {value:+.2f}"
        if ply < record.opening:
            told.append((deed, " (random opening)"))
        else:
            told.append((deed, f" in {1000 * record.seconds[ply]:.1f} ms{hope}"))
    return told


def contestants(record: Record) -> str:
    """Name who sits where."""
    return "  |  ".join(f"{seat}: {agent}" for seat, agent in enumerate(record.agents, start=1))


def replay_page(game: Game, record: Record) -> str:
    """Write a page with a slider, a move list and a chart of what the players expected."""
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    numbers: dict[str, int] = {}
    frames = [
        [numbers.setdefault(shape, len(numbers)) for shape in picture.shapes]
        for picture in pictures
    ]
    told = {
        "game": record.game,
        "agents": record.agents,
        "contestants": contestants(record),
        "captions": [deed + detail for deed, detail in captions(record, line)],
        "ending": record.outcome,
        "moves": [
            {
                "text": before.format(action),
                "player": before.player,
                "value": record.values[ply],
                "opening": ply < record.opening,
            }
            for ply, (before, action) in enumerate(zip(line, record.actions, strict=False))
        ],
        "box": [max(each.width for each in pictures), max(each.height for each in pictures)],
        "shapes": list(numbers),
        "frames": frames,
    }
    page = files("plyground.ui").joinpath("replay.html").read_text(encoding="utf-8")
    # "<" written as an escape can neither end the script nor begin a tag.
    return page.replace("/*DATA*/null", json.dumps(told).replace("<", "\\u003c"))


def replay_animation(game: Game, record: Record) -> str:
    """Write an SVG that plays the game over and over, without a script.

    A shape stands in the file once, with the times at which it is seen. Where nothing moves, the
    last position is seen.
    """
    line = positions(game, record)
    pictures = [game.draw(position) for position in line]
    width = max(each.width for each in pictures)
    height = max(each.height for each in pictures)
    deeds = [deed for deed, _ in captions(record, line)]
    deeds[-1] += f". {record.outcome}."
    size = _size(width, deeds[:-1])
    for picture, deed in zip(pictures, deeds, strict=True):
        picture.text(width / 2, height + 1.1, deed, "#222", min(size, _size(width, [deed])))
    names = contestants(record)
    whole = Picture(width, height + 1.6, f"{record.game}: {names}")
    whole.rectangle(0, 0, width, height + 1.6, "#ffffff")
    whole.text(width / 2, height + 0.5, names, "#666", _size(width, [names]))
    pace = min(PACE, LONGEST / len(line))
    for seen, shapes in groupby(_merged([each.shapes for each in pictures]), lambda pair: pair[1]):
        inside = "".join(shape for shape, _ in shapes)
        whole.shapes.append(_timed(inside, seen, len(line), pace))
    return whole.svg()


def _size(width: float, lines: Iterable[str]) -> float:
    """Give the size at which every line fits: a letter is about 0.52 of its size wide."""
    return min(0.42, (width - 0.4) / (0.52 * max(map(len, lines), default=1)))


def _merged(frames: Iterable[Sequence[str]]) -> list[tuple[str, tuple[int, ...]]]:
    """Give shapes in an order that fits every frame, each with the frames that show it."""
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
    """Wrap shapes in a group that is visible in the frames given, of so many."""
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
