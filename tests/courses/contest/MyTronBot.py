"""A program for the Tron contest of 2010: it takes the first open direction, preferring walls."""

import sys

while True:
    header = sys.stdin.readline().split()
    if not header:
        break
    width, height = map(int, header)
    rows = [sys.stdin.readline().rstrip("\n") for _ in range(height)]
    assert all(len(row) == width for row in rows)
    x, y = next((row.index("1"), y) for y, row in enumerate(rows) if "1" in row)

    def walls(x, y):
        return sum(rows[b][a] != " " for a, b in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)))

    ways = [
        (walls(a, b), number)
        for number, (a, b) in enumerate(((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)), start=1)
        if rows[b][a] == " "
    ]
    print(max(ways)[1] if ways else 1)
    sys.stdout.flush()
