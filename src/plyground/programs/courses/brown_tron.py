"""Tron bots of Brown's CSCI 1410: `StudentBot.decide(asp)` and `cleanup()`.

`python brown_tron.py bots.py StudentBot`
"""

import copy
import sys

import plyground_shim as shim


def read_state(text):
    """Return the course's state of a position's text."""
    from tronproblem import TronState
    from trontypes import PowerupType

    rows, mover, *fields = text.split(" ")
    values = dict(field.split("=") for field in fields)
    board = [list(row.replace(".", " ")) for row in rows.split("/")]
    places = {
        cell: (row, column)
        for row, line in enumerate(board)
        for column, cell in enumerate(line)
        if cell in "12"
    }
    powerups = {0: {}, 1: {}}
    for player in values.get("armor", ""):
        powerups[int(player) - 1][PowerupType.ARMOR] = 1
    for player, moves in enumerate(values.get("speed", "0,0").split(",")):
        if moves != "0":
            powerups[player][PowerupType.SPEED] = int(moves)
    return TronState(board, [places["1"], places["2"]], int(mover) - 1, powerups)


def main(path, name):
    shim.offer("brown")
    bots = []

    def begin(new_game):
        bots.append(getattr(shim.load(path), name)())

    def choose(turn):
        from tronproblem import TronProblem

        problem = TronProblem.from_state(read_state(turn["position"]))
        return bots[0].decide(copy.deepcopy(problem))

    def finish():
        bots[0].cleanup()

    shim.serve(begin, choose, finish)


if __name__ == "__main__":
    main(*sys.argv[1:])
