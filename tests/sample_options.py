"""Options of every type, for the tests of parsing."""

from plyground import option
from plyground.options import Kind, Options


class Sample(Options):
    """One option of every type."""

    name = "sample"

    whole: int = option(1, low=-5, high=5)
    real: float | None = option(None, low=0)
    flag: bool = option(False)
    words: tuple[str, ...] = option(())
    colour: str = option("red", choices=("red", "green"))
    pair: tuple[int, int] = option((1, 2), high=9)
    data: str = option("plain", kind=Kind.FILE, choices=("plain",))
    program: str = option("", kind=Kind.PROGRAM)
    command: str = option("", kind=Kind.COMMAND)
    player: str = option("random", kind=Kind.AGENT)
    heuristic: str = option("", kind=Kind.EVALUATOR)
