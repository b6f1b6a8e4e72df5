"""A submission of several files, which names them as they lie at Kaggle."""

import os
import sys

FOLDER = "/kaggle_simulations/agent"
assert os.path.exists(FOLDER)
sys.path.append("/kaggle_simulations/agent/lib")

from opinion import WEIGHTS


def agent(observation, configuration):
    legal = [column for column in range(configuration.columns) if not observation.board[column]]
    return max(legal, key=lambda column: WEIGHTS[column])
