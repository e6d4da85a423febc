"""The states of a recording, and the screens that a device is restored to."""

from enum import Enum


class State(Enum):
    IDLE = "idle"
    CAPTURING = "capturing"
    READY = "ready"
    CHECKING = "checking"
    INJECTING = "injecting"
    RETURNING = "returning"
    RESTORING = "leading back"
    SETTLING = "settling"
    DEVICE_LOST = "device lost"
    STORAGE_LOST = "storage lost"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class Goal(Enum):
    """Which screen the device is to be brought back to before the next step."""

    UNDONE = "undone"
    """The one that the undone step was made on."""
    LEFT = "left"
    """The one that the last step led to, before the recording broke off."""
    UNKNOWN = "unknown"
    """The same, but there is no picture of it: the annotator must say that it is the right one."""
    UNCERTAIN = "uncertain"
    """The same, and it is not known either whether the last step was carried out."""

    @property
    def has_picture(self) -> bool:
        """Whether the screen can be recognized."""
        return self in {Goal.UNDONE, Goal.LEFT}
