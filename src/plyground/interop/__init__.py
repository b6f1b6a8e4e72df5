"""Plyground's games in other tools; each module needs a package of the extra `interop`."""

from __future__ import annotations

from plyground.errors import PlygroundError


class NotInstalledError(PlygroundError):
    """A package that only interop needs is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'plyground[interop]'")
