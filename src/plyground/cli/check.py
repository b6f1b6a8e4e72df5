"""The command `check`: holds a game to the laws of the contract."""

from __future__ import annotations

from dataclasses import asdict

import typer

from plyground.cli.arguments import GameName, Games, Json, Seed, Settings, print_json, read_game
from plyground.cli.terminal import console, progress, table
from plyground.game.check import check as check_laws


def check(
    game: GameName,
    games: Games = 100,
    seed: Seed = 0,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Try the contract's laws on random games; exit 1 if one is broken."""
    played = read_game(game, settings)
    played.prepare()
    with progress() as bar:
        task = bar.add_task(f"checking {played}", total=games)
        laws = check_laws(played, games, seed, lambda done: bar.update(task, completed=done))
    if as_json:
        print_json(
            {"game": repr(played), "laws": [asdict(law) | {"holds": law.holds} for law in laws]}
        )
    else:
        rows = [["holds" if law.holds else "BROKEN", law.name, law.cases] for law in laws]
        console.print(table(["", "law", "cases"], rows, f"{played}, {games} games"))
        for law in laws:
            if law.failure:
                console.print(f"broken: {law.failure}", style="red", markup=False)
    if not all(law.holds for law in laws):
        raise typer.Exit(1)
