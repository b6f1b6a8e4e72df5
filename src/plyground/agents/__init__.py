"""The agents: one module each, found in this folder; other packages' agents by entry points."""

from __future__ import annotations

from plyground.agents.agent import Agent
from plyground.registry import Registry

AGENTS: Registry[Agent] = Registry(
    Agent,
    __name__,
    list(__path__),
    "bench",
    "course",
    "program",
    "thought",
    "trained",
    "trees",
)
load_agent = AGENTS.load
