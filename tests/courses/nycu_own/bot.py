"""A student's file that is imported as a module and needs NumPy arrays as boards."""

import STcpClient

prepared = []


def InitPos(mapStat):
    prepared.append(mapStat)
    board = mapStat.copy()
    board[0][0] = 7
    assert mapStat[0][0] != 7, "a copy has rows of its own"
    size = mapStat.shape[0]
    for x in range(size):
        for y in range(size):
            near = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
            edge = any(not (0 <= a < size and 0 <= b < size) or mapStat[a, b] == -1 for a, b in near)
            if mapStat[x, y] == 0 and edge:
                return [x, y]


def GetStep(playerID, mapStat, sheepStat):
    assert len(prepared) == 1
    assert not (prepared[0] == playerID).any(), "asked before it was placed"
    assert prepared[0].max() < playerID, "earlier players alone had placed"
    for x, y in zip(*(sheepStat * (mapStat == playerID) > 1).nonzero()):
        for d in (1, 2, 3, 4, 6, 7, 8, 9):
            a, b = x + (d - 1) % 3 - 1, y + (d - 1) // 3 - 1
            if 0 <= a < mapStat.shape[0] and 0 <= b < mapStat.shape[1] and mapStat[a, b] == 0:
                return [(x, y), sheepStat[x, y] // 2, d]
