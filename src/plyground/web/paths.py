"""What visitors see of names that hold paths: no folders of this machine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from plyground.arena.record import Record

FOLDERS = re.compile(r"[^\s'\"(),=/\\]*[/\\]+")
"""A folder of a path within a spec."""

ABSOLUTE = re.compile(r"(?<![\w./:\\])(?:[A-Za-z]:)?[/\\](?:(?!\s)[^'\":/\\]*[^\s'\":/\\][/\\])+")
"""The folders of an absolute path within a text."""


def shown_name(spec: str) -> str:
    """Return a game's or an agent's spec with the names of its files only."""
    name, bracket, options = spec.partition("(")
    return PurePath(name).name + bracket + FOLDERS.sub("", options)


def shown_names(specs: Iterable[str]) -> list[str]:
    """Return the names of several agents; alike ones of different folders get numbers."""
    names, seen = [], Counter[str]()
    for spec in specs:
        name = shown_name(spec)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def shown_text(text: str) -> str:
    """Return a text, such as an error's, without the folders of absolute paths."""
    return ABSOLUTE.sub("", text)


def shown_record(record: Record) -> Record:
    """Return a record as visitors may see it."""
    return replace(
        record,
        game=shown_name(record.game),
        agents=tuple(map(shown_name, record.agents)),
        names=tuple(shown_names(record.names)),
        game_identity=shown_name(record.game_identity),
        identities=tuple(map(shown_name, record.identities)),
        reason=shown_text(record.reason),
    )
