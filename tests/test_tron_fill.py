"""Separated riders: a lead that the heuristic calls sure, against longest paths by brute force."""

from random import Random

import pytest

from plyground import load_game
from plyground.games.tron.fill import SURE

WIDTH, HEIGHT = 9, 6
MIDDLE = WIDTH // 2


def longest(free, cell):
    """Return the most cells that a rider on a cell can fill."""
    nearby = (cell - 1, cell + 1, cell - WIDTH, cell + WIDTH)
    return max((1 + longest(free - {near}, near) for near in nearby if near in free), default=0)


def separated(number):
    """Yield boards with a barrier between the riders and random others, and what each can fill."""
    random = Random(5)
    for _ in range(number):
        rows = [["#"] * WIDTH for _ in range(HEIGHT)]
        for row in rows[1:-1]:
            row[1:-1] = random.choices(".x", (7, 3), k=WIDTH - 2)
            row[MIDDLE] = "x"
        rows[random.randrange(1, HEIGHT - 1)][random.randrange(1, MIDDLE)] = "1"
        rows[random.randrange(1, HEIGHT - 1)][random.randrange(MIDDLE + 1, WIDTH - 1)] = "2"
        board = "".join(map("".join, rows))
        free = frozenset(cell for cell, symbol in enumerate(board) if symbol == ".")
        text = "/".join(map("".join, rows))
        yield text, longest(free, board.index("1")) - longest(free, board.index("2"))


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_sure_lead_wins_and_most_leads_are_sure(simultaneous):
    game = load_game(f"tron(map=room, width={WIDTH}, height={HEIGHT}, simultaneous={simultaneous})")
    sure = decided = 0
    for text, lead in separated(300):
        for mover in (1,) if simultaneous else (1, 2):
            tie = 0 if simultaneous else mover - 1.5  # by turns, who is to move loses a tie
            value = game.parse(f"{text} {mover}").evaluate("chambers")[0]
            decided += lead + tie != 0
            if abs(value) >= SURE:
                assert (value > 0) == (lead + tie > 0), text
                sure += 1
    assert sure > 0.9 * decided


def test_power_ups_may_open_a_way_so_that_no_lead_is_sure():
    row = "#" + "." * 3 + "x" + "." * 11 + "#"
    rows = ["#" * 17, row.replace("#.", "#1", 1), *[row] * 13, row[:-2] + "2#", "#" * 17]
    text = "/".join(rows) + " 1"
    plain, powered = (
        load_game(spec).parse(text).evaluate("chambers")[0]
        for spec in ("tron(map=room, width=17, height=17)", "tron(map=divider)")
    )
    assert plain < -SURE < powered < 0
