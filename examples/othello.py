"""Othello with all that a game may have: `plyground match examples/othello.py mcts alphabeta`."""

from plyground import Evaluator, Facts, Game, Kernels, helper, kernel, mix, option, popcount
from plyground.arithmetic import lowest, split
from plyground.errors import BadText
from plyground.picture import Picture

PLAYER, DISCS = range(2)  # the words of the state; DISCS + player: that player's discs as bits
SIZE, CELLS, PASS = 8, 64, 64  # cell a1 is bit 0, b1 is bit 1; an action is a cell, or to pass
MARKS = "xo"
SHIFTS = (1, -1, 8, -8, 9, -9, 7, -7)  # the directions, as steps from bit to bit


def bits(cells):
    """Return cells as the bits of one signed word."""
    return split(sum(1 << cell for cell in cells), 1)[0]


CORNERS = bits([0, 7, 56, 63])
ARRIVALS = tuple(  # by direction: the cells at which a step can arrive; none goes round an edge
    bits(to for to in range(CELLS) if 0 <= to - step < CELLS and abs(to % 8 - (to - step) % 8) <= 1)
    for step in SHIFTS
)


@helper
def shifted(cells, direction):
    shift = SHIFTS[direction]
    return (cells << shift if shift > 0 else cells >> -shift) & ARRIVALS[direction]


@helper
def moves(own, other):
    """Return where `own` may play: beyond a straight run of the other's discs."""
    found = 0
    for direction in range(8):
        run = shifted(own, direction) & other
        for _ in range(SIZE - 3):
            run |= shifted(run, direction) & other
        found |= shifted(run, direction) & ~(own | other)
    return found


@kernel
def player(setup, state):
    return state[PLAYER]


@kernel
def legal(setup, state, out):
    mover = state[PLAYER]
    free = moves(state[DISCS + mover], state[DISCS + 1 - mover])
    if free == 0:
        out[0] = PASS
        return 1
    count = 0
    while free != 0:
        out[count] = lowest(free)
        free &= free - 1
        count += 1
    return count


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
    first, second = state[DISCS], state[DISCS + 1]
    return moves(first, second) == 0 and moves(second, first) == 0


@kernel
def returns(setup, state, out):
    lead = popcount(state[DISCS]) - popcount(state[DISCS + 1])
    out[0] = min(max(lead, -1), 1)
    out[1] = -out[0]


@kernel
def key(setup, state):
    return mix(mix(mix(0, state[DISCS]), state[DISCS + 1]), state[PLAYER])


@kernel
def image_action(setup, action, symmetry):
    if action == PASS:
        return PASS
    x, y = action % SIZE, action // SIZE
    if symmetry & 1:
        x = SIZE - 1 - x
    if symmetry & 2:
        y = SIZE - 1 - y
    return x * SIZE + y if symmetry & 4 else y * SIZE + x


@kernel
def image(setup, state, symmetry, setup_out, state_out):
    state_out[PLAYER] = state[PLAYER]
    for discs in range(DISCS, DISCS + 2):
        state_out[discs] = 0
        for cell in range(CELLS):
            state_out[discs] |= (state[discs] >> cell & 1) << image_action(setup, cell, symmetry)


@kernel
def encode(setup, state, player, out):
    for cell in range(CELLS):
        out[cell] = state[DISCS + player] >> cell & 1
        out[CELLS + cell] = state[DISCS + 1 - player] >> cell & 1


@kernel
def evaluate(setup, state, params, out):
    first, second = state[DISCS], state[DISCS + 1]
    score = params[0] * (popcount(moves(first, second)) - popcount(moves(second, first)))
    score += params[1] * (popcount(first & CORNERS) - popcount(second & CORNERS))
    out[0] = score / (1 + abs(score))  # strictly between -1 and 1
    out[1] = -out[0]


@kernel("order")
def corners_first(setup, state, action):
    """Try corners first."""
    return 0.0 if action == PASS else float(CORNERS >> action & 1)


class Mobility(Evaluator):
    """Count each side's moves and corners."""

    name, kernel = "mobility", evaluate
    move: float = option(0.05, low=0, high=1, help="worth of one move more")
    corner: float = option(0.4, low=0, high=4, help="worth of a corner")

    def params(self, game):
        return [self.move, self.corner]


class Othello(Game):
    name = "othello"
    kernels = Kernels(player, legal, play, over, returns, key, image, image_action, encode=encode)
    evaluators, advice = (Mobility,), (corners_first,)

    def measure(self):
        return Facts(2, CELLS + 1, CELLS, longest=120, symmetries=8, planes=(2, SIZE, SIZE))

    def begin(self, seed):
        return [], [0, bits([28, 35]), bits([27, 36])]

    def write(self, position):
        mover, first, second = position.state.tolist()
        cells = (".xo"[(first >> at & 1) + 2 * (second >> at & 1)] for at in range(CELLS))
        return f"{''.join(cells)} {MARKS[mover]}"

    def read(self, text):
        cells, _, mover = text.partition(" ")
        if len(cells) != CELLS or set(cells) - {*MARKS, "."} or mover not in {*MARKS}:
            raise BadText(f"{self.name}: write 64 cells as x, o or '.', then who moves: x or o")
        discs = (bits(at for at in range(CELLS) if cells[at] == mark) for mark in MARKS)
        return [], [MARKS.index(mover), *discs]

    def format(self, position, action):
        return "pass" if action == PASS else f"{'abcdefgh'[action % SIZE]}{action // SIZE + 1}"

    def rows(self, position):
        text = self.write(position)
        ranks = [f"{y + 1} {' '.join(text[y * SIZE : y * SIZE + SIZE])}" for y in range(SIZE)]
        return [[(line, "")] for line in (*ranks, "  a b c d e f g h")]

    def clicks(self, position, action):
        return ("pass",) if action == PASS else (action,)

    def draw(self, position):
        picture = Picture(SIZE, SIZE, self.name)
        picture.rectangle(0, 0, SIZE, SIZE, "#2e7d4f")
        for cell, mark in enumerate(self.write(position)[:CELLS]):
            x, y = cell % SIZE, cell // SIZE
            picture.area(cell, x, y, 1, 1)
            picture.rectangle(x + 0.02, y + 0.02, 0.96, 0.96, "#37915e")
            if mark in MARKS:
                picture.circle(x + 0.5, y + 0.5, 0.4, "#16191d" if mark == "x" else "#f4f1ea")
        return picture
