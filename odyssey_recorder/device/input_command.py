"""Strokes, keys and text as Android's `input` commands, and which text they cannot type."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from odyssey_recorder.errors import InputRefusedError
from odyssey_recorder.gesture.recognizer import LONG_PRESS_MS
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel

TRAJECTORY_SDK = 31
"""The first API level on which a stroke can follow its path: before, each `input` takes most of a second."""

_KEYCODES = {SystemKey.HOME: 3, SystemKey.BACK: 4, SystemKey.RECENT: 187}
ENTER_COMMAND = "input keyevent 66"

PASTE = "input keyevent 279"

_STILL_PX = 8
"""A finger that stays this close to its touch-down holds still: the touch slop, 8 dp, at 160 dpi."""

SURE_TAP_US = 200_000
"""No device takes so short a press for a long one."""

_SAMPLE_SPACING_US = 45_000
"""The minimal time between moves, which makes 22 commands per second."""

_MOST_SAMPLES = 200
"""A shell line with more would be too long for a device."""

_TEXT_PIECE = 40
"""Characters per command; longer texts have been seen to arrive out of order."""


def key_command(key: SystemKey) -> str:
    return f"input keyevent {_KEYCODES[key]}"


def is_plain(text: str) -> bool:
    return all(character == "\n" or " " <= character <= "~" for character in text)


def check_text(text: str) -> None:
    """Raise `InputRefusedError`, naming the first bad character."""
    for place, character in enumerate(text, start=1):
        if not is_plain(character):
            raise InputRefusedError(
                f"{character!r}, character {place} of the text, cannot be typed over adb, which supports "
                "ASCII only. Nothing was typed. Change the text, or install ADBKeyBoard on the device "
                "(com.android.adbkeyboard, from F-Droid)."
            )


def partly_typed(typed: int, text: str, why: Exception) -> InputRefusedError:
    return InputRefusedError(
        f"Only {typed} of {len(text)} characters were typed: {why} Clear the field, then type again."
    )


def text_commands(text: str) -> list[tuple[str, str]]:
    """Pairs of a piece of `text` and the command that types it. Raises as `check_text`.

    `input text` knows one escape, `%s` for a space, and no way to escape that: so a `%` before an `s` ends its
    command.
    """
    check_text(text)
    parts = filter(None, re.split(r"(\n)|(?<=%)(?=s)", text))
    pieces = [part[start : start + _TEXT_PIECE] for part in parts for start in range(0, len(part), _TEXT_PIECE)]
    return [(piece, ENTER_COMMAND if piece == "\n" else _text_command(piece)) for piece in pieces]


def _text_command(piece: str) -> str:
    return f"input text {shlex.quote(piece.replace(' ', '%s'))}"


def is_still(stroke: TouchStroke) -> bool:
    return all(_distance_squared(stroke.start, sample.at) <= _STILL_PX**2 for sample in stroke.samples)


def is_even_line(stroke: TouchStroke) -> bool:
    """Within a twentieth of its length."""
    tolerance = max(_distance_squared(stroke.start, stroke.end) / 400, _STILL_PX**2)
    path = (*stroke.samples, TouchSample(stroke.end, stroke.duration_us))
    return all(_distance_squared(sample.at, _between(stroke, sample.time_us)) <= tolerance for sample in path)


def press_command(stroke: TouchStroke, long_press_ms: int = LONG_PRESS_MS) -> str:
    """A tap, or a clear long press on a device with its own `long_press_ms`, which views begin with some delay."""
    at, held_ms = stroke.start, stroke.duration_us // 1000
    if held_ms < long_press_ms:
        return f"input tap {at.x} {at.y}"
    hold_ms = max(held_ms, long_press_ms * 3 // 2)
    return f"input swipe {at.x} {at.y} {at.x} {at.y} {hold_ms}"


def swipe_command(stroke: TouchStroke) -> str:
    start, end = stroke.start, stroke.end
    return f"input swipe {start.x} {start.y} {end.x} {end.y} {max(stroke.duration_us // 1000, 1)}"


@dataclass(frozen=True, slots=True)
class Trajectory:
    command: str
    inputs: int
    pauses_us: int


def trajectory(stroke: TouchStroke, *, input_us: int) -> Trajectory:
    """`input_us` is how long one `input` takes on this device; pauses are shortened by it.

    The trap lifts the finger if anything fails, including the connection, and keeps the exit status of what failed.
    """
    samples = thinned(stroke, spacing_us=max(input_us, _SAMPLE_SPACING_US))
    pauses_us = [max(after.time_us - before.time_us - input_us, 0) for before, after in pairwise(samples)]
    pauses_us.append(max(stroke.duration_us - samples[-1].time_us - input_us, 0))
    lift = f"input motionevent UP {stroke.end.x} {stroke.end.y}"
    steps = [f"input motionevent DOWN {stroke.start.x} {stroke.start.y}"]
    for sample, pause_us in zip(samples[1:], pauses_us, strict=False):
        steps += [_sleep(pause_us), f"input motionevent MOVE {sample.at.x} {sample.at.y}"]
    steps.append(_sleep(pauses_us[-1]))
    return Trajectory(
        command=f"trap {shlex.quote(lift)} EXIT; trap 'exit 1' HUP; " + " && ".join(steps),
        inputs=len(samples) + 1,
        pauses_us=sum(pauses_us),
    )


def thinned(stroke: TouchStroke, *, spacing_us: int) -> Sequence[TouchSample]:
    """Always includes the first and the last sample."""
    spacing_us = max(spacing_us, stroke.duration_us // _MOST_SAMPLES)
    first, *between, last = stroke.samples
    kept = [first]
    for sample in between:
        if min(sample.time_us - kept[-1].time_us, last.time_us - sample.time_us) >= spacing_us:
            kept.append(sample)
    return [*kept, last]


def _sleep(time_us: int) -> str:
    return f"sleep {time_us / 1e6:.3f}"


def _between(stroke: TouchStroke, time_us: int) -> Pixel:
    share = time_us / max(stroke.duration_us, 1)
    start, end = stroke.start, stroke.end
    return Pixel(round(start.x + (end.x - start.x) * share), round(start.y + (end.y - start.y) * share))


def _distance_squared(one: Pixel, other: Pixel) -> int:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2
