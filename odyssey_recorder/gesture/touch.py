"""One finger's contact with the screen, however it was observed."""

from dataclasses import dataclass

from odyssey_recorder.model.geometry import Pixel


@dataclass(frozen=True, slots=True)
class TouchSample:
    """Pixels of the screenshot, and microseconds since touch-down."""

    at: Pixel
    time_us: int


@dataclass(frozen=True, slots=True)
class TouchStroke:
    """The first of the `samples` is the touch-down (time 0).

    A finger held still gives no new ones, so `duration_us` may exceed the last sample's time.
    """

    samples: tuple[TouchSample, ...]
    duration_us: int

    @property
    def start(self) -> Pixel:
        return self.samples[0].at

    @property
    def end(self) -> Pixel:
        return self.samples[-1].at

    @classmethod
    def press(cls, at: Pixel, *, duration_ms: int = 100) -> "TouchStroke":
        return cls((TouchSample(at, 0),), duration_ms * 1000)

    @classmethod
    def drag(cls, path: tuple[Pixel, ...], *, duration_ms: int) -> "TouchStroke":
        """`path` has two points or more, at even time steps."""
        legs = len(path) - 1
        samples = tuple(TouchSample(at, index * duration_ms * 1000 // legs) for index, at in enumerate(path))
        return cls(samples, duration_ms * 1000)
