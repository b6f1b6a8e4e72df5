"""The command `agents`: lists the agents, or describes one with its options."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.agents import AGENTS
from plyground.agents.agent import Agent
from plyground.agents.course import Course, CourseFile
from plyground.cli.arguments import Json, print_json
from plyground.cli.descriptions import print_description, print_list
from plyground.games import GAMES


def agents(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Describe this agent: a name or .py file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the agents, or describe one of them with its options."""
    if name is None:
        descriptions = [AGENTS.find(agent).describe() for agent in AGENTS.names()]
        if as_json:
            print_json(descriptions)
        else:
            print_list(descriptions, "agents")
        return
    agent = AGENTS.find(name)
    description = agent.describe()
    if as_json:
        print_json(description)
    else:
        print_description(description)
        print(f"\nExample: {example(name, agent)}")


def example(name: str, agent: type[Agent]) -> str:
    """Return a command in which the agent plays a match."""
    options = {option.name: option for option in agent.declared()}
    if issubclass(agent, CourseFile):
        setting = "path='my_bot'" if agent.package else "path='my_bot.py'"
    elif "command" in options:
        setting = "command='./my_bot'"
    else:
        numeric = (option for option in options.values() if type(option.default) in (int, float))
        setting = next((f"{option.name}={option.default}" for option in numeric), "")
    spec = f'"{name}({setting})"' if setting else name
    game = agent.plays if issubclass(agent, Course) else agent.example_game
    others = " random" * (GAMES.load(game).facts.players - 1)
    return f"plyground match {game} {spec}{others}"
