"""What people see: the command line, boards in the terminal, replays in the browser."""
