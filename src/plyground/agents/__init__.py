"""The agents: one module each, found by its being here; outside ones by the entry-point group."""

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
)
load_agent = AGENTS.load
