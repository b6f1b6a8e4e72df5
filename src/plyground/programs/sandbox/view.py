"""Which part of this machine's files a program may see."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
"""What every program may read."""

NAMES = "/run/systemd/resolve"
"""Where some systems keep how names of the network are looked up."""


def visible(command: Sequence[str], network: bool) -> list[str]:
    """Return the paths that a program may read: the system, its interpreter, and its own files.

    Every word of the command that is a path shows the folder of that file, unless it is the home
    folder or contains it: then only the file itself.
    """
    wanted = [NAMES] if network else []
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        if os.path.isabs(word):
            wanted += map(str, _shown(Path(word)))
    own = [path for path in wanted if os.path.exists(path) and not _lies_in(path, SYSTEM)]
    system = [path for path in SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    return [*system, *_outermost(own)]


def links() -> dict[str, str]:
    """Return the system's own folders that are links, such as /bin: where they lead."""
    return {path: os.readlink(path) for path in SYSTEM if os.path.islink(path)}


def is_open(path: Path) -> bool:
    """Whether every user can read a file, or a folder and the files right in it."""
    if not path.is_dir():
        return bool(path.stat().st_mode & stat.S_IROTH)
    readable = stat.S_IROTH | stat.S_IXOTH
    if path.stat().st_mode & readable != readable:
        return False
    return all(is_open(each) for each in path.iterdir() if each.is_file())


def _shown(path: Path) -> Iterator[Path]:
    """Return what to show of a file, of all that it links to, and of a virtual environment."""
    if not path.exists():
        return
    chain = [path]
    while chain[-1].is_symlink() and len(chain) < 40:
        chain.append(chain[-1].parent / chain[-1].readlink())
    for each in (*chain, path.resolve()):
        each = Path(os.path.normpath(each))
        if each.is_dir():
            if not _too_wide(each):
                yield each
            continue
        installed = each.parent.parent if each.parent.name in ("bin", "Scripts") else each.parent
        yield next(
            candidate
            for candidate in (installed, each.parent, each)
            if candidate == each or not _too_wide(candidate)
        )
        yield from _base_of(installed)


def _base_of(environment: Path) -> Iterator[Path]:
    """Return the installation that a virtual environment of Python is based on."""
    try:
        lines = (environment / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and os.path.isabs(value.strip()):
            yield Path(value.strip()).parent


def _too_wide(folder: Path) -> bool:
    """Whether a folder holds the home folder or that for temporary files."""
    private = (Path.home(), Path(tempfile.gettempdir()))
    return any(each == folder or folder in each.parents for each in private)


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return paths without those that lie within another."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not _lies_in(path, kept):
            kept.append(path)
    return kept
