"""What a student hands in: a file, a folder or a zip file, and where the bot is in it."""

from __future__ import annotations

import os
import re
import stat
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from plyground.errors import OptionError
from plyground.files import is_own
from plyground.programs.sandbox.copies import MOST_BYTES, MOST_FILES
from plyground.text import cleaned, shortened

CUSTOMARY = ("bot", "bots", "main", "submission")
"""Usual names of a bot's main file, for folders with several programs."""

LARGEST_DIRECTORY = 256 * MOST_FILES
"""The most bytes of a zip file's list of files."""

ZIP_END, ZIP64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
"""Signatures in a zip file: of its last record, and of what precedes that in larger ones."""

Runs = Callable[[Path], bool]
"""Whether a file can be a bot's main file."""


def is_zip(path: Path) -> bool:
    """Return whether a path names a zip file."""
    return path.suffix.lower() == ".zip" and os.path.isfile(path)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield the path, or for a zip file a temporary folder with its content, named like it."""
    if not is_zip(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="plyground-zip-") as temporary:
        folder = Path(temporary, re.sub(r"\W", "_", path.stem))  # a package's name
        folder.mkdir()
        try:
            _unzip(path, folder)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
            raise OptionError(
                f"{path} cannot be unpacked: {cleaned(str(error)) or 'it is damaged'}"
            ) from None
        yield folder


def _unzip(path: Path, folder: Path) -> None:
    """Write a zip file's regular files to a folder; raise BadZipFile if anything looks unsafe."""
    _check_directory(path)
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        size = sum(member.file_size for member in members)
        if len(members) > MOST_FILES or size > MOST_BYTES:
            bound = f"{MOST_FILES} files or {MOST_BYTES >> 20} MiB"
            raise zipfile.BadZipFile(f"its files are more than {bound}, the most to be copied")
        for member in members:
            name = PurePosixPath(member.filename)
            if name.is_absolute() or ".." in name.parts or "\\" in member.filename:
                raise zipfile.BadZipFile(f"its file {shortened(repr(member.filename))} is outside")
            mode = member.external_attr >> 16
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise zipfile.BadZipFile(f"{shortened(repr(member.filename))} is not a plain file")
            if not all(map(is_own, name.parts)):
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as packed, open(target, "xb") as file:
                file.write(packed.read(MOST_BYTES))  # never more than its `file_size`
            os.chmod(target, 0o755 if mode & 0o100 else 0o644)


def _check_directory(path: Path) -> None:
    """Raise BadZipFile if a zip file's list of files is too long to be read."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - 2**16 - 42))
        end = file.read()
    place = end.rfind(ZIP_END)
    if place < 0 or len(end) < place + 20:
        raise zipfile.BadZipFile("it is not a zip file")
    (size,) = struct.unpack_from("<L", end, place + 12)
    if size > LARGEST_DIRECTORY or end[max(0, place - 20) : place].startswith(ZIP64_LOCATOR):
        raise zipfile.BadZipFile(f"it has more than {MOST_FILES} files, the most to be copied")


def main_folder(folder: Path, runs: Runs) -> Path:
    """Return the folder with the bot: below a folder that has no program and only one folder."""
    while True:
        entries = [entry for entry in sorted(folder.iterdir()) if is_own(entry.name)]
        folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        if len(folders) != 1 or any(entry.is_file() and runs(entry) for entry in entries):
            return folder
        folder = folders[0]


def main_file(bot: Path, runs: Runs) -> Path:
    """Return a bot's main file: its only program, or the one with a customary name."""
    if not bot.is_dir():
        if not runs(bot):
            raise OptionError(f"{bot} is not a program")
        return bot
    folder = main_folder(bot, runs)
    programs = [file for file in sorted(folder.iterdir()) if file.is_file() and runs(file)]
    names = tuple(dict.fromkeys((*CUSTOMARY, bot.name, folder.name)))
    named = [file for file in programs if file.stem in names]
    if len(programs) != 1 and len(named) != 1:
        counts = f"{len(programs)} programs, {len(named)} of them called one of {', '.join(names)}"
        raise OptionError(f"{bot} has {counts}; exactly one must be")
    return (named if len(named) == 1 else programs)[0]
