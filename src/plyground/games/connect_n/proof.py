"""Proving scores: which windows the search is asked for, many positions in one call, best moves."""

from __future__ import annotations

import numpy as np

from plyground.bitboard import count, empty_64, empty_128, load_board, widen
from plyground.compile import clock, helper, loop, pointer
from plyground.control import NODES
from plyground.games.connect_n.boards import (
    COLUMNS,
    SolverWorkspace,
    has_line,
    mask,
    playable,
    threats,
)
from plyground.games.connect_n.negamax import score_within

NO_GUESS = np.int64(-1000)
"""Less than any score."""


@helper
def small_score(work):
    """Return the score from which on wins and losses count as quick."""
    return max(np.int64(1), work.cells // 8)


@helper
def next_test(low, high, small):
    """Choose the score to be compared with: quick wins and losses in turn, then any win at all.

    Quick ones are cheap to prove, and each test is helped by what the table knows of those before.
    Once the sign is known quick ones still come first, and slow ones one by one from the slowest.
    """
    win, loss = (3 * high) >> 2, -((-3 * low) >> 2)
    if low < 0 < high:
        if win >= -loss and win >= small:
            return win
        return loss if loss <= -small else np.int64(0)
    if low >= 0:
        return win if win >= small and win > low else low
    return loss if loss <= -small and loss < high - 1 else high - 1


@helper
def solve_one(own, taken, moves, weak, guess, work):
    """Return the score of a position, or with `weak` one of the same sign.

    Whether it is `guess` is tested first; `NO_GUESS` is no score.
    """
    left, small = work.cells - moves, small_score(work)
    if has_line(own ^ taken, work):
        return -((left + 2) >> 1)
    low, high = -(left >> 1), (left + 1) >> 1
    while low < high and not (weak and (low > 0 or high < 0)):
        test = next_test(low, high, small)
        if low < guess <= high:
            test = guess if guess < high else guess - 1
        work.quick = abs(test) >= small
        score = score_within(own, taken, moves, test, test + 1, work)
        if work.halted:
            return np.int64(0)
        if score <= test:
            high = score
        else:
            low = score
    return low if low > 0 else high


@helper
def column_at(index, like, work):
    """Return the number of a column, which are searched in another order."""
    column = mask(work, COLUMNS + index, like)
    beneath = (column & -column) - widen(np.int64(1), column)
    return np.int64(count(beneath) // (work.height + 1))


@helper
def best_moves(own, taken, moves, score, most, work):
    """Return the moves that keep a position's score, as bits in the order of the search.

    At most the first `most` ones.
    """
    work.quick = abs(score) >= small_score(work)
    fitting = playable(taken, work)
    wins = threats(own, taken, work) & fitting
    other, found, best = own ^ taken, 0, 0
    for index in range(work.width):
        column = mask(work, COLUMNS + index, own)
        after = taken | (fitting & column)
        if wins:
            is_best = bool(wins & column)
        elif after == taken:
            is_best = False
        else:
            reply = score_within(other, after, moves + 1, -score, 1 - score, work)
            if work.halted:
                return 0
            is_best = -reply >= score
        if is_best:
            best |= 1 << index
            found += 1
            if found == most:
                break
    return best


@helper
def follow(own, taken, moves, score, line, work):
    """Write a best line from a position of known score, as far as it gets; return its length.

    Of a score that may be higher than the one given, the first action alone is right.
    """
    length = 0
    while moves < work.cells and length < len(line) and not has_line(own ^ taken, work):
        best = best_moves(own, taken, moves, score, 1, work)
        if work.halted:
            break
        index = 0
        while best >> index & 1 == 0:
            index += 1
        line[length] = column_at(index, own, work)
        length += 1
        after = taken | (playable(taken, work) & mask(work, COLUMNS + index, own))
        own, taken, moves, score = own ^ taken, after, moves + 1, -score
    return length


@helper
def prove(like, work, boards, moves, weak, start, scores, nodes, nanoseconds, line):
    """Solve positions from number `start` on; return how many are solved in all.

    Where there is room in `line`, write a best line from the first position there.
    """
    work.halted = work.pause = 0
    for number in range(start, len(moves)):
        nodes_before, began = work.control[NODES], clock(work.cpu_clock)
        own = load_board(pointer(boards), 2 * number, like)
        taken = load_board(pointer(boards), 2 * number + 1, like)
        scores[number] = solve_one(own, taken, moves[number], weak, NO_GUESS, work)
        nodes[number] += work.control[NODES] - nodes_before
        nanoseconds[number] += clock(work.cpu_clock) - began
        if work.halted:
            return number
    if len(line):
        nodes_before, began = work.control[NODES], clock(work.cpu_clock)
        own, taken = load_board(pointer(boards), 0, like), load_board(pointer(boards), 1, like)
        work.line_length = follow(own, taken, moves[0], scores[0], line, work)
        nodes[0] += work.control[NODES] - nodes_before
        nanoseconds[0] += clock(work.cpu_clock) - began
    return len(moves)


@helper
def prove_back(like, work, boards, moves, start, scores, columns):
    """Solve the positions of a game and find their best columns, the last position first.

    Mostly a score is that of the position after it, for the other player: so that is tested first.
    """
    work.halted = work.pause = 0
    for number in range(start, len(moves)):
        own = load_board(pointer(boards), 2 * number, like)
        taken = load_board(pointer(boards), 2 * number + 1, like)
        guess = -scores[number - 1] if number else NO_GUESS
        score = solve_one(own, taken, moves[number], False, guess, work)
        best = 0
        if not work.halted:
            best = best_moves(own, taken, moves[number], score, work.width, work)
        if work.halted:
            return number
        scores[number], columns[number] = score, 0
        for index in range(work.width):
            if best >> index & 1:
                columns[number] |= 1 << column_at(index, own, work)
    return len(moves)


SIGNATURE = "i8(workspace, words, words, i8, i8, words, words, words, words)"


@loop(SIGNATURE, workspace=SolverWorkspace)
def prove_64(work, boards, moves, weak, start, scores, nodes, nanoseconds, line):
    """Solve positions on boards of 64 bits."""
    like = empty_64()
    return prove(like, work, boards, moves, weak, start, scores, nodes, nanoseconds, line)


@loop(SIGNATURE, workspace=SolverWorkspace)
def prove_128(work, boards, moves, weak, start, scores, nodes, nanoseconds, line):
    """Solve positions on boards of 128 bits."""
    like = empty_128()
    return prove(like, work, boards, moves, weak, start, scores, nodes, nanoseconds, line)


@loop("i8(workspace, words, words, i8, words, words)", workspace=SolverWorkspace)
def prove_back_64(work, boards, moves, start, scores, columns):
    """Solve the positions of a game on boards of 64 bits."""
    return prove_back(empty_64(), work, boards, moves, start, scores, columns)


@loop("i8(workspace, words, words, i8, words, words)", workspace=SolverWorkspace)
def prove_back_128(work, boards, moves, start, scores, columns):
    """Solve the positions of a game on boards of 128 bits."""
    return prove_back(empty_128(), work, boards, moves, start, scores, columns)
