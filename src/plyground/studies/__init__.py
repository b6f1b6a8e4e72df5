"""The studies' tables, run again: one module each, found by its being here."""

from __future__ import annotations

from plyground.registry import Registry
from plyground.studies.study import Study

STUDIES: Registry[Study] = Registry(Study, __name__, list(__path__))  # type: ignore[type-abstract]
