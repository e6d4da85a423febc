"""Where a recording stands: the states that both kinds of session go through."""

from enum import Enum


class State(Enum):
    """Where a session stands."""

    IDLE = "idle"
    CAPTURING = "capturing"
    READY = "ready"
    CHECKING = "checking"
    INJECTING = "injecting"
    RETURNING = "returning"
    LEADING_BACK = "leading back"
    SETTLING = "settling"
    DEVICE_LOST = "device lost"
    STORAGE_LOST = "storage lost"
    FINISHED = "finished"
    ABANDONED = "abandoned"
