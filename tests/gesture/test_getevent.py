import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.getevent import (
    AxisRange,
    InputEvent,
    LineBuffer,
    NodeAdded,
    NodeRemoved,
    parse_line,
    parse_nodes,
)
from tests.episodes import DATA

TOUCH, KEYBOARD = "/dev/input/event1", "/dev/input/event12"


def capture(name: str) -> str:
    return (DATA / "getevent" / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    "line",
    [
        "[  190136.507537] /dev/input/event1: EV_ABS       ABS_MT_POSITION_X    0000238d            ",
        "[  190136.507537] /dev/input/event1: EV_ABS ABS_MT_POSITION_X 0000238d",
        "[  190136.507537] /dev/input/event1: 0003 0035 0000238d",
        "[  190136.507537] EV_ABS       ABS_MT_POSITION_X    0000238d            ",
        "[  190136.507537] 0003 0035 0000238d\r",
        "[  190136.507537] EV_ABS       ABS_MT_POSITION_X    0000238d             rate 103",
        "/dev/input/event1: EV_ABS       ABS_MT_POSITION_X    0000238d            ",
        "/dev/input/event1: 0003 0035 0000238d",
        "EV_ABS       ABS_MT_POSITION_X    0000238d            \r\n",
        "0003 0035 0000238d",
    ],
)
def test_event_with_or_without_labels_time_and_node(line: str) -> None:
    event = parse_line(line, node=TOUCH, time_us=7 if line.startswith("[") else 190136_507537)
    assert event == InputEvent(TOUCH, 190136_507537, "EV_ABS", "ABS_MT_POSITION_X", 0x238D)


@pytest.mark.parametrize(
    ("labels", "numbers", "code", "value"),
    [
        ("EV_SYN SYN_REPORT 00000000", "0000 0000 00000000", "SYN_REPORT", 0),
        ("EV_SYN SYN_DROPPED 00000000", "0000 0003 00000000", "SYN_DROPPED", 0),
        ("EV_ABS ABS_MT_TRACKING_ID ffffffff", "0003 0039 ffffffff", "ABS_MT_TRACKING_ID", -1),
        ("EV_ABS ABS_MT_TRACKING_ID 80000000", "0003 0039 80000000", "ABS_MT_TRACKING_ID", -(2**31)),
        ("EV_ABS ABS_MT_TRACKING_ID 7fffffff", "0003 0039 7fffffff", "ABS_MT_TRACKING_ID", 2**31 - 1),
        ("EV_ABS ABS_MT_SLOT 00000001", "0003 002f 00000001", "ABS_MT_SLOT", 1),
        ("EV_KEY KEY_HOME DOWN", "0001 0066 00000001", "KEY_HOME", 1),
        ("EV_KEY KEY_HOMEPAGE UP", "0001 00ac 00000000", "KEY_HOMEPAGE", 0),
        ("EV_KEY KEY_BACK REPEAT", "0001 009e 00000002", "KEY_BACK", 2),
        ("EV_KEY KEY_APPSELECT DOWN", "0001 0244 00000001", "KEY_APPSELECT", 1),
        ("EV_ABS ABS_MT_TOOL_TYPE MT_TOOL_PEN", "0003 0037 00000001", "ABS_MT_TOOL_TYPE", 1),
        ("EV_KEY 001e DOWN", "0001 001e 00000001", "001e", 1),
    ],
)
def test_numeric_codes_get_their_labels(labels: str, numbers: str, code: str, value: int) -> None:
    event = parse_line(labels)
    assert event == parse_line(numbers)
    assert isinstance(event, InputEvent)
    assert (event.code, event.value) == (code, value)


def test_added_and_removed_devices() -> None:
    assert parse_line("add device 3: /dev/input/event2") == NodeAdded("/dev/input/event2")
    assert parse_line("remove device 3: /dev/input/event2\r\n") == NodeRemoved("/dev/input/event2")


@pytest.mark.parametrize(
    "line",
    [
        "",
        '  name:     "virtio_input_multi_touch_1"',
        "could not get driver version for /dev/input/mice, Not a typewriter",
        "could not open /dev/input/event3, Permission denied",
        "poll failed",
        "    ABS (0003): 0035  : value 0, min 0, max 32767, fuzz 0, flat 0, resolution 0",
        "[  190136.507537] /dev/input/event1: EV_ABS       ABS_MT_POSI",
        "[  190136.507537] /dev/input/event1: EV_ABS       ABS_MT_POSITION_X    0000238",
        "[  190136.507537] /dev/input/event1: EV_ABS       ABS_MT_POSITION_X",
        "[  190136.5075",
        "vent1: EV_ABS       ABS_MT_POSITION_X    0000238d",
        "0003 0035 0000238d0003 0036 0000238d",
        "EV_ABS ABS_MT_TOOL_TYPE MT_TOOL_DIAL",
        "0003 0035 238d",
        "\x00\x1b[31m",
        "add device x: /dev/input/event2",
    ],
)
def test_other_and_broken_lines_are_ignored(line: str) -> None:
    assert parse_line(line) is None


@given(st.text() | st.from_regex(r"\[ *[0-9]*\.[0-9]* *\] .{0,40}") | st.from_regex(r"[0-9a-f]{4} .{0,20}"))
def test_parser_accepts_any_line(line: str) -> None:
    message = parse_line(line)
    assert message is None or isinstance(message, InputEvent | NodeAdded | NodeRemoved)


@given(st.integers(0, 2**40), st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.integers(-(2**31), 2**31 - 1))
def test_every_numeric_event_is_parsed(time_us: int, kind: int, code: int, value: int) -> None:
    seconds, rest = divmod(time_us, 1_000_000)
    event = parse_line(f"[{seconds:8d}.{rest:06d}] {TOUCH}: {kind:04x} {code:04x} {value & 0xFFFFFFFF:08x}")
    assert isinstance(event, InputEvent)
    assert (event.node, event.time_us, event.value) == (TOUCH, time_us, value)


def test_line_in_pieces_is_joined() -> None:
    lines = LineBuffer()
    assert lines.feed(b"[ 1.000000] EV_SYN SYN_") == []
    assert lines.feed(b"REPORT 00000000\r\nEV") == ["[ 1.000000] EV_SYN SYN_REPORT 00000000\r"]
    assert lines.feed(b"_KEY KEY_BACK DOWN\n\n") == ["EV_KEY KEY_BACK DOWN", ""]


def test_endless_line_does_not_fill_memory() -> None:
    lines = LineBuffer()
    for _ in range(100):
        assert lines.feed(b"x" * 1000) == []
    (line,) = lines.feed(b"\n")
    assert len(line) <= LineBuffer.LONGEST
    assert lines.feed(b"EV_KEY KEY_BACK DOWN\n") == ["EV_KEY KEY_BACK DOWN"]


def test_axes_from_numeric_and_labelled_listings() -> None:
    numeric, labelled = capture("api36_phone_touchnode_p_lp").split("getevent -lp")
    (one,), (other,) = parse_nodes(numeric), parse_nodes(labelled)

    assert one == other
    assert one.node == "/dev/input/event1"
    assert one.name == "virtio_input_multi_touch_1"
    assert one.axes["ABS_MT_POSITION_X"] == one.axes["ABS_MT_POSITION_Y"] == AxisRange(0, 32767)
    assert one.axes["ABS_MT_SLOT"] == AxisRange(0, 10)
    assert one.keys == {"BTN_TOOL_RUBBER", "BTN_STYLUS"}
    assert one.is_touchscreen


def test_all_nodes_of_a_foldable_are_listed_in_order() -> None:
    nodes = parse_nodes(capture("api36_fold_all_nodes_p"))
    assert [node.node for node in nodes] == [f"/dev/input/event{number}" for number in range(12)]
    assert [node.name for node in nodes if node.is_touchscreen] == [
        f"virtio_input_multi_touch_{number}" for number in range(1, 12)
    ]
    assert nodes[0].keys == {"KEY_POWER"}


def test_keyboard_with_a_long_key_list() -> None:
    keyboard, touch = parse_nodes(capture("qwerty2_node_p"))
    assert keyboard.name == "qwerty2"
    assert keyboard.keys >= {"KEY_HOME", "KEY_BACK", "KEY_HOMEPAGE", "KEY_APPSELECT", "0001", "0249"}
    assert len(keyboard.keys) == 157
    assert (keyboard.is_touchscreen, touch.is_touchscreen) == (False, True)


def test_listing_with_noise_is_parsed() -> None:
    (node,) = parse_nodes(
        "could not get driver version for /dev/input/mice, Not a typewriter\r\r\n"
        "add device 1: /dev/input/event3\r\r\n"
        '  name:     "a "quoted" name"\r\r\n'
        "  events:\r\r\n"
        "    KEY (0001): 0066* 009e \r\r\n"
        "                0244 \r\r\n"
        "    ABS (0003): 0035  : value 7, min -5, max 99, fuzz 0, flat 0, resolution 0\r\r\n"
        "                0036  : value 7, min 0, max 99999999999999999999, fuzz 0\r\r\n"
        "                0039  : value 0, min 0, max -1, fuzz 0, flat 0, resolution 0\r\r\n"
        "    LED (0011): 0000 \r\r\n"
        "  input props:\r\r\n"
        "                0074\r\r\n"
    )

    assert node.name == 'a "quoted" name'
    assert node.keys == {"KEY_HOME", "KEY_BACK", "KEY_APPSELECT"}
    assert node.axes == {"ABS_MT_POSITION_X": AxisRange(-5, 99)}


@given(st.text(st.sampled_from('adevic /input0123:" \nKEYABS()valuemnx,'), max_size=300) | st.text())
def test_parser_accepts_any_listing(text: str) -> None:
    assert all(node.node.startswith("/dev/input/") for node in parse_nodes(text))


def test_touchscreens_with_one_slot_and_without_slots() -> None:
    axes = "ABS_MT_POSITION_X     : value 0, min 0, max 1023,\n ABS_MT_POSITION_Y     : value 0, min 0, max 599,"
    listing = 'add device 1: /dev/input/event1\n  name:     "gsl680"\n  events:\n    ABS (0003): {}'
    more = f"ABS_MT_TRACKING_ID    : value 0, min 0, max 9,\n{' ' * 16}" + axes.replace("\n ", "\n" + " " * 16)
    [older] = parse_nodes(listing.format(more))
    [single] = parse_nodes(listing.format(f"ABS_MT_SLOT           : value 0, min 0, max 0,\n{' ' * 16}{more}"))

    assert (older.is_touchscreen, older.is_slotless) == (False, True)
    assert (single.is_touchscreen, single.is_slotless) == (True, False)
