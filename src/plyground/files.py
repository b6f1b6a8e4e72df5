"""Files that define a player or a game: which ones belong to it, and a short digest of them.

A stamp such as `bot.py@3f2a91c0` replaces a path wherever players are identified: it does not
depend on where the files lie, and changes when they are edited.
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

NOT_OWN = ("__pycache__", "__MACOSX", "venv", "node_modules")
"""Folders that, like hidden ones, are not part of a program: large, and made by tools."""

MOST_FILES, MOST_BYTES = 10_000, 64 * 2**20
"""How much of a folder is read for a digest; beyond these bytes only names and sizes are used."""

LONGEST_SOURCE = 2**20
"""How many bytes of a source file are searched for the names of other files."""

MARK = re.compile(r"@[0-9a-f]{8}\b")
"""The digest in a stamp."""


def is_own(name: str) -> bool:
    """Return whether a file or folder of that name belongs to a program."""
    return name not in NOT_OWN and not name.startswith(".")


def own_files(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Yield the files at and below some paths, in order, each with its relative name."""
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
    """Return the name and digest of a data file; a text that names no file is returned as it is."""
    path = _existing(text)
    return text if path is None else _stamp(path, [path], inf)


def stamp_program(text: str) -> str:
    """Return the name and digest of a program's file or folder.

    The digest of a file covers the files beside it that it names, such as modules it imports.
    `FOLDER:NAME` means something inside the folder. An installed program is identified by its name
    alone. A text that names no file or folder is returned as it is.
    """
    path, suffix = _existing(text), ""
    if path is None and ":" in text:
        folder, _, inside = text.rpartition(":")
        path, suffix = _existing(folder), f":{inside}"
    if path is None:
        return text
    if _is_installed(path, Path(text).name):
        return Path(text).name
    parts = [path] if path.is_dir() else _with_named(path)
    return _stamp(path, parts, MOST_BYTES) + suffix


def stamp_command(text: str) -> str:
    """Return a command in which every word that names a file or folder is replaced by its stamp."""
    try:
        program, *words = shlex.split(text)
    except ValueError:
        return text  # empty, or unbalanced quotes: running it will raise a clear error
    stamped = stamp_program(program) if os.sep in program else program
    return shlex.join([stamped, *map(stamp_program, words)])


def _existing(text: str) -> Path | None:
    try:
        return Path(text).resolve(strict=True) if text else None
    except (OSError, ValueError, RuntimeError):  # no such file, invalid name, circular links
        return None


def _is_installed(path: Path, name: str) -> bool:
    """Return whether a file is an installed program such as an interpreter, not a player's own."""
    programs = (sys.executable, shutil.which(name))
    return any(program and Path(program).resolve() == path for program in programs)


def _stamp(path: Path, parts: Iterable[Path], most_bytes: float) -> str:
    """Return a path's name, with a digest of the names and contents of the files in `parts`."""
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
                version = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
                content = _content(source, version)
            else:
                content = str(status.st_size).encode()
        except OSError as error:  # a file that cannot be read is known by its error
            content = type(error).__name__.encode()
        total.update(os.fsencode(name) + b"\0" + content + b"\0")
    return f"{path.name}@{total.hexdigest()}"


@lru_cache(maxsize=10_000)
def _content(path: Path, version: tuple[int, ...]) -> bytes:
    """Return a digest of a file; it is read again only when its `version` has changed."""
    with path.open("rb") as file:
        return file_digest(file, blake2b).digest()


def _with_named(file: Path) -> list[Path]:
    """Return a source file and the files and folders beside it that it names, directly or not."""
    with os.scandir(file.parent) as entries:
        names = [entry.name for entry in islice(entries, MOST_FILES) if is_own(entry.name)]
    # No paths are made of the names: beside a bot there may be those of a thousand others.
    beside = [(name, os.path.splitext(name)[0]) for name in names]
    named, unread = {file.name}, [file.name]
    while unread:
        text = _source(file.parent / unread.pop())
        words = set(re.findall(r"\w+", text))
        for name, stem in beside:
            if (stem in words or name in text) and name not in named:
                named.add(name)
                unread.append(name)
    return [file.parent / name for name in sorted(named)]


def _source(path: Path) -> str:
    """Return the text of a source file; "" for a folder, a pipe or a binary file."""
    try:
        if not path.is_file():  # opening a pipe would block until there is a writer
            return ""
        with path.open("rb") as file:
            content = file.read(LONGEST_SOURCE)
    except OSError:
        return ""
    return "" if b"\0" in content else content.decode(errors="replace")
