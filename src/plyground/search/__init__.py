"""Compiled search algorithms for any game, whose rules they call through a table of kernels."""
