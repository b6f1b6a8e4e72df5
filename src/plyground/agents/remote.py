"""Programs that speak the protocol of docs/bot-protocol.md."""

from __future__ import annotations

from plyground.agents.program import ProgramAgent, split_command
from plyground.options import Kind, option


class Remote(ProgramAgent):
    """A program in any language that reads positions from standard input and writes moves."""

    name = "remote"
    command: str = option("", kind=Kind.COMMAND, help="program and its arguments")

    def program(self) -> list[str]:
        return split_command(self.name, self.command)
