with open("/kaggle_simulations/agent/weights.txt") as file:
    WEIGHTS = [int(word) for word in file.read().split()]
