"""Namespaces by bubblewrap: the arguments of its program."""

from __future__ import annotations

import os
from typing import Any

KEPT = ("CAP_DAC_READ_SEARCH", "CAP_SYS_PTRACE", "CAP_SYS_RESOURCE")
"""What the watching process may do inside a user namespace of the program; the program may not."""


def arguments(settings: dict[str, Any]) -> list[str]:
    """Return the command that runs what follows as process 1 of new namespaces."""
    words = [settings["bubblewrap"], "--unshare-pid", "--unshare-ipc"]
    words += ["--as-pid-1", "--die-with-parent"]
    if os.getuid() != 0:  # root changes to another user, and then makes a user namespace
        words += ["--unshare-user"]
        for capability in KEPT:
            words += ["--cap-add", capability]
    if not settings["network"]:
        words += ["--unshare-net"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for source, path in settings["writable"].items():
        words += [*_folders_above(path), "--bind", source, path]
    for path, target in settings["links"].items():
        words += ["--symlink", target, path]
    for source, path in settings["read_only"].items():
        words += [*_folders_above(path), "--ro-bind", source, path]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _folders_above(path: str) -> list[str]:
    """Return what makes the folders above a path; by itself bubblewrap makes them root's alone."""
    above = os.path.dirname(path)
    return [] if above == "/" else [*_folders_above(above), "--dir", above]
