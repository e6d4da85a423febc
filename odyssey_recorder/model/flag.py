"""Something unusual that the recorder found about a step: a code, its values, and a text."""

from dataclasses import dataclass
from enum import Enum
from string import Formatter

from odyssey_recorder.model.moment import LARGEST_WHOLE


class FlagCode(Enum):
    """The values are the names in files."""

    MOVING = "moving"
    CHANGING = "changing"
    UNWATCHED = "unwatched"
    OLDER = "older"
    OLDER_THAN_LAST_ACTION = "older_than_last_action"
    NEWER = "newer"
    UNPROVEN = "unproven"
    AREAS_CHANGED = "areas_changed"
    AREAS_UNKNOWN = "areas_unknown"
    NO_KEY = "no_key"
    CLOCK_CHANGED = "clock_changed"
    CLOCK_UNREAD = "clock_unread"
    TEXT_UNREAD = "text_unread"
    UNCHANGED = "unchanged"
    WRONG_TEXT = "wrong_text"
    CONNECTION_BROKE = "connection_broke"
    VOUCHED = "vouched"
    TURNED = "turned"
    RESIZED = "resized"
    UNLIKE = "unlike"
    RESUMED_ELSEWHERE = "resumed_elsewhere"
    RESUMED_UNSEEN = "resumed_unseen"
    FOREIGN_INPUT = "foreign_input"
    UNEXPLAINED = "unexplained"
    OTHER = "other"
    """A flag that this version does not know."""


_TEXTS = {
    FlagCode.MOVING: "the screen was still moving",
    FlagCode.CHANGING: "the screen changed around the moment of the touch",
    FlagCode.UNWATCHED: "the screen just after the touch is unknown",
    FlagCode.OLDER: "the screenshot is {age_s:.1f} s older than the touch",
    FlagCode.OLDER_THAN_LAST_ACTION: (
        "the screenshot is {age_s:.1f} s older than the touch, and from before the last action"
    ),
    FlagCode.NEWER: (
        "the screen changed just before the touch: the screenshot is newer than the one the annotator saw"
    ),
    FlagCode.UNPROVEN: "it is not confirmed that the screen was still the same at touch-down",
    FlagCode.AREAS_CHANGED: ("the keyboard, the bars or the device's posture changed around the moment of the touch"),
    FlagCode.AREAS_UNKNOWN: "the device did not report its screen layout in time",
    FlagCode.NO_KEY: "it looked like a system gesture, but triggered no system key",
    FlagCode.CLOCK_CHANGED: "the device's clock was changed around the moment of the touch",
    FlagCode.CLOCK_UNREAD: "the device's clock could not be read after the touch",
    FlagCode.TEXT_UNREAD: "the typed text could not be read",
    FlagCode.UNCHANGED: "nothing changed on the screen",
    FlagCode.WRONG_TEXT: "the field shows another text",
    FlagCode.CONNECTION_BROKE: "the connection was lost while the input was sent",
    FlagCode.VOUCHED: (
        "the recorder stopped while the input was sent; the annotator says whether the device received it"
    ),
    FlagCode.TURNED: "the screen was rotated: the screenshot is {screenshot}, device_info says {device_info}",
    FlagCode.RESIZED: "the screen had another size: the screenshot is {screenshot}, device_info says {device_info}",
    FlagCode.UNLIKE: "accepted as the screen of the undone step, but not identical",
    FlagCode.RESUMED_ELSEWHERE: "resumed on another screen than the one the recording stopped on",
    FlagCode.RESUMED_UNSEEN: "resumed without a screenshot of the screen the recording stopped on",
    FlagCode.FOREIGN_INPUT: "something else acted on the device: {input}",
    FlagCode.UNEXPLAINED: "the screen changed before this step, and no step explains it",
    FlagCode.OTHER: "{text}",
}


@dataclass(frozen=True, slots=True)
class Flag:
    """`values` are in the order of the code's text."""

    code: FlagCode
    values: tuple[str | float, ...] = ()

    def __post_init__(self) -> None:
        kinds = [str if not spec else (int, float) for _, spec in _fields(self.code)]
        fit = len(kinds) == len(self.values) and all(map(isinstance, self.values, kinds))
        if not fit or any(isinstance(value, float | int) and not abs(value) <= LARGEST_WHOLE for value in self.values):
            raise ValueError(f"a flag {self.code.value} has other values than {self.values}")

    def named_values(self) -> dict[str, str | float]:
        return {name: value for (name, _), value in zip(_fields(self.code), self.values, strict=True)}


def describe_flag(flag: Flag) -> str:
    return _TEXTS[flag.code].format(**flag.named_values())


def flag_from_values(code: str, values: dict[str, str | float]) -> Flag:
    """An unknown code, from a newer recorder, becomes `OTHER`. Raises ValueError."""
    if code not in (known.value for known in FlagCode):
        return Flag(FlagCode.OTHER, (", ".join([code.replace("_", " "), *map(str, values.values())]),))
    known = FlagCode(code)
    return Flag(known, tuple(value for name, _ in _fields(known) if (value := values.get(name)) is not None))


def _fields(code: FlagCode) -> list[tuple[str, str]]:
    """Each name with its format spec, which only numbers have."""
    return [(name, spec or "") for _, name, spec, _ in Formatter().parse(_TEXTS[code]) if name]
