"""Files behind a player or a game: which ones belong to it, and a short digest of what they hold.

A `stamp` such as `bot.py@3f2a91c0` stands for a path where two players have to be told apart: it is
the same wherever the files lie, and another one once they were edited.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b, file_digest
from itertools import islice
from math import inf
from pathlib import Path

NOT_OWN = ("__pycache__", "venv", "node_modules")
"""Folders that are no part of a program, as hidden ones are none: large, and not its author's."""

MOST_FILES, MOST_BYTES = 10_000, 64 * 2**20
"""How much of a folder is read for a digest; beyond these bytes only names and sizes count."""

LONGEST_SOURCE = 2**20
"""Bytes of a source file in which names of other files are looked for."""

MARK = re.compile(r"@[0-9a-f]{8}\b")
"""The digest in a stamp."""


def is_own(name: str) -> bool:
    """Return whether a file or folder of that name belongs to a program."""
    return name not in NOT_OWN and not name.startswith(".")


def own_files(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """List the files at some paths and below, in order, each with its name from there."""
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            yield path, Path(path.name)
            continue
        for where, folders, files in os.walk(path):
            folders[:] = sorted(filter(is_own, folders))
            for file in sorted(filter(is_own, files)):
                source = Path(where, file)
                yield source, source.relative_to(path.parent)


def stamp_file(text: str) -> str:
    """Return a data file's name and digest; a text that names no file, as it is."""
    path = _existing(text)
    return text if path is None else _stamp(path, [path], inf)


def stamp_program(text: str) -> str:
    """Return the name and digest of a program's file or folder; a text that names none, as it is.

    With a file counts what lies beside it and is named in it, such as modules that it imports.
    `FOLDER:NAME` means something inside the folder. An installed program is known by its name.
    """
    path, rest = _existing(text), ""
    if path is None and ":" in text:
        before, _, inside = text.rpartition(":")
        path, rest = _existing(before), f":{inside}"
    if path is None:
        return text
    if _is_installed(path, Path(text).name):
        return Path(text).name
    parts = [path] if path.is_dir() else _with_named(path)
    return _stamp(path, parts, MOST_BYTES) + rest


def stamp_command(text: str) -> str:
    """Return a command in which every word that names a file or folder is replaced by its stamp."""
    try:
        program, *words = shlex.split(text)
    except ValueError:
        return text  # empty, or no command at all: who runs it says so
    found = stamp_program(program) if os.sep in program else program
    return shlex.join([found, *map(stamp_program, words)])


def _existing(text: str) -> Path | None:
    try:
        return Path(text).resolve(strict=True) if text else None
    except (OSError, ValueError, RuntimeError):  # no such file, no such name, links in a circle
        return None


def _is_installed(path: Path, name: str) -> bool:
    """Return whether a file is an interpreter or another program of the system, not a player's."""
    known = (sys.executable, shutil.which(name))
    return any(each and Path(each).resolve() == path for each in known)


def _stamp(path: Path, parts: Iterable[Path], most_bytes: float) -> str:
    """Return a name, and a digest of the names and contents of the parts and all below them."""
    total, left = blake2b(digest_size=4), most_bytes
    for source, name in islice(own_files(parts), MOST_FILES):
        try:
            status = source.lstat()
            if stat.S_ISLNK(status.st_mode):
                content = os.fsencode(os.readlink(source))
            elif not stat.S_ISREG(status.st_mode):
                continue
            elif status.st_size <= left:
                left -= status.st_size
                kept = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
                content = _content(source, kept)
            else:
                content = str(status.st_size).encode()
        except OSError as error:  # as long as it cannot be read, it has no content
            content = type(error).__name__.encode()
        total.update(os.fsencode(name) + b"\0" + content + b"\0")
    return f"{path.name}@{total.hexdigest()}"


@lru_cache(maxsize=10_000)
def _content(path: Path, status: tuple[int, ...]) -> bytes:
    """Digest a file; read once for as long as its `status` is the same."""
    with path.open("rb") as file:
        return file_digest(file, blake2b).digest()


def _with_named(file: Path) -> list[Path]:
    """Return a source file and what lies beside it and is named in it, or in one found so."""
    with os.scandir(file.parent) as entries:
        beside = [Path(each.path) for each in islice(entries, MOST_FILES) if is_own(each.name)]
    found, left = {file}, [file]
    while left:
        text = _source(left.pop())
        words = set(re.findall(r"\w+", text))
        for each in beside:
            if each not in found and (each.stem in words or each.name in text):
                found.add(each)
                left.append(each)
    return sorted(found)


def _source(path: Path) -> str:
    """Return a source file's text; nothing of a folder, a pipe, nor of what is no text."""
    try:
        if not path.is_file():  # to open a pipe would wait for a writer
            return ""
        with path.open("rb") as file:
            content = file.read(LONGEST_SOURCE)
    except OSError:
        return ""
    return "" if b"\0" in content else content.decode(errors="replace")
