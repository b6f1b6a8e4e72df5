"""The command `agents`: lists the agents, or describes one with its options."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.agents import AGENTS
from plyground.agents.agent import Agent
from plyground.agents.course import Course, CourseFile
from plyground.cli.arguments import Json, print_json
from plyground.cli.descriptions import print_described, print_list
from plyground.games import GAMES


def agents(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Describe this agent: a name or .py file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the agents, or everything about one of them."""
    if name is None:
        every = [AGENTS.find(each).describe() for each in AGENTS.names()]
        if as_json:
            print_json(every)
        else:
            print_list(every, "agents")
        return
    agent = AGENTS.find(name)
    described = agent.describe()
    if as_json:
        print_json(described)
    else:
        print_described(described)
        print(f"\nExample: {example(name, agent)}")


def example(name: str, agent: type[Agent]) -> str:
    """Return a command in which the agent plays a match."""
    options = {each.name: each for each in agent.declared()}
    if issubclass(agent, CourseFile):
        setting = "path='my_bot'" if agent.package else "path='my_bot.py'"
    elif "command" in options:
        setting = "command='./my_bot'"
    else:
        numbers = (each for each in options.values() if type(each.default) in (int, float))
        setting = next((f"{each.name}={each.default}" for each in numbers), "")
    spec = f'"{name}({setting})"' if setting else name
    game = agent.plays if issubclass(agent, Course) else agent.example_game
    others = " random" * (GAMES.load(game).facts.players - 1)
    return f"plyground match {game} {spec}{others}"
