"""The solver's search: negamax with null windows, a table of bounds, and one ply of foresight.

A score counts from the player to move: k for a win with which k - 1 more stones of one's own would
have fitted on the board, -k for such a loss, 0 for a tie. So a score above k asks for a win within
so many plies, and asking for quick wins first is a kind of iterative deepening.
"""

from __future__ import annotations

import numpy as np

from plyground.bitboard import count, load_board, low_word, prefetch_board, store_board, widen
from plyground.compile import helper, offset
from plyground.control import NODE_LIMIT, NODES, STOP, is_late
from plyground.games.connect_n.boards import (
    BOARD,
    COLUMNS,
    FLOOR,
    MULTIPLIER,
    WIDEST,
    has_line,
    has_several,
    highest,
    lowest_claim,
    mask,
    mirrored,
    playable,
    safe_replies,
    threats,
)

BETWEEN = 1024
"""Nodes between two looks at the clock and at STOP: some 0.2 milliseconds."""

SCORE_BITS, WORK_BITS = 7, 4
LEAST_SLOT_BITS = 2 * SCORE_BITS + WORK_BITS
"""An entry of the table is a key without the bits that number its slot, and in their place a lower
bound, an upper bound, and the work that they took; so there must be as many."""

OFFSET, FIELD, MOST_WORK = 1 << (SCORE_BITS - 1), (1 << SCORE_BITS) - 1, (1 << WORK_BITS) - 1
UNKNOWN = -1
CHILD = 4
"""Boards of a move: all stones after it, the threats it makes, the replies to it, its key."""
QUICK = 4
"""Weight of an opponent's reply against a threat where a quick win is asked for."""


@helper
def must_halt(work):
    """Return whether the search is to end: told so, at a limit, or at the end of this slice."""
    if is_late(work.control) or work.control[NODES] >= work.control[NODE_LIMIT]:
        work.control[STOP] = 1
    if work.control[STOP] or work.control[NODES] >= work.slice_end:
        work.halted, work.pause = 1, 0
        return True
    work.pause = min(work.control[NODES] + BETWEEN, min(work.control[NODE_LIMIT], work.slice_end))
    return False


@helper
def spread_key(own, taken, moves, work):
    """Return the key of a position, spread over all bits; early on the same for mirror images."""
    key = own + taken + mask(work, FLOOR, own)
    if 3 * moves < work.cells:
        image = mirrored(key, work)
        if image < key:
            key = image
    return key * mask(work, MULTIPLIER, own)


@helper
def find(key, work):
    """Return what the table knows of a key, or UNKNOWN."""
    slot_bits = work.slot_bits
    first = low_word(key >> work.tag_shift) << 1
    tag = key << slot_bits
    for entry in range(2):
        data = load_board(work.table, first + entry, key) ^ tag
        if not (data >> slot_bits):
            return low_word(data)
    return np.int64(UNKNOWN)


@helper
def keep(key, least, most, spent, work):
    """Put bounds into the table: the one of two entries that took more work stays."""
    slot_bits = work.slot_bits
    first = low_word(key >> work.tag_shift) << 1
    tag = key << slot_bits
    effort = 0
    while spent > 0 and effort < MOST_WORK:
        spent >>= 2
        effort += 1
    data = (least + OFFSET) | (most + OFFSET) << SCORE_BITS | effort << (2 * SCORE_BITS)
    entry = tag | widen(data, key)
    older = load_board(work.table, first, key)
    if (older ^ tag) >> slot_bits:
        took_more = (low_word(older) >> (2 * SCORE_BITS)) & MOST_WORK > effort
        if took_more or not ((load_board(work.table, first + 1, key) ^ tag) >> slot_bits):
            first += 1
        else:
            store_board(work.table, first + 1, older)
    store_board(work.table, first, entry)


@helper
def search(own, taken, moves, alpha, beta, danger, replies, key, work):
    """Return the score of the player to move if it lies within the window, else a bound of it.

    `danger` marks the cells in which the other would win, `replies` the moves that do not lose at
    once: there is one, and none wins at once. `key` is the position's spread key.
    """
    cells, width = work.cells, work.width
    sign, jumped = np.int64(1), False
    while True:
        work.control[NODES] += 1
        if work.control[NODES] >= work.pause and must_halt(work):
            return np.int64(0)
        soonest_loss, soonest_win = -((cells - moves - 2) >> 1), (cells - moves - 1) >> 1
        if alpha < soonest_loss:
            alpha = soonest_loss
            if alpha >= beta:
                return sign * alpha
        if beta > soonest_win:
            beta = soonest_win
            if alpha >= beta:
                return sign * beta
        if has_several(replies):
            break
        own |= replies  # a forced move is played without a look at the table
        taken |= replies
        danger = threats(own, taken, work)
        replies = safe_replies(taken, danger, work)
        if not replies:
            return sign * soonest_win
        moves += 1
        if moves >= cells - 2:
            return np.int64(0)
        own = own ^ taken
        alpha, beta, sign = -beta, -alpha, -sign
        jumped = True
    if jumped:
        key = spread_key(own, taken, moves, work)
    least, most = np.int64(-OFFSET), np.int64(OFFSET - 1)
    known = find(key, work)
    if known >= 0:
        least, most = (known & FIELD) - OFFSET, (known >> SCORE_BITS & FIELD) - OFFSET
        if least > alpha:
            alpha = least
            if alpha >= beta:
                return sign * alpha
        if most < beta:
            beta = most
            if alpha >= beta:
                return sign * beta
    other = own ^ taken
    last_move = (cells - moves) & 1 == 1  # whether the player to move would fill the board
    if 3 * moves >= 2 * cells:
        free = ~taken & mask(work, BOARD, own)
        if beta > 0 and not has_line(own | free, work):
            beta = np.int64(0)
            if alpha >= beta:
                return beta
        if alpha < 0 and not has_line(other | free, work):
            alpha = np.int64(0)
            if alpha >= beta:
                return alpha
    if last_move and alpha < 1:
        bound = lowest_claim(own, taken, work)
        if bound > alpha:
            alpha = bound
            if alpha >= beta:
                return sign * alpha
    if jumped and beta > -(work.height >> 1):  # else the position before has looked
        bound = highest(own, taken, danger, moves, work)
        if bound < beta:
            beta = bound
            if alpha >= beta:
                return sign * beta

    order, first = offset(work.order, WIDEST * moves), CHILD * width * moves
    children = work.children
    tried = 0
    for index in range(width):
        stone = replies & mask(work, COLUMNS + index, own)
        if stone:
            after = taken | stone
            made = threats(own | stone, after, work)
            answers = safe_replies(after, made, work)
            if not answers:
                return sign * soonest_win
            child = spread_key(other, after, moves + 1, work)
            prefetch_board(work.table, low_word(child >> work.tag_shift) << 1, child)
            store_board(children, first, after)
            store_board(children, first + 1, made)
            store_board(children, first + 2, answers)
            store_board(children, first + 3, child)
            rank = count(made) << 4
            if work.quick:
                rank -= count(answers) * QUICK
            rank = rank * WIDEST - tried
            place = tried
            while place > 0 and order[place - 1] < rank:
                order[place] = order[place - 1]
                place -= 1
            order[place] = rank
            tried += 1
            first += CHILD
    if moves >= cells - 3:
        return np.int64(0)
    if beta == soonest_win:  # no move wins as soon as that
        beta -= 1
        if alpha >= beta:
            return sign * beta
    first = CHILD * width * moves
    if moves < cells - 6:  # a child that is known to be bad for the other
        for index in range(tried):
            at = first + CHILD * (-order[index] & (WIDEST - 1))
            known = find(load_board(children, at + 3, own), work)
            if known >= 0:
                score = OFFSET - (known >> SCORE_BITS & FIELD)
                if score >= beta:
                    return sign * score
    if beta <= (1 if last_move else work.height >> 1):
        for index in range(tried):
            at = first + CHILD * (-order[index] & (WIDEST - 1))
            after, made = load_board(children, at, own), load_board(children, at + 1, own)
            score = -highest(other, after, made, moves + 1, work)
            if score >= beta:
                return sign * score
    before, best, raised = work.control[NODES], np.int64(-OFFSET), alpha
    for index in range(tried):
        at = first + CHILD * (-order[index] & (WIDEST - 1))
        after, made = load_board(children, at, own), load_board(children, at + 1, own)
        answers, child = load_board(children, at + 2, own), load_board(children, at + 3, own)
        score = -search(other, after, moves + 1, -beta, -raised, made, answers, child, work)
        if work.halted:
            return np.int64(0)
        best = max(best, score)
        raised = max(raised, score)
        if best >= beta:
            break
    if best > alpha:
        least = max(least, best)
    if best < beta:
        most = min(most, best)
    keep(key, least, most, work.control[NODES] - before, work)
    return sign * best


@helper
def score_within(own, taken, moves, alpha, beta, work):
    """Return the score of a position, exact within the window; the last stone made no line."""
    left = work.cells - moves
    if threats(own, taken, work) & playable(taken, work):
        return (left + 1) >> 1
    danger = threats(own ^ taken, taken, work)
    replies = safe_replies(taken, danger, work)
    if left == 0:
        return np.int64(0)
    if not replies:
        return -(left >> 1)
    if left <= 2:
        return np.int64(0)
    key = spread_key(own, taken, moves, work)
    return search(own, taken, moves, alpha, beta, danger, replies, key, work)
