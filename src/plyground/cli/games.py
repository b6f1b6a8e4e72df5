"""The command `games`: lists the games, or describes one with its options."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.cli.arguments import Json, print_json
from plyground.cli.descriptions import print_description, print_list
from plyground.games import GAMES


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Describe this game: a name or .py file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the games, or describe one of them with its options."""
    if name is None:
        descriptions = [GAMES.find(game).describe() for game in GAMES.names()]
        if as_json:
            print_json(descriptions)
        else:
            print_list(descriptions, "games")
        return
    game = GAMES.find(name)
    description = game.describe()
    if as_json:
        print_json(description)
        return
    print_description(description, game.notation)
    numeric = [option for option in game.declared() if isinstance(option.default, int)]
    setting = f" --set {numeric[0].name}={numeric[0].default}" if numeric else ""
    others = " random" * (game.make({}).facts.players - 1)
    print(f'\nExample: plyground match {name} "mcts(simulations=200)"{others}{setting}')
