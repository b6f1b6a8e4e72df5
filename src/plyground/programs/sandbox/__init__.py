"""The sandbox: every program runs confined in a process of its own, and leaves nothing behind."""
