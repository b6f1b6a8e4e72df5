"""Checkpoints of a training: the learner's state by Orbax, beside a digest of its files."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orbax.checkpoint as orbax  # type: ignore[import-untyped]

from plyground.errors import PlygroundError
from plyground.learn.checked import read_checked, write_checked
from plyground.text import one_line

logging.getLogger("absl").setLevel(logging.CRITICAL)  # what goes wrong is raised, once

KEPT = 3
"""How many checkpoints are kept: the latest may turn out to be damaged."""
MANIFEST = "manifest.json"
STATE = "state"


class CheckpointError(PlygroundError):
    """No checkpoint of a training is whole."""


class Restored(NamedTuple):
    """The latest checkpoint that is whole."""

    state: Any
    notes: dict[str, Any]
    """What was kept beside the state."""
    refused: tuple[str, ...]
    """Later checkpoints that are damaged, each with the reason."""


def save(folder: Path, step: int, state: Any, notes: dict[str, Any]) -> None:
    """Keep a checkpoint; it is there whole or not at all."""
    place, partial = folder / f"{step:010d}", folder / f"{step:010d}.partial"
    try:
        for left in folder.glob("*.partial"):  # by a kill
            shutil.rmtree(left, ignore_errors=True)
        partial.mkdir(parents=True)
        with orbax.StandardCheckpointer() as checkpointer:
            checkpointer.save((partial / STATE).absolute(), state)
        write_checked(partial / MANIFEST, {"notes": notes, "files": _digests(partial)})
        shutil.rmtree(place, ignore_errors=True)
        partial.replace(place)
    except (OSError, ValueError) as error:  # the library wraps some errors of the system
        shutil.rmtree(partial, ignore_errors=True)
        full = os.strerror(errno.ENOSPC)
        reason = full if full in str(error) else one_line(str(error), 200)
        raise PlygroundError(f"{place} cannot be written: {reason}") from None
    for old in _places(folder)[:-KEPT]:
        shutil.rmtree(old)


def restore(folder: Path, like: Any) -> Restored | None:
    """Return the latest whole checkpoint, in the form of a state that is `like` it; None: none."""
    refused: list[str] = []
    for place in reversed(_places(folder)):
        try:
            manifest = read_checked(place / MANIFEST)
            if manifest["files"] != _digests(place):
                raise ValueError("its files are not those that were written")
            with orbax.StandardCheckpointer() as checkpointer:
                state = checkpointer.restore((place / STATE).absolute(), like)
            return Restored(state, manifest["notes"], tuple(refused))
        except (OSError, ValueError, KeyError, TypeError) as error:
            refused.append(f"{place.name}: {one_line(str(error), 200)}")
    if refused:
        raise CheckpointError("; ".join(refused))
    return None


def kept_notes(folder: Path) -> list[dict[str, Any]]:
    """Return what was kept beside the state in each checkpoint, the oldest first.

    Those whose manifest is damaged are left out.
    """
    notes = []
    for place in _places(folder):
        with suppress(OSError, ValueError):
            notes.append(read_checked(place / MANIFEST)["notes"])
    return notes


def _places(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.name.isdigit())


def _digests(place: Path) -> dict[str, str]:
    files = sorted(path for path in (place / STATE).rglob("*") if path.is_file())
    return {str(path.relative_to(place)): sha256(path.read_bytes()).hexdigest() for path in files}
