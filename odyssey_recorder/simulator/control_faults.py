"""What can be made to go wrong with the emulator's control service, on request."""

from collections.abc import Callable


def _nothing() -> None:
    """Stands in for a service that does not run."""


class ControlFaults:
    """The faults that are on; safe from any thread.

    `apply` is called, and waits, when a fault has changed; `renew_token` lets the service ask for another token,
    and write that into its discovery file. Both do nothing where no service is attached.
    """

    def __init__(self) -> None:
        self.detach()
        self.stalled = False
        self.refuses = False
        self.off = False
        self.frame_delay_s = 0.0
        self.drops = 0
        """How often the streams have been dropped: one that began before the last time ends."""

    def attach(self, apply: Callable[[], None], renew_token: Callable[[], None]) -> None:
        self.apply, self.renew_token = apply, renew_token

    def detach(self) -> None:
        self.apply = self.renew_token = _nothing

    def stall(self, *, stalled: bool) -> None:
        """Keep the streams of screenshots open but send nothing on them, until told otherwise."""
        self.stalled = stalled
        self.apply()

    def drop_streams(self) -> None:
        self.drops += 1
        self.apply()

    def refuse(self, *, refuse: bool) -> None:
        self.refuses = refuse

    def switch_off(self, *, off: bool) -> None:
        self.off = off
        self.apply()

    def delay_frames(self, delay_s: float) -> None:
        """Send each frame of a stream that long after it came onto the screen; those in between are left out."""
        self.frame_delay_s = delay_s

    def clear(self) -> None:
        self.stalled = self.refuses = self.off = False
        self.frame_delay_s = 0.0
        self.apply()
