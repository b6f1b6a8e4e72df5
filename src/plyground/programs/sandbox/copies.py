"""Copies of a program's own files, which it may read and change."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from plyground.errors import AgentError
from plyground.files import own_files
from plyground.programs.sandbox.supervisor.system import NOBODY

MOST_FILES, MOST_BYTES = 1000, 64 * 2**20
"""The most that is copied for a program, at every start."""


def copy_all(paths: Sequence[Path], folder: Path) -> None:
    """Copy files and folders into a folder; links are copied as links, not followed."""
    count = size = 0
    for source, name in own_files(paths):
        status = source.lstat()
        count, size = count + 1, size + status.st_size
        if count > MOST_FILES or size > MOST_BYTES:
            bound = f"{MOST_FILES} files or {MOST_BYTES >> 20} MiB"
            raise AgentError("failed", f"its files are more than {bound}, the most to be copied")
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name, follow_symlinks=False)


def hand_over(folder: str) -> None:
    """Make the user that a program will run as the owner of its folder, which root has made."""
    os.chmod(folder, 0o711)  # noqa: S103 - its contents belong to that user alone
    for where, _, files in os.walk(folder):
        for name in (".", *files):
            path = os.path.join(where, name)
            if path != os.path.join(folder, "."):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
