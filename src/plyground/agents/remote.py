"""Any program that speaks the protocol of docs/bot-protocol.md."""

from __future__ import annotations

from plyground.agents.program import ProgramAgent, split_command
from plyground.options import Kind, option


class Remote(ProgramAgent):
    """Ask another program, in any language, over its standard input and output."""

    name = "remote"
    command: str = option("", kind=Kind.COMMAND, help="the program and its arguments")

    def program(self) -> list[str]:
        return split_command(self.name, self.command)
