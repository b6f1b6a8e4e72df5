"""The command `serve`: the site."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from plyground.arena.store import default_location
from plyground.arena.workers import cores
from plyground.cli.arguments import Json, StoreToWrite, Strict, print_json, say
from plyground.errors import OptionError

NEEDED = ("fastapi", "uvicorn", "websockets")


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; if other machines can reach it, requests need a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free one.")] = 8000,
    games: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="FILE", help="A .py file of a game to offer; repeatable."),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="SPEC",
            help="An agent to offer, as LABEL=SPEC if wanted; repeatable.",
        ),
    ] = None,
    trainings: Annotated[
        list[str] | None,
        typer.Option(
            "--training", metavar="FOLDER", help="Folder of a training to show; repeatable."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that think (default: one per core, at least 2)."),
    ] = None,
    store: StoreToWrite = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Open a local site where games are played, watched and analysed in the browser."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise OptionError(f"the site needs {', '.join(missing)}: pip install 'plyground[web]'")
    from plyground.web.app import Settings  # slow, and needed by this command only
    from plyground.web.catalogue import Catalogue
    from plyground.web.learning import Trainings
    from plyground.web.rules_apart import rules_apart
    from plyground.web.security import is_local, new_token
    from plyground.web.server import address_of, listen, run

    catalogue = Catalogue(games or (), agents or ())
    token = "" if is_local(host) else new_token()
    with ExitStack() as stack:
        location = store or default_location()
        if location == "none":
            location = str(Path(stack.enter_context(TemporaryDirectory())) / "games.sqlite")
        listening = stack.enter_context(listen(host, port))
        stack.enter_context(rules_apart(catalogue))
        address = address_of(listening)
        settings = Settings(
            catalogue, Trainings(trainings or ()), location, workers or max(2, cores()),
            host, token, address,
        )  # fmt: skip
        shown = f"{address}/?token={token}" if token else address

        def ready() -> None:
            if as_json:
                print_json({"address": shown})
            else:
                say(f"open {shown} in a browser; Ctrl-C ends the server")

        run(settings, listening, ready)
