"""What a simulated emulator that ends with its standard input reads there: whether its window is wanted."""

SHOW_WINDOW, HIDE_WINDOW = b"+", b"-"
