"""The system's own user interface around and between apps."""
