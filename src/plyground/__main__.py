"""`python -m plyground` is the command `plyground`."""

from plyground.ui.cli import main

if __name__ == "__main__":  # workers import it under another name
    main()
