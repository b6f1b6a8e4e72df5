"""Proving scores: which windows the search is asked for, many positions in one call, best lines."""

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
def solve_one(own, taken, moves, weak, work):
    """Return the score of a position, or with `weak` one of the same sign."""
    left, small = work.cells - moves, small_score(work)
    if has_line(own ^ taken, work):
        return -((left + 2) >> 1)
    low, high = -(left >> 1), (left + 1) >> 1
    while low < high and not (weak and (low > 0 or high < 0)):
        test = next_test(low, high, small)
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
def follow(own, taken, moves, score, line, work):
    """Write a best line from a position of known score, as far as it gets; return its length."""
    work.quick = abs(score) >= small_score(work)
    length = 0
    if has_line(own ^ taken, work):
        return length
    while moves < work.cells:
        fitting = playable(taken, work)
        wins = threats(own, taken, work) & fitting
        other, after = own ^ taken, taken
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
                    return length
                is_best = -reply >= score
            if is_best:
                beneath = (column & -column) - widen(np.int64(1), column)
                line[length] = count(beneath) // (work.height + 1)
                break
        length += 1
        if wins:
            break
        own, taken, moves, score = other, after, moves + 1, -score
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
        scores[number] = solve_one(own, taken, moves[number], weak, work)
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
