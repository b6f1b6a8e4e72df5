"""A student's file for the course on Battle Sheep."""

import random

STEPS = {d: ((d - 1) % 3 - 1, (d - 1) // 3 - 1) for d in range(1, 10) if d != 5}


def free(mapStat, x, y):
    return 0 <= x < len(mapStat) and 0 <= y < len(mapStat[0]) and mapStat[x][y] == 0


def InitPos(mapStat):
    size = len(mapStat)

    def border(x, y):
        near = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
        return any(not (0 <= a < size and 0 <= b < size) or mapStat[a][b] == -1 for a, b in near)

    places = [(x, y) for x in range(size) for y in range(size) if free(mapStat, x, y)]
    return list(random.choice([place for place in places if border(*place)]))


def GetStep(playerID, mapStat, sheepStat):
    best = []
    for x, column in enumerate(mapStat):
        for y, owner in enumerate(column):
            if owner == playerID and sheepStat[x][y] > 1:
                for d, (dx, dy) in STEPS.items():
                    if free(mapStat, x + dx, y + dy):
                        best.append((sheepStat[x][y], (x, y), d))
    count, place, d = max(best)
    return [place, count // 2, d]
