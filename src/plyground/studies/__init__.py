"""The tables of the five original studies, measured again: one module per table.

A module in this package is registered by its being here.
"""

from __future__ import annotations

from plyground.registry import Registry
from plyground.studies.study import Study

STUDIES: Registry[Study] = Registry(Study, __name__, list(__path__))  # type: ignore[type-abstract]
