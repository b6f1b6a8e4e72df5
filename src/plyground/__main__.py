"""`python -m plyground` is the command `plyground`."""

from plyground.cli.main import main

if __name__ == "__main__":  # workers import it under another name
    main()
