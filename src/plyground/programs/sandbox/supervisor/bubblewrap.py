"""Confinement in namespaces by bubblewrap: its command line."""

from __future__ import annotations

import os
from typing import Any

KEPT = ("CAP_DAC_READ_SEARCH", "CAP_SYS_PTRACE", "CAP_SYS_RESOURCE")
"""Capabilities of the watching process inside its user namespace; the program does not get them."""


def arguments(settings: dict[str, Any]) -> list[str]:
    """Return the command that runs the command after it as process 1 of new namespaces."""
    words = [settings["bubblewrap"], "--unshare-pid", "--unshare-ipc"]
    words += ["--as-pid-1", "--die-with-parent"]
    if os.getuid() != 0:  # root first changes to another user, then makes a user namespace itself
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
    """Return arguments that make the folders above a path; by default only root could read them."""
    above = os.path.dirname(path)
    return [] if above == "/" else [*_folders_above(above), "--dir", above]
