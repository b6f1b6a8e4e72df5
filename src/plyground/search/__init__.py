"""Compiled algorithms that know no game: they call its rules through a table of kernels."""
