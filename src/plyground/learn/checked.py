"""JSON files that hold a digest of their content, so that damage is noticed."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any


def write_checked(path: Path, content: dict[str, Any]) -> None:
    """Write plain data; the file is there whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"digest": _digest(content)} | content, indent=1) + "\n")
    partial.replace(path)


def read_checked(path: Path) -> dict[str, Any]:
    """Return what `write_checked` wrote; raise ValueError if it is damaged."""
    try:
        content = json.loads(path.read_text())
    except RecursionError:
        raise ValueError(f"{path.name} is damaged") from None
    if not isinstance(content, dict) or content.pop("digest", None) != _digest(content):
        raise ValueError(f"{path.name} is damaged")
    return content


def _digest(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()
