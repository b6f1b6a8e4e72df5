"""Our games in other people's tools; each module needs a package of the extra `interop`."""

from __future__ import annotations

from plyground.errors import PlygroundError


class NotInstalled(PlygroundError):
    """A package that is only needed here is missing."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'plyground[interop]'")
