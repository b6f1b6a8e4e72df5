"""Golden games: each file in playthroughs/ is played again and must give the same text.

A file holds games, each with a line `# spec` and lines `plays action`; everything else is output of
the game. `python tests/test_playthroughs.py --write` writes the output again after an intended
change, or for new games of which the file has only those lines, each after an empty line; read the
difference before committing it.
"""

import sys
from pathlib import Path

import pytest

from plyground import load_game

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))


def describe(position):
    """Return all properties of a position as lines of text."""
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
    """Play the games of a file and return the text of every position."""
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
