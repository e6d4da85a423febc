"""What was read of the device and waits for the frame that proves of which screen it was."""

from odyssey_recorder.recording.work import ScreenKnown, TreeRead

Read = TreeRead | ScreenKnown


class FrameChecks:
    """The readings that wait. One is proved by a frame asked for when it was complete, if that shows the same."""

    def __init__(self) -> None:
        self._waiting: list[Read] = []

    def await_proof(self, read: Read) -> None:
        """Let a reading wait for a frame."""
        self._waiting.append(read)

    def seen(self, started_ns: int) -> list[Read]:
        """The readings that were complete when a frame was asked for; they wait no more."""
        complete = [read for read in self._waiting if started_ns >= read.read_ns]
        self._waiting = [read for read in self._waiting if started_ns < read.read_ns]
        return complete
