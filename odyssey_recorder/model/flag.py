"""Something unusual that the recorder found about a step: a code, its values, and a text."""

from dataclasses import dataclass
from enum import Enum
from string import Formatter

from odyssey_recorder.model.moment import LARGEST_WHOLE


class FlagCode(Enum):
    """The values are the names in files; `text` has a place for each value of a flag."""

    _value_: str
    text: str

    def __new__(cls, value: str, text: str) -> "FlagCode":
        code = object.__new__(cls)
        code._value_, code.text = value, text
        return code

    MOVING = "moving", "the screen was still moving"
    CHANGING = "changing", "the screen changed around the moment of the touch"
    UNWATCHED = "unwatched", "the screen just after the touch is unknown"
    OLDER = "older", "the screenshot is {age_s:.1f} s older than the touch"
    OLDER_THAN_LAST_ACTION = (
        "older_than_last_action",
        "the screenshot is {age_s:.1f} s older than the touch, and from before the last action",
    )
    NEWER = "newer", "the screen changed just before the touch: the screenshot is newer than the one the annotator saw"
    UNPROVEN = "unproven", "it is not confirmed that the screen was still the same at touch-down"
    AREAS_CHANGED = (
        "areas_changed",
        "the keyboard, the bars or the device's posture changed around the moment of the touch",
    )
    AREAS_UNKNOWN = "areas_unknown", "the device did not report its screen layout in time"
    NO_KEY = "no_key", "it looked like a system gesture, but triggered no system key"
    UNSURE_PRESS = (
        "unsure_press",
        "the finger stayed for {press_ms:.0f} ms, which some apps take for a click and some for a long press",
    )
    OTHER_EFFECT = "other_effect", "it was recorded as {tapped}, but afterwards {shown} was in front"
    CLOCK_CHANGED = "clock_changed", "the device's clock was changed around the moment of the touch"
    CLOCK_UNREAD = "clock_unread", "the device's clock could not be read after the touch"
    TEXT_UNREAD = "text_unread", "the typed text could not be read"
    UNCHANGED = "unchanged", "nothing changed on the screen"
    WRONG_TEXT = "wrong_text", "the field shows another text"
    CONNECTION_BROKE = "connection_broke", "the connection was lost while the input was sent"
    VOUCHED = (
        "vouched",
        "the recorder stopped while the input was sent; the annotator says whether the device received it",
    )
    TURNED = "turned", "the screen was rotated: the screenshot is {screenshot}, device_info says {device_info}"
    RESIZED = "resized", "the screen had another size: the screenshot is {screenshot}, device_info says {device_info}"
    UNLIKE = "unlike", "accepted as the screen of the undone step, but not identical"
    AFTER_LOSS = (
        "after_loss",
        "the device was lost before it, and the annotator accepted the screen that it showed afterwards",
    )
    RESUMED_ELSEWHERE = "resumed_elsewhere", "resumed on another screen than the one the recording stopped on"
    RESUMED_UNSEEN = "resumed_unseen", "resumed without a screenshot of the screen the recording stopped on"
    BLACK = "black", "the screenshot is black: the app may forbid screenshots"
    AFTER_DIALOG = "after_dialog", "Android showed a message about an app that failed, and it was answered before"
    FOREIGN_INPUT = "foreign_input", "something else acted on the device: {input}"
    OTHER_KEY = "other_key", "the key {key} was pressed before it and was not recorded"
    UNEXPLAINED = "unexplained", "the screen changed before this step, and no step explains it"
    OTHER = "other", "{text}"
    """A flag that this version does not know."""


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
    return flag.code.text.format(**flag.named_values())


def flag_from_values(code: str, values: dict[str, str | float]) -> Flag:
    """An unknown code, from a newer recorder, becomes `OTHER`. Raises ValueError."""
    known = next((known for known in FlagCode if known.value == code), None)
    if known is None:
        return Flag(FlagCode.OTHER, (", ".join([code.replace("_", " "), *map(str, values.values())]),))
    return Flag(known, tuple(value for name, _ in _fields(known) if (value := values.get(name)) is not None))


def _fields(code: FlagCode) -> list[tuple[str, str]]:
    """Each name with its format spec, which only numbers have."""
    return [(name, spec or "") for _, name, spec, _ in Formatter().parse(code.text) if name]
