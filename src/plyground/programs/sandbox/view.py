"""The files of this machine that a confined program may see."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
"""The folders that every program may read."""

NAMES = "/run/systemd/resolve"
"""The configuration of name resolution on some systems, needed with the network."""


def find_program(name: str) -> str | None:
    """Return the path of a program, as a shell would find it, or None.

    Version managers (pyenv, rbenv, ...) put a script in its place, `.pyenv/shims/python3`, which
    needs files that a confined program does not see: for those it is what the manager would start.
    """
    path = shutil.which(name)
    return path if path is None or Path(path).parent.name != "shims" else _managed(Path(path))


@cache
def _managed(shim: Path) -> str:
    """Return the program that a version manager would start, or the shim if it does not tell."""
    root = shim.parent.parent
    manager = shutil.which(root.name.lstrip("."), path=f"{root}/bin{os.pathsep}{root}/libexec")
    command = [str(manager), "which", shim.name]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        if os.path.isfile(found := done.stdout.strip()):
            return found
    return str(shim)


def visible(command: Sequence[str], network: bool) -> list[str]:
    """Return the paths that a program may read: the system, its interpreter, and its own files.

    For every word of the command that is a path, that is the folder of the file; only the file
    itself if the folder is the home folder or contains it.
    """
    paths = [NAMES] if network else []
    for word in (shutil.which(command[0]) or command[0], *command[1:]):
        if os.path.isabs(word):
            paths += map(str, _shown(Path(word)))
    own = [path for path in paths if os.path.exists(path) and not _lies_in(path, SYSTEM)]
    system = [path for path in SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    return [*system, *_outermost(own)]


def links() -> dict[str, str]:
    """Return the targets of those system folders that are links, such as /bin."""
    return {path: os.readlink(path) for path in SYSTEM if os.path.islink(path)}


def is_open(path: Path) -> bool:
    """Return whether every user can read a file, or a folder and the files directly in it."""
    if not path.is_dir():
        return bool(path.stat().st_mode & stat.S_IROTH)
    readable = stat.S_IROTH | stat.S_IXOTH
    if path.stat().st_mode & readable != readable:
        return False
    return all(is_open(entry) for entry in path.iterdir() if entry.is_file())


def _shown(path: Path) -> Iterator[Path]:
    """Yield what to show for a file: its folder, that of its link's target, its environment."""
    if not path.exists():
        return
    chain = [path]
    while chain[-1].is_symlink() and len(chain) < 40:
        chain.append(chain[-1].parent / chain[-1].readlink())
    for link in (*chain, path.resolve()):
        file = Path(os.path.normpath(link))
        if file.is_dir():
            if not _too_wide(file):
                yield file
            continue
        installed = file.parent.parent if file.parent.name in ("bin", "Scripts") else file.parent
        yield next(
            candidate
            for candidate in (installed, file.parent, file)
            if candidate == file or not _too_wide(candidate)
        )
        yield from _base_of(installed)


def _base_of(environment: Path) -> Iterator[Path]:
    """Yield the installation that a virtual environment of Python is based on."""
    try:
        lines = (environment / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and os.path.isabs(value.strip()):
            yield Path(value.strip()).parent


def _too_wide(folder: Path) -> bool:
    """Return whether a folder is or contains the home folder or that for temporary files."""
    private = (Path.home(), Path(tempfile.gettempdir()))
    return any(path == folder or folder in path.parents for path in private)


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths that do not lie within another."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not _lies_in(path, kept):
            kept.append(path)
    return kept
