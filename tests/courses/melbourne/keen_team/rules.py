"""A board that is kept up to date only by `update`."""


class Rules:
    def __init__(self):
        columns = (0, 1, 3, 4, 6, 7)
        self.stacks = {(x, y): 1 for x in columns for y in (0, 1)}
        self.stacks.update({(x, y): -1 for x in columns for y in (6, 7)})

    def apply(self, action):
        if action[0] == "BOOM":
            self.boom(action[1])
            return
        _, tokens, start, end = action
        sign = 1 if self.stacks[start] > 0 else -1
        self.stacks[start] -= sign * tokens
        self.stacks[end] = self.stacks.get(end, 0) + sign * tokens
        if not self.stacks[start]:
            del self.stacks[start]

    def boom(self, place):
        if self.stacks.pop(place, 0):
            for x in (-1, 0, 1):
                for y in (-1, 0, 1):
                    self.boom((place[0] + x, place[1] + y))

    def actions(self, sign):
        for (x, y), tokens in sorted(self.stacks.items()):
            if tokens * sign > 0:
                yield "BOOM", (x, y)
                for far in range(1, abs(tokens) + 1):
                    for end in ((x + far, y), (x - far, y), (x, y + far), (x, y - far)):
                        inside = 0 <= end[0] < 8 and 0 <= end[1] < 8
                        if inside and self.stacks.get(end, 0) * sign >= 0:
                            for number in range(1, abs(tokens) + 1):
                                yield "MOVE", number, (x, y), end

    def lead(self, sign):
        return sign * sum(self.stacks.values())
