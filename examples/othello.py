"""Othello with heuristic, ordering, symmetry and picture: `plyground play examples/othello.py`."""

from plyground import Evaluator, Facts, Game, Kernels, helper, kernel, option, popcount
from plyground.arithmetic import split, write_bits
from plyground.errors import TextError
from plyground.picture import Picture

PLAYER, DISCS = range(2)  # the words of the state; DISCS + player: that player's discs as bits
TURNS = (" x", " o")  # how a text ends: who is to move
SIZE, CELLS, PASS = 8, 64, 64  # cell a1 is bit 0, b1 is bit 1; an action is a cell, or to pass
CORNERS = 1 | 1 << 7 | 1 << 56 | -1 << 63  # bit 63 is the sign of the word
NOT_A, NOT_H, NOT_8 = ~0x0101010101010101, 0x7F7F7F7F7F7F7F7F, (1 << 56) - 1  # columns, last row
STEPS = (1, -1, 8, -8, 9, -9, 7, -7)  # the directions, as steps from bit to bit
# By direction, the cells that a step can reach; the others are reached only around an edge.
REACHED = (NOT_A, NOT_H, -1, NOT_8, NOT_A, NOT_H & NOT_8, NOT_H, NOT_A & NOT_8)


@helper
def shifted(cells, direction):
    step = STEPS[direction]
    return (cells << step if step > 0 else cells >> -step) & REACHED[direction]


@helper
def moves(state, player):
    """Return where a player may place a disc: beyond a straight run of the other's discs."""
    own, other = state[DISCS + player], state[DISCS + 1 - player]
    cells = 0
    for direction in range(8):
        run = shifted(own, direction) & other
        for _ in range(SIZE - 3):
            run |= shifted(run, direction) & other
        cells |= shifted(run, direction) & ~(own | other)
    return cells


@kernel
def player(setup, state):
    return state[PLAYER]


@kernel
def legal(setup, state, out):
    out[0] = PASS
    return max(1, write_bits(moves(state, state[PLAYER]), out))


@kernel
def play(setup, state, action):
    mover = state[PLAYER]
    state[PLAYER] = 1 - mover
    if action == PASS:
        return
    own, other = state[DISCS + mover], state[DISCS + 1 - mover]
    flipped = 0
    for direction in range(8):
        run, cell = 0, shifted(1 << action, direction)
        while cell & other != 0:
            run |= cell
            cell = shifted(cell, direction)
        if cell & own != 0:
            flipped |= run
    state[DISCS + mover] = own | flipped | 1 << action
    state[DISCS + 1 - mover] = other & ~flipped


@kernel
def over(setup, state):
    return moves(state, 0) == 0 and moves(state, 1) == 0


@kernel
def returns(setup, state, out):
    lead = popcount(state[DISCS]) - popcount(state[DISCS + 1])
    out[0] = min(max(lead, -1), 1)
    out[1] = -out[0]


@kernel
def image_action(setup, action, symmetry):
    if action == PASS:
        return PASS
    cell = CELLS - 1 - action if symmetry & 1 else action  # turned by 180 degrees
    return cell % SIZE * SIZE + cell // SIZE if symmetry & 2 else cell  # mirrored in a diagonal


@kernel
def image(setup, state, symmetry, setup_out, state_out):
    state_out[PLAYER] = state[PLAYER]
    for discs in range(DISCS, DISCS + 2):
        state_out[discs] = 0
        for cell in range(CELLS):
            state_out[discs] |= (state[discs] >> cell & 1) << image_action(setup, cell, symmetry)


@kernel
def evaluate(setup, state, params, out):
    score = params[0] * (popcount(moves(state, 0)) - popcount(moves(state, 1)))
    score += params[1] * (popcount(state[DISCS] & CORNERS) - popcount(state[DISCS + 1] & CORNERS))
    out[0] = score / (1 + abs(score))  # strictly between -1 and 1
    out[1] = -out[0]


@kernel("order")
def corners_first(setup, state, action):
    """Try corners first."""
    return 0.0 if action == PASS else float(CORNERS >> action & 1)


class Mobility(Evaluator):
    """Count each side's moves and corners."""

    name, kernel = "mobility", evaluate
    move: float = option(0.05, low=0, high=1, help="value of one more move")
    corner: float = option(0.4, low=0, high=4, help="value of a corner")

    def params(self, game):
        return [self.move, self.corner]


class Othello(Game):
    name = "othello"
    kernels = Kernels(player, legal, play, over, returns, image=image, image_action=image_action)
    evaluators, advice = (Mobility,), (corners_first,)
    notation = "A move is a cell, such as d3, or pass. Player 1 has x, player 2 has o."

    def measure(self):
        return Facts(2, actions=CELLS + 1, branching=CELLS, longest=120, symmetries=4)

    def begin(self, seed):
        return [], [0, 1 << 28 | 1 << 35, 1 << 27 | 1 << 36]

    def write(self, position):
        mover, first, second = position.state.tolist()
        cells = (".xo"[(first >> at & 1) + 2 * (second >> at & 1)] for at in range(CELLS))
        return "".join(cells) + TURNS[mover]

    def read(self, text):
        if len(text) != CELLS + 2 or set(text[:CELLS]) - set(".xo") or text[CELLS:] not in TURNS:
            raise TextError("othello: write 64 cells as x, o or '.', then who moves: x or o")
        discs = (sum(1 << at for at in range(CELLS) if text[at] == mark) for mark in "xo")
        return [], [TURNS.index(text[CELLS:]), *(split(bits, 1)[0] for bits in discs)]

    def format(self, position, action):
        return "pass" if action == PASS else f"{'abcdefgh'[action % SIZE]}{action // SIZE + 1}"

    def rows(self, position):
        text = self.write(position)
        ranks = [f"{y + 1} {' '.join(text[y * SIZE : y * SIZE + SIZE])}" for y in range(SIZE)]
        return [[(line, "")] for line in (*ranks, "  a b c d e f g h")]

    def draw(self, position):
        picture = Picture(SIZE, SIZE, self.name)
        picture.rectangle(0, 0, SIZE, SIZE, "#2e7d4f")
        for cell, mark in enumerate(self.write(position)[:CELLS]):
            if mark != ".":
                colour = "#16191d" if mark == "x" else "#f4f1ea"
                picture.circle(cell % SIZE + 0.5, cell // SIZE + 0.5, 0.4, colour)
        return picture
