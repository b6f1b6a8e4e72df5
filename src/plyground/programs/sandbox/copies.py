"""Copies of a program's own files, which it may read and spoil."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from plyground.errors import AgentFailed
from plyground.files import own_files
from plyground.programs.sandbox.supervisor.system import NOBODY

MOST_FILES, MOST_BYTES = 1000, 64 * 2**20
"""What may be copied for a program, every time that it starts."""


def copy_all(paths: Sequence[Path], folder: Path) -> None:
    """Copy files and folders into a folder; links stay links, so that none leads astray."""
    count = size = 0
    for source, name in own_files(paths):
        status = source.lstat()
        count, size = count + 1, size + status.st_size
        if count > MOST_FILES or size > MOST_BYTES:
            bound = f"{MOST_FILES} files or {MOST_BYTES >> 20} MiB"
            raise AgentFailed("failed", f"it comes with more than {bound}, too much to copy")
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name, follow_symlinks=False)


def hand_over(folder: str) -> None:
    """Change the owner of root's folder for a program to the user that it will run as."""
    os.chmod(folder, 0o711)  # noqa: S103 - what is in it is that user's alone
    for where, _, files in os.walk(folder):
        for name in (".", *files):
            path = os.path.join(where, name)
            if path != os.path.join(folder, "."):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
