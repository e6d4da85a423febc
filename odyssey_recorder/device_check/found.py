"""What a check of a device has found, without anything personal."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path

from odyssey_recorder import __version__
from odyssey_recorder.device.device import HasSerial
from odyssey_recorder.errors import CancelledError, OdysseyError
from odyssey_recorder.model.episode import Json
from odyssey_recorder.reports import render_page, report_json, write_page

WHERE_TO_SEND = (
    "Please attach this report to a new issue of the Odyssey Recorder project. It contains no serial, account, path or "
    "text of an app."
)


class Outcome(Enum):
    EXPECTED = "as expected"
    DIFFERENT = "different"
    NOT_POSSIBLE = "not possible here"


@dataclass(frozen=True, slots=True)
class CheckLine:
    """`todo` is what Odyssey Recorder or the user does about it, if anything."""

    what: str
    outcome: Outcome
    found: str
    todo: str = ""


def expected(what: str, found: str) -> CheckLine:
    return CheckLine(what, Outcome.EXPECTED, found)


def different(what: str, found: str, todo: str) -> CheckLine:
    return CheckLine(what, Outcome.DIFFERENT, found, todo)


def impossible(what: str, found: str, todo: str = "") -> CheckLine:
    return CheckLine(what, Outcome.NOT_POSSIBLE, found, todo)


@dataclass(frozen=True, slots=True)
class DeviceReport:
    facts: Mapping[str, str]
    lines: tuple[CheckLine, ...]
    seconds: int

    def count(self, outcome: Outcome) -> int:
        return sum(line.outcome is outcome for line in self.lines)

    @property
    def summary(self) -> str:
        return ", ".join(f"{self.count(outcome)} {outcome.value}" for outcome in Outcome)

    def as_json(self) -> str:
        lines: list[Json] = [{**asdict(line), "outcome": line.outcome.value} for line in self.lines]
        tree: dict[str, Json] = {"recorder": __version__, "facts": {**self.facts}, "lines": lines}
        return report_json({**tree, "seconds": self.seconds, "send": WHERE_TO_SEND})

    def write(self, path: Path) -> None:
        """Write an HTML page. Raises DatasetError."""
        write_page(path, render_page("device_check.html", {}, report=self, version=__version__, send=WHERE_TO_SEND))


def guarded(what: str, device: HasSerial, lines: Iterable[CheckLine]) -> Iterator[CheckLine]:
    """Lines without the device's names; an error that ends them becomes the last line."""
    try:
        for line in lines:
            yield replace(line, found=without_names(line.found, device))
    except CancelledError:
        raise
    except OdysseyError as error:
        yield CheckLine(what, Outcome.NOT_POSSIBLE, without_names(str(error), device))


def without_names(text: str, device: HasSerial) -> str:
    """An error message without the serial and name of the device, and without the user's home folder."""
    for private, neutral in ((device.label, "the device"), (device.serial, "the device"), (str(Path.home()), "~")):
        text = text.replace(private, neutral)
    return text
