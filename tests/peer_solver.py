"""A solver of Connect Four in plain Python that reads and writes as Pascal Pons's c4solver does.

One position per line on standard input, as the columns played from 1; for each a line with the
position and its exact score on standard output.
"""

import sys

WIDTH, HEIGHT = 7, 6


def wins(board: int) -> bool:
    """Return whether a side's stones, 7 bits per column, have four in a row."""
    for step in (1, HEIGHT, HEIGHT + 1, HEIGHT + 2):
        pairs = board & board >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def score(own: int, other: int, heights: tuple[int, ...], alpha: int, beta: int) -> int:
    """Return the stones that the winner has left at the end, negative if the other side wins."""
    left = WIDTH * HEIGHT - sum(heights)
    if left == 0:
        return 0
    free = [column for column in (3, 2, 4, 1, 5, 0, 6) if heights[column] < HEIGHT]
    moves = [(column, own | 1 << (HEIGHT + 1) * column + heights[column]) for column in free]
    if any(wins(after) for _, after in moves):
        return (left + 1) // 2
    for column, after in moves:
        higher = tuple(each + (at == column) for at, each in enumerate(heights))
        alpha = max(alpha, -score(other, after, higher, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def solve(columns: str) -> int:
    """Return the score of a position for the player to move."""
    own, other, heights = 0, 0, [0] * WIDTH
    for column in (int(letter) - 1 for letter in columns):
        stone = 1 << (HEIGHT + 1) * column + heights[column]
        own, other = other, own | stone
        heights[column] += 1
    return score(own, other, tuple(heights), -WIDTH * HEIGHT, WIDTH * HEIGHT)


if __name__ == "__main__":
    for line in sys.stdin:
        print(line.strip(), solve(line.strip()), flush=True)
