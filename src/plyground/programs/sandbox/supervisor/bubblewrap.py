"""Confinement in namespaces by bubblewrap: its command line."""

from __future__ import annotations

import os
from typing import Any

from .namespaces import OWN, bind, limit_files, unshare_mounts

KEPT = ("CAP_DAC_READ_SEARCH", "CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_RESOURCE")
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
    words += ["--proc", "/proc", "--dev", "/dev", "--dir", f"/{OWN}"]
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


def limit_files_inside(settings: dict[str, Any]) -> None:
    """Limit the program's files, from inside, where the system allows it.

    Folders that it may only read, and that lie among its own, are mounted there again.
    """
    folders = list(settings["writable"].values())
    try:
        unshare_mounts()
    except OSError:
        return  # its files are counted instead
    covered = {
        path: os.open(path, os.O_PATH)
        for path in settings["read_only"].values()
        if any(path.startswith(f"{folder}/") for folder in folders)
    }
    limit_files(settings, "/", [folder.lstrip("/") for folder in folders])
    for path, file in covered.items():
        bind(f"/proc/self/fd/{file}", path)
        os.close(file)
