"""Texts of one line: numbers with their nouns."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 player", "2 players", "1,200 games", "3 plies"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
