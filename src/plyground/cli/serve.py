"""The command `serve`: the site."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from plyground.errors import BadOption

NEEDED = ("fastapi", "uvicorn", "websockets")


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on; other than this machine's own, every request needs a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free one.")] = 8000,
) -> None:
    """Open a local site where games are played, watched and analysed in the browser."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BadOption(f"the site needs {', '.join(missing)}: pip install 'plyground[web]'")
    import uvicorn  # slow, and needed by this command only

    from plyground.web.app import new_application

    uvicorn.run(new_application(host), host=host, port=port, log_level="warning")
