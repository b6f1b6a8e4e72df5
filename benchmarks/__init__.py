"""Speed of Connect Four against peers measured in the same run: `python -m benchmarks`."""
