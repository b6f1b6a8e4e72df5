"""The command `agents`: lists the agents and their options."""

from __future__ import annotations

from plyground.agents import AGENTS
from plyground.cli.arguments import Json, print_json
from plyground.cli.descriptions import print_described


def agents(as_json: Json = False) -> None:
    """List the agents and their options."""
    described = [AGENTS.find(name).describe() for name in AGENTS.names()]
    if as_json:
        print_json(described)
        return
    for each in described:
        print_described(each)
