"""How long an episode was looked at: the time while it was open and the window was in use."""

from collections.abc import Callable


class Stopwatch:
    """Runs and rests; `clock` tells seconds from any beginning."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._gathered_s = 0.0
        self._since_s: float | None = None

    @property
    def seconds(self) -> float:
        """What was gathered since it was last set."""
        running_s = 0.0 if self._since_s is None else self._clock() - self._since_s
        return self._gathered_s + running_s

    def set(self, seconds: float) -> None:
        """Go on from `seconds`; it runs or rests as before."""
        self._gathered_s = seconds
        if self._since_s is not None:
            self._since_s = self._clock()

    def run(self, on: bool) -> None:
        """Run from now on, or rest."""
        self._gathered_s = self.seconds
        self._since_s = self._clock() if on else None
