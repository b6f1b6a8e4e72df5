"""A student's agent for the course on Connect-N."""

import agent
import board


class AlphaBetaAgent(agent.Agent):
    """Wins if it can, prevents a loss if it must, else plays near the middle."""

    def __init__(self, name, max_depth):
        super().__init__(name)
        self.max_depth = max_depth

    def go(self, brd):
        assert isinstance(brd, board.Board)
        assert brd.player == self.player
        brd.print_it()
        middle = sorted(brd.free_cols(), key=lambda x: abs(x - brd.w // 2))
        for player in (self.player, 3 - self.player):
            for column in middle:
                after = brd.copy()
                after.player = player
                after.add_token(column)
                if after.get_outcome() == player:
                    return column
        return middle[0]


THE_AGENT = AlphaBetaAgent("Group01", 4)
