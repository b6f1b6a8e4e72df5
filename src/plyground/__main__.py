"""Run the command `plyground` as `python -m plyground`."""

from plyground.cli.main import main

if __name__ == "__main__":  # worker processes import this module under another name
    main()
