"""The command `games`: lists the games, or describes one with its options."""

from __future__ import annotations

from typing import Annotated

import typer

from plyground.cli.arguments import Json, print_json
from plyground.cli.descriptions import print_described, print_list
from plyground.games import GAMES


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Describe this game: a name or .py file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the games, or everything about one of them."""
    if name is None:
        every = [GAMES.find(each).describe() for each in GAMES.names()]
        if as_json:
            print_json(every)
        else:
            print_list(every, "games")
        return
    game = GAMES.find(name)
    described = game.describe()
    if as_json:
        print_json(described)
        return
    print_described(described)
    defaults = [each for each in game.declared() if isinstance(each.default, int)]
    setting = f" --set {defaults[0].name}={defaults[0].default}" if defaults else ""
    others = " random" * (game.make({}).facts.players - 1)
    print(f'\nExample: plyground match {name} "mcts(simulations=200)"{others}{setting}')
