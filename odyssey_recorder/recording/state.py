"""The states of a recording, and the screens that a device is restored to."""

from enum import Enum


class State(Enum):
    IDLE = "idle"
    CAPTURING = "capturing"
    READY = "ready"
    CHECKING = "checking"
    INJECTING = "injecting"
    RETURNING = "returning"
    RESTORING = "restoring"
    SETTLING = "settling"
    DEVICE_LOST = "device lost"
    STORAGE_LOST = "storage lost"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class Goal(Enum):
    """The screen that the device must show before the next step."""

    UNDONE = "undone"
    """The screen of the undone step."""
    LEFT = "left"
    """The screen after the last step, from before the recording was interrupted."""
    UNKNOWN = "unknown"
    """The same, but without a screenshot: the annotator must confirm the screen."""
    UNCERTAIN = "uncertain"
    """The same, and it is unknown whether the last step was carried out."""
    LOST = "lost"
    """The screen from before the device was lost; `shown_goal` says what is known of it."""
    ANSWERED = "answered"
    """Any, without Android's dialog about an app that failed."""

    @property
    def has_screenshot(self) -> bool:
        return self in {Goal.UNDONE, Goal.LEFT, Goal.LOST}
