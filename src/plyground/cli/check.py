"""The command `check`: tests a game against the laws of the contract."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from plyground.cli.arguments import GameName, Games, Json, Seed, Settings, print_json, read_game
from plyground.cli.terminal import console, progress, table
from plyground.game.check import TIMEOUT, Law
from plyground.game.check import check as check_laws
from plyground.text import counted


def check(
    game: GameName,
    games: Games = 100,
    seed: Seed = 0,
    settings: Settings = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a step counts as an endless loop.")
    ] = TIMEOUT,
    as_json: Json = False,
) -> None:
    """Test a game's rules on random games; exit with 1 if a law of the contract is broken.

    The rules run in separate processes: first as plain Python, where every index is checked and
    errors have line numbers, then compiled. The exit code is 2 if the game cannot be tested.
    """
    checked = read_game(game, settings)
    with progress() as bar:
        task = bar.add_task(f"checking {checked}", total=games)
        report = check_laws(
            checked, games, seed, lambda done: bar.update(task, completed=done), timeout
        )
    if as_json:
        laws = [asdict(law) | {"holds": law.holds} for law in report]
        print_json({"game": repr(checked), "laws": laws, "warnings": report.warnings})
    else:
        rows = [[_state(law), law.name, law.untested or law.cases] for law in report]
        console.print(table(["", "law", "cases"], rows, f"{checked}, {counted(games, 'game')}"))
        for law in report:
            if law.failure:
                console.print(f"broken: {law.failure}", style="red", markup=False, soft_wrap=True)
        for warning in report.warnings:
            console.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    if any(law.failure for law in report):
        raise typer.Exit(1)


def _state(law: Law) -> str:
    if law.failure:
        return "BROKEN"
    return "holds" if law.holds else "not tested"
