import shlex
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odyssey_recorder.device.input_command import (
    check_text,
    is_even_line,
    is_still,
    press_command,
    text_commands,
    thinned,
    trajectory,
)
from odyssey_recorder.errors import InputRefusedError
from odyssey_recorder.gesture.touch import TouchSample, TouchStroke
from odyssey_recorder.model.geometry import Pixel


def stroke(*samples: tuple[int, int, int], duration_ms: int) -> TouchStroke:
    """From (x, y, milliseconds) samples."""
    return TouchStroke(tuple(TouchSample(Pixel(x, y), time_ms * 1000) for x, y, time_ms in samples), duration_ms * 1000)


def typed_by_android(commands: list[str]) -> str:
    """The text as sh and `input text` parse each command, with key 66 as Enter."""
    typed = ""
    for command in commands:
        match shlex.split(command):
            case ["input", "text", word]:
                typed += word.replace("%s", " ")
            case ["input", "keyevent", "66"]:
                typed += "\n"
            case unexpected:
                raise AssertionError(f"unexpected command: {unexpected}")
    return typed


@given(st.text(alphabet=st.sampled_from([*map(chr, range(0x20, 0x7F)), "\n"])))
@example('It\'s 100% "safe" & sound; cost: $5 `ls` $(reboot) 100%s and %%s, %s%s %')
@example("-n")
@example(" leading and trailing ")
@example("long " * 60)
def test_printable_ascii_survives_the_shell(text: str) -> None:
    pieces = text_commands(text)
    assert typed_by_android([command for _, command in pieces]) == text
    assert "".join(piece for piece, _ in pieces) == text


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("naïve", "'ï', character 3 "),
        ("a\tb", r"'\\t', character 2 "),
        ("\x00", r"'\\x00', character 1 "),
        ("fin\x7f", r"'\\x7f', character 4 "),
        ("ok 👍", "'👍', character 4 "),
        ("\u202ex", r"'\\u202e', character 1 "),
        ("line\r\n", r"'\\r', character 5 "),
    ],
)
def test_first_untypable_character_is_named(text: str, character: str) -> None:
    with pytest.raises(InputRefusedError, match=character):
        check_text(text)
    with pytest.raises(InputRefusedError, match=character):
        text_commands(text)


@pytest.mark.parametrize(
    ("press", "command"),
    [
        (stroke((30, 40, 0), (32, 41, 60), duration_ms=100), "input tap 30 40"),
        (stroke((30, 40, 0), duration_ms=850), "input swipe 30 40 30 40 850"),
        (stroke((30, 40, 0), duration_ms=400), "input swipe 30 40 30 40 600"),
    ],
    ids=["tap", "hold", "barely a long press"],
)
def test_press_is_a_tap_or_a_clear_long_press(press: TouchStroke, command: str) -> None:
    assert press_command(press) == command


def test_trembling_finger_is_still() -> None:
    assert is_still(stroke((100, 100, 0), (104, 103, 20), (99, 98, 40), duration_ms=90))
    assert not is_still(stroke((100, 100, 0), (160, 100, 40), (100, 100, 80), duration_ms=90))


@pytest.mark.parametrize(
    ("samples", "duration_ms", "even"),
    [
        (((0, 0, 0), (0, 500, 150), (0, 1000, 300)), 300, True),
        (((0, 0, 0), (30, 500, 150), (0, 1000, 300)), 300, True),
        (((0, 0, 0), (200, 500, 150), (0, 1000, 300)), 300, False),
        (((0, 0, 0), (0, 900, 150), (0, 1000, 300)), 300, False),
        (((0, 0, 0), (0, 500, 150), (0, 1000, 300)), 700, False),
        (((0, 0, 0), (400, 0, 50), (0, 0, 100)), 100, False),
    ],
    ids=["even", "nearly straight", "bent", "slows down", "rests before it lifts", "there and back"],
)
def test_only_a_straight_and_even_drag_is_a_line(
    samples: tuple[tuple[int, int, int], ...], duration_ms: int, even: bool
) -> None:
    assert is_even_line(stroke(*samples, duration_ms=duration_ms)) is even


def test_trajectory_keeps_points_and_pauses() -> None:
    bent = stroke((0, 0, 0), (100, 0, 100), (100, 100, 200), duration_ms=260)

    result = trajectory(bent, input_us=20_000)

    assert result.command == (
        "trap 'input motionevent UP 100 100' EXIT; trap 'exit 1' HUP; "
        "input motionevent DOWN 0 0 && sleep 0.080 && input motionevent MOVE 100 0 && sleep 0.080 && "
        "input motionevent MOVE 100 100 && sleep 0.040"
    )
    assert result.inputs == 4
    assert result.pauses_us == 200_000


def test_slow_device_gets_fewer_points_and_no_pauses() -> None:
    dense = stroke(*((x * 10, x * x, x * 10) for x in range(101)), duration_ms=1000)
    result = trajectory(dense, input_us=250_000)
    assert result.command.count("MOVE") == 4
    assert result.command.count("sleep 0.000") == 5
    assert "DOWN 0 0 " in result.command
    assert "MOVE 1000 10000 " in result.command


@given(
    st.lists(st.integers(0, 200_000), min_size=1, max_size=300).map(
        lambda gaps: tuple(TouchSample(Pixel(number, -number), sum(gaps[:number])) for number in range(len(gaps) + 1))
    )
)
def test_thinning_keeps_both_ends_and_the_spacing(samples: tuple[TouchSample, ...]) -> None:
    whole = TouchStroke(samples, samples[-1].time_us)

    kept = thinned(whole, spacing_us=45_000)

    assert kept[0] == samples[0]
    assert kept[-1] == samples[-1]
    assert len(kept) <= 202
    assert all(sample in samples for sample in kept)
    assert all(after.time_us - before.time_us >= 45_000 for before, after in pairwise(kept[:-1]))
