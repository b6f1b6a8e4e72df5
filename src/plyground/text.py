"""Texts of one line: cleaned, shortened, with suggestions, and numbers with their nouns."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def cleaned(text: str) -> str:
    """Return untrusted text as one line that is safe in terminals, pages, tables and databases.

    White space becomes a blank; any other character that cannot be printed (escape codes, control
    characters, lone surrogates) becomes a question mark. Printable text is unchanged.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "?" for letter in text
    )


def one_line(text: str, longest: int) -> str:
    """Return the beginning of an untrusted text as one clean line, with single blanks."""
    return " ".join(cleaned(text[: 5 * longest]).split())[:longest]


def shortened(text: str) -> str:
    """Return a text cut to 60 characters, to be quoted in a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, or else a list of all known names."""
    names = list(known)
    close = get_close_matches(shortened(name), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 player", "2 players", "1,200 games", "3 plies"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
