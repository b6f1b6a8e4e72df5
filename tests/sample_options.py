"""Options of every type, for the tests of what is read and what is refused."""

from plyground import option
from plyground.options import Options


class Sample(Options):
    """One option of every type."""

    name = "sample"

    whole: int = option(1, low=-5, high=5)
    real: float | None = option(None, low=0)
    flag: bool = option(False)
    words: tuple[str, ...] = option(())
    colour: str = option("red", choices=("red", "green"))
