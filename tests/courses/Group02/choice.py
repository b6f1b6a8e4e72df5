def middle(brd):
    """Return the free column nearest the middle."""
    return min(brd.free_cols(), key=lambda column: abs(column - brd.w // 2))
