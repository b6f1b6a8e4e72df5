"""`python -m plyground` is the command `plyground`."""

from plyground.ui.cli import main

main()
