"""Golden games: each file in playthroughs/ is played again and must come out letter by letter.

A file holds games, each begun by a line `# spec` and led on by lines `plays action`; all else in it
is what the game said. `python tests/test_playthroughs.py --write` writes that down anew after a
change that is meant, or for new games of which only those lines stand in the file, with an empty
line before each; read the difference before committing it.
"""

import sys
from pathlib import Path

import pytest

from plyground import load_game

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))


def describe(position):
    """Write down all that can be asked of a position."""
    legal = " ".join(map(position.format, position.legal_actions))
    written = [
        f"ply {position.ply}",
        str(position),
        f"text {position.to_text()}",
        f"player {position.player}",
        f"legal {legal or 'nothing'}",
        f"key {position.key:016x}",
    ]
    if position.is_over:
        written.append(f"returns {' '.join(f'{value:g}' for value in position.returns)}")
    else:
        for each in position.game.evaluators:
            values = " ".join(f"{value:.6f}" for value in position.evaluate(each.name))
            written.append(f"{each.name} {values}")
    return "\n".join(written)


def played_again(text):
    """Play the games of a file and write down every position."""
    written = []
    before = ""
    for line in text.splitlines():
        if not before and line.startswith("# "):
            position = load_game(line.removeprefix("# ")).start()
            written += [line, describe(position)]
        elif not before and line.startswith("plays "):
            position = position.play(position.parse(line.removeprefix("plays ")))
            written.append(f"{line}\n{describe(position)}")
        before = line
    return "\n\n".join(written) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_playthrough_comes_out_as_written(file):
    text = file.read_text()
    assert text.startswith("# ")
    assert played_again(text) == text


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for file in FILES:
        file.write_text(played_again(file.read_text()))
