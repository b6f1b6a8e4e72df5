"""Trainings on the site: the curves in the folders that were named at the start."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path as File
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from plyground.errors import OptionError
from plyground.web.games import NotFoundError

CURVE = "curve.jsonl"
MOST_ROWS = 2000
"""Rows of a curve that are sent at a time: the newest."""
RUNNING = 60.0
"""Seconds after its last row for which a training counts as under way."""


class Trainings:
    """Folders of trainings; rows of their curves are read when they are asked for."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = [File(folder) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise OptionError(f"--training {folder}: there is no such folder")

    def __len__(self) -> int:
        return len(self._folders)

    def rows(self, number: int, after: int) -> list[dict[str, Any]]:
        """Return the newest rows of a curve, of those after a step."""
        if not 1 <= number <= len(self._folders):
            raise NotFoundError(f"there is no training {number}")
        path = self._folders[number - 1] / CURVE
        rows = []
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return []
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # its last line is being written, or it was damaged
            if isinstance(row, dict) and isinstance(row.get("step"), int) and row["step"] > after:
                rows.append(row)
        return rows[-MOST_ROWS:]

    def summary(self, number: int) -> dict[str, Any]:
        """Return a training in short, as plain data."""
        folder = self._folders[number - 1]
        path = folder / CURVE
        changed = path.stat().st_mtime if path.is_file() else 0.0
        rows = self.rows(number, -1)
        return {
            "training": number,
            "name": folder.name,
            "rows": len(rows),
            "step": rows[-1]["step"] if rows else 0,
            "running": time.time() - changed < RUNNING,
        }


def new_router(trainings: Trainings) -> APIRouter:
    """Return the routes of trainings."""
    router = APIRouter(prefix="/api/trainings", tags=["learn"])

    @router.get("")
    def list_trainings() -> dict[str, Any]:
        """List the trainings in the folders named at the start."""
        return {"trainings": [trainings.summary(at + 1) for at in range(len(trainings))]}

    @router.get("/{number}")
    def read_training(
        number: Annotated[int, Path(ge=1, le=1000)],
        after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
    ) -> dict[str, Any]:
        """Return the newest rows of a training's curve, of those after a step."""
        rows = trainings.rows(number, after)
        return trainings.summary(number) | {"rows": rows}

    return router
