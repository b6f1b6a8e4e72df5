"""The seeds' tables, run again: one module each, found by its being here."""

from __future__ import annotations

from plyground.experiments.experiment import Experiment
from plyground.options import Registry

EXPERIMENTS: Registry[Experiment] = Registry(Experiment, __name__, list(__path__))  # type: ignore[type-abstract]
