"""Odyssey Recorder: records, publishes and replays GUI-Odyssey episodes on Android emulators.

The Python API is here, as in `import odyssey_recorder as oro`: docs/python.md. It is loaded when it is used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from odyssey_recorder.api import (
        Dataset,
        Episode,
        Review,
        SimulatedEmulator,
        Step,
        open_dataset,
        simulate,
        write_predictions,
        wrong_steps,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from odyssey_recorder import api

        return getattr(api, name)


__version__ = "0.1.0"

__all__ = [
    "Dataset",
    "Episode",
    "Review",
    "SimulatedEmulator",
    "Step",
    "open_dataset",
    "simulate",
    "write_predictions",
    "wrong_steps",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
