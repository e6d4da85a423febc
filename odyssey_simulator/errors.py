"""What a caller of the simulator can be told."""


class SimulatorError(Exception):
    """The message, which can be shown to the user, says what failed and what to do."""
