def my_agent(observation, configuration):
    from random import choice

    def winner(board, mark):
        rows, columns, n = configuration.rows, configuration.columns, configuration.inarow
        for row in range(rows):
            for column in range(columns):
                for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    line = [(row + step * down, column + step * across) for step in range(n)]
                    inside = all(0 <= y < rows and 0 <= x < columns for y, x in line)
                    if inside and all(board[y * columns + x] == mark for y, x in line):
                        return True
        return False

    def drop(column, mark):
        board = list(observation.board)
        free = [y for y in range(configuration["rows"]) if not board[y * configuration.columns + column]]
        board[free[-1] * configuration.columns + column] = mark
        return board

    legal = [column for column in range(configuration.columns) if observation.board[column] == 0]
    for mark in (observation.mark, 3 - observation["mark"]):
        for column in legal:
            if winner(drop(column, mark), mark):
                return column
    return choice(legal)
