"""From events to contacts: the kernel's protocol, known pitfalls, and real captures."""

from collections.abc import Iterable
from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.gesture.contacts import (
    Contact,
    ContactBegan,
    ContactLost,
    ContactTracker,
    EventsDropped,
    KeyPressed,
    KeyTyped,
    LossCause,
    OtherKeyPressed,
    RawSample,
    TouchUpdate,
    to_stroke,
)
from odyssey_recorder.gesture.getevent import (
    AxisRange,
    InputDeviceNode,
    InputEvent,
    Message,
    NodeAdded,
    NodeRemoved,
    parse_line,
)
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.typed_keys import UNKNOWN, Key
from odyssey_recorder.model.action import LongPress, SystemKey
from odyssey_recorder.model.geometry import Pixel, Point, Rotation, Size, unrotate
from tests.episodes import DATA

TOUCH, OTHER_TOUCH, KEYBOARD = "/dev/input/event1", "/dev/input/event7", "/dev/input/event12"
PHONE = Size(1080, 2400)
AXIS = AxisRange(0, 32767)
SCREEN = InputDeviceNode(TOUCH, "touch", frozenset(), {"ABS_MT_POSITION_X": AXIS, "ABS_MT_POSITION_Y": AXIS})

LIFT = ("ABS_MT_TRACKING_ID", -1)
DOWN = ("ABS_MT_TRACKING_ID", 0)


def x(value: int) -> tuple[str, int]:
    return "ABS_MT_POSITION_X", value


def y(value: int) -> tuple[str, int]:
    return "ABS_MT_POSITION_Y", value


def slot(number: int) -> tuple[str, int]:
    return "ABS_MT_SLOT", number


def report(time_us: int, *changes: tuple[str, int], node: str = TOUCH) -> list[Message]:
    """One report: the changed values in this order, then SYN_REPORT."""
    events = [InputEvent(node, time_us, "EV_ABS", code, value) for code, value in changes]
    return [*events, InputEvent(node, time_us, "EV_SYN", "SYN_REPORT", 0)]


def dropped(time_us: int) -> list[Message]:
    return [InputEvent(TOUCH, time_us, "EV_SYN", "SYN_DROPPED", 0)]


def key(time_us: int, code: str, value: int = 1) -> list[Message]:
    return [InputEvent(KEYBOARD, time_us, "EV_KEY", code, value), *report(time_us, node=KEYBOARD)]


def feed(tracker: ContactTracker, messages: Iterable[Message]) -> list[TouchUpdate]:
    return [update for message in messages for update in tracker.feed(message)]


def updates_of(*reports: Iterable[Message]) -> list[TouchUpdate]:
    return feed(ContactTracker(), chain(*reports))


def contacts_of(*reports: Iterable[Message]) -> list[Contact]:
    return [update for update in updates_of(*reports) if isinstance(update, Contact)]


def captured(name: str) -> list[TouchUpdate]:
    tracker = ContactTracker()
    lines = (DATA / "getevent" / f"{name}.txt").read_text().splitlines()
    return feed(tracker, filter(None, (parse_line(line, node=TOUCH) for line in lines))) + tracker.close()


def test_tap_begins_and_ends() -> None:
    assert updates_of(report(10, DOWN, x(5), y(6)), report(950_010, ("ABS_MT_PRESSURE", 0), LIFT)) == [
        ContactBegan(TOUCH, 0, 10),
        Contact(TOUCH, 0, (RawSample(5, 6, 10),), lifted_us=950_010, fingers=1),
    ]


def test_drag_has_a_sample_for_every_move() -> None:
    (contact,) = contacts_of(
        report(0, DOWN, x(1), y(1)),
        report(10, y(2)),
        report(20, ("ABS_MT_PRESSURE", 3)),
        report(30, x(3)),
        report(40, x(4), y(4), LIFT),
    )

    assert contact.samples == (RawSample(1, 1, 0), RawSample(1, 2, 10), RawSample(3, 2, 30), RawSample(4, 4, 40))


def test_protocol_a_screen_gives_no_false_taps() -> None:
    def sample(time_us: int, at: int) -> list[Message]:
        axes = [InputEvent(OTHER_TOUCH, time_us, "EV_ABS", code, value) for code, value in (x(at), y(at), DOWN)]
        ends = [InputEvent(OTHER_TOUCH, time_us, "EV_SYN", code, 0) for code in ("SYN_MT_REPORT", "SYN_REPORT")]
        return [*axes, *ends]

    lifted = [InputEvent(OTHER_TOUCH, 40, "EV_SYN", code, 0) for code in ("SYN_MT_REPORT", "SYN_REPORT")]

    assert updates_of(*(sample(time_us, 5 + time_us) for time_us in (0, 10, 20, 30)), lifted) == []
    assert len(contacts_of(sample(0, 5), report(1, DOWN, x(1), y(1)), sample(2, 6), report(3, LIFT))) == 1


def test_new_contact_in_the_same_slot_ends_the_old_one() -> None:
    first, second, third, fourth = contacts_of(
        report(0, DOWN, x(1), y(1)),
        report(50, LIFT, DOWN, x(9)),
        report(90, y(3)),
        report(100, ("ABS_MT_TRACKING_ID", 8), y(2)),  # another contact in the same slot
        report(110, LIFT),
        report(120, LIFT, x(1), y(2), DOWN),
    )

    assert (first.samples, first.lifted_us) == ((RawSample(1, 1, 0),), 50)
    assert (second.samples, second.lifted_us) == ((RawSample(9, 1, 50), RawSample(9, 3, 90)), 100)
    assert third.samples == (RawSample(9, 2, 100),)
    assert fourth == Contact(TOUCH, 0, (RawSample(1, 2, 120),), lifted_us=120, fingers=1)


def test_other_events_and_a_lone_lift_are_ignored() -> None:
    others = [InputEvent(TOUCH, 3, "EV_SW", "SW_LID", 1), InputEvent(TOUCH, 3, "EV_SYN", "SYN_CONFIG", 0)]
    assert (
        updates_of(report(0, ("ABS_X", 5), ("ABS_Y", 5)), key(1, "KEY_LEFTSHIFT"), key(2, "BTN_STYLUS"), others) == []
    )
    assert updates_of(report(5, LIFT, x(1), y(2)), report(6, LIFT)) == []


@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        ([x(5), y(6)], [], [(5, 6), (5, 6)]),  # the kernel does not repeat unchanged positions
        ([x(5), y(6)], [x(50)], [(5, 6), (50, 6)]),
        ([x(5), y(6)], [y(60)], [(5, 6), (5, 60)]),
        ([x(0), y(0)], [x(2), y(2)], [(0, 0), (2, 2)]),
    ],
    ids=["same place", "same y", "same x", "coordinate zero"],
)
def test_second_tap_with_the_same_tracking_id_is_kept(
    first: list[tuple[str, int]], second: list[tuple[str, int]], places: list[tuple[int, int]]
) -> None:
    taps = contacts_of(report(0, DOWN, *first), report(1, LIFT), report(2, DOWN, *second), report(3, LIFT))
    assert [tap.samples for tap in taps] == [(RawSample(*place, 2 * time),) for time, place in enumerate(places)]


def test_contact_without_a_known_position_is_lost() -> None:
    updates = updates_of(report(5, DOWN, x(5)), report(6, y(6)), report(7, LIFT), report(8, DOWN), report(9, LIFT))
    assert updates == [
        ContactLost(TOUCH, 0, 5, LossCause.PLACE_UNKNOWN),
        ContactBegan(TOUCH, 0, 8),
        Contact(TOUCH, 0, (RawSample(5, 6, 8),), lifted_us=9, fingers=1),
    ]


def test_pinch_is_two_contacts() -> None:
    one, other, later = contacts_of(
        report(0, DOWN, x(10), y(10)),
        report(1, slot(1), DOWN, x(90), y(90)),
        report(2, slot(0), x(20), y(20), slot(1), x(80), y(80)),
        report(3, LIFT),
        report(4, slot(0), LIFT),
        report(5, slot(1)),
        report(6, DOWN),
        report(7, LIFT),
    )

    assert (one.slot, one.samples, one.fingers) == (1, (RawSample(90, 90, 1), RawSample(80, 80, 2)), 2)
    assert (other.slot, other.samples, other.fingers) == (0, (RawSample(10, 10, 0), RawSample(20, 20, 2)), 2)
    assert (later.slot, later.samples, later.fingers) == (1, (RawSample(80, 80, 6),), 1), "each slot keeps its place"


def test_interleaved_reports_of_two_screens() -> None:
    one, other = report(0, DOWN, x(1), y(1)), report(0, DOWN, x(2), y(2), node=OTHER_TOUCH)
    mixed = [event for pair in zip(one, other, strict=True) for event in pair]

    assert updates_of(mixed, report(1, LIFT)) == [
        ContactBegan(TOUCH, 0, 0),
        ContactBegan(OTHER_TOUCH, 0, 0),
        Contact(TOUCH, 0, (RawSample(1, 1, 0),), lifted_us=1, fingers=1),
    ]


def test_dropped_events_lose_the_contact() -> None:
    updates = updates_of(
        report(0, DOWN, x(1), y(1)),
        dropped(5),
        report(6, x(7), y(7), LIFT),
        report(7, DOWN),
        report(8, LIFT),
        report(9, DOWN, x(2), y(2)),
        report(10, LIFT),
    )

    assert updates == [
        ContactBegan(TOUCH, 0, 0),
        ContactLost(TOUCH, 0, 0, LossCause.EVENTS_DROPPED),
        ContactLost(TOUCH, 0, 7, LossCause.PLACE_UNKNOWN),
        ContactBegan(TOUCH, 0, 9),
        Contact(TOUCH, 0, (RawSample(2, 2, 9),), lifted_us=10, fingers=1),
    ]


def test_key_among_dropped_events_is_reported_as_dropped() -> None:
    (unfinished, _) = key(0, "KEY_BACK")
    drop = [InputEvent(KEYBOARD, 0, "EV_SYN", "SYN_DROPPED", 0)]
    assert updates_of([unfinished], drop, key(1, "KEY_BACK"), key(2, "KEY_HOME")) == [
        EventsDropped(KEYBOARD, 0),
        KeyPressed(KEYBOARD, SystemKey.HOME, 2),
    ]


def test_closing_loses_contacts_and_forgets_positions() -> None:
    tracker = ContactTracker()
    feed(tracker, report(0, DOWN, x(1), y(1)) + report(1, slot(1), DOWN, x(2), y(2)))

    assert tracker.close() == [
        ContactLost(TOUCH, 0, 0, LossCause.STREAM_LOST),
        ContactLost(TOUCH, 1, 1, LossCause.STREAM_LOST),
    ]
    assert tracker.close() == []
    assert feed(tracker, report(2, DOWN)) == [ContactLost(TOUCH, 0, 2, LossCause.PLACE_UNKNOWN)]


@pytest.mark.parametrize("gone", [NodeRemoved(TOUCH), NodeAdded(TOUCH)])
def test_removed_node_loses_only_its_contacts(gone: Message) -> None:
    other = report(0, DOWN, x(2), y(2), node=OTHER_TOUCH)
    assert updates_of(report(0, DOWN, x(1), y(1)), other, [gone])[2:] == [
        ContactLost(TOUCH, 0, 0, LossCause.STREAM_LOST)
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("KEY_HOME", KeyPressed(KEYBOARD, SystemKey.HOME, 1)),
        ("KEY_HOMEPAGE", KeyPressed(KEYBOARD, SystemKey.HOME, 1)),
        ("KEY_BACK", KeyPressed(KEYBOARD, SystemKey.BACK, 1)),
        ("KEY_APPSELECT", KeyPressed(KEYBOARD, SystemKey.RECENT, 1)),
        ("KEY_A", KeyTyped(KEYBOARD, "KEY_A", 1, Key("a"))),
        ("KEY_BACKSPACE", KeyTyped(KEYBOARD, "KEY_BACKSPACE", 1, Key(deletes=True))),
    ],
)
def test_held_key_is_pressed_once(code: str, expected: TouchUpdate) -> None:
    assert updates_of(key(1, code), key(2, code, 2), key(3, code, 2), key(4, code, 0)) == [expected]


def test_key_is_typed_with_the_shift_that_is_held() -> None:
    lines = (
        *(key(1, "KEY_LEFTSHIFT"), key(2, "KEY_A"), key(3, "KEY_A", 0), key(4, "KEY_LEFTSHIFT", 2)),
        *(key(5, "KEY_B"), key(6, "KEY_B", 0), key(7, "KEY_LEFTSHIFT", 0), key(8, "KEY_C"), key(9, "KEY_C", 0)),
    )
    typed = [update.key for update in updates_of(*lines) if isinstance(update, KeyTyped)]
    assert typed == [Key("A"), Key("B"), Key("c")]


def test_shortcut_types_nothing_that_is_known() -> None:
    (pasted,) = updates_of(key(1, "KEY_LEFTCTRL"), key(2, "KEY_V"), key(3, "KEY_V", 0), key(4, "KEY_LEFTCTRL", 0))
    assert pasted == KeyTyped(KEYBOARD, "KEY_V", 2, UNKNOWN)


def test_captured_taps_at_one_place_are_two_contacts() -> None:
    one, other = [update for update in captured("api36_same_coordinate_taps") if isinstance(update, Contact)]
    assert one.samples == (RawSample(0x6CCC, 0x3F25, 808_395185),)
    assert other.samples == (RawSample(0x6CCC, 0x3F25, 811_063668),)
    assert (one.lifted_us, other.lifted_us) == (808_519799, 811_207687)


def test_captured_key_and_mouse_press() -> None:
    assert captured("emulator_key_and_tap_all_devices_2024") == [
        KeyTyped(KEYBOARD, "KEY_A", 188364_900319, Key("a")),
        ContactBegan(TOUCH, 0, 188317_265032),
        ContactLost(TOUCH, 0, 188317_265032, LossCause.STREAM_LOST),
    ]


def test_long_press_and_toolbar_keys_are_recognised() -> None:
    _, contact, *keys = captured("synthetic_longpress_and_toolbar_keys")
    assert isinstance(contact, Contact)
    stroke = to_stroke(contact, SCREEN, PHONE, Rotation.R0)

    assert stroke.duration_us == 950_000
    assert recognize(stroke, TouchRules.for_density(420), PHONE) == LongPress(Point(500, 500))
    pressed = [press.key for press in keys if isinstance(press, KeyPressed)]
    assert pressed == [SystemKey.BACK, SystemKey.HOME, SystemKey.HOME, SystemKey.RECENT]


def test_raw_values_are_scaled_to_panel_pixels() -> None:
    contact = Contact(TOUCH, 0, (RawSample(9102, 12287, 500), RawSample(0, 32767, 700)), 900, 1)
    below_zero = AxisRange(-9102, 32767 - 9102)
    axes = {"ABS_MT_POSITION_X": below_zero, "ABS_MT_POSITION_Y": AXIS}

    stroke = to_stroke(contact, SCREEN, PHONE, Rotation.R0)

    assert [sample.at for sample in stroke.samples] == [Pixel(300, 900), Pixel(0, 2399)]
    assert [sample.time_us for sample in stroke.samples] == [0, 200]
    assert stroke.duration_us == 400
    moved = to_stroke(contact, InputDeviceNode(TOUCH, "", frozenset(), axes), PHONE, Rotation.R0)
    assert [sample.at for sample in moved.samples] == [Pixel(600, 900), Pixel(300, 2399)]


def delivered(raw: RawSample, panel: Size, rotation: Rotation) -> tuple[float, float]:
    """Where Android delivers a touch: TouchInputMapper reverses the raw value in its range, then scales it."""
    x, y, far_x, far_y = (value / 32768 for value in (raw.x, raw.y, 32767 - raw.x, 32767 - raw.y))
    across, down = {0: (x, y), 1: (y, far_x), 2: (far_x, far_y), 3: (far_y, x)}[rotation]
    shown = panel.turned() if rotation % 2 else panel
    return across * shown.width, down * shown.height


def raw_of(pixel: Pixel) -> RawSample:
    return RawSample(pixel.x * 32767 // PHONE.width, pixel.y * 32767 // PHONE.height, 0)


@given(
    st.sampled_from([(720, 1280), (1080, 2400), (1440, 3120), (1344, 2992), (2208, 1840), (2560, 1600)]),
    st.data(),
    st.sampled_from(Rotation),
)
def test_pixel_survives_the_round_trip_through_raw_values(
    extent: tuple[int, int], data: st.DataObject, rotation: Rotation
) -> None:
    panel = Size(*extent)
    frame = panel.turned() if rotation % 2 else panel
    pixel = Pixel(data.draw(st.integers(0, frame.width - 1)), data.draw(st.integers(0, frame.height - 1)))
    unrotated = unrotate(pixel, panel, rotation)
    raw = RawSample(unrotated.x * 32767 // panel.width, unrotated.y * 32767 // panel.height, 0)

    assert to_stroke(Contact(TOUCH, 0, (raw,), 1, 1), SCREEN, panel, rotation).start == pixel
    assert delivered(raw, panel, rotation) == pytest.approx((pixel.x, pixel.y), abs=0.2)


@pytest.mark.parametrize(
    ("rotation", "frame", "at", "expected"),
    [
        (Rotation.R0, Size(720, 1600), Pixel(300, 900), Pixel(200, 600)),
        (Rotation.R90, Size(1600, 720), Pixel(300, 900), Pixel(600, 520)),
        (Rotation.R0, Size(1080, 1200), Pixel(300, 600), Pixel(300, 0)),
        (Rotation.R180, Size(1080, 1200), Pixel(300, 601), Pixel(780, 1199)),
        (Rotation.R0, Size(2160, 4800), Pixel(300, 900), Pixel(600, 1800)),
    ],
)
def test_touch_on_a_frame_of_any_rotation_and_size(rotation: Rotation, frame: Size, at: Pixel, expected: Pixel) -> None:
    assert to_stroke(Contact(TOUCH, 0, (raw_of(at),), 1, 1), SCREEN, PHONE, rotation, frame).start == expected


def test_stroke_leaving_or_entering_the_frame() -> None:
    outside, inside = raw_of(Pixel(300, 599)), raw_of(Pixel(300, 700))
    square = Size(1080, 1200)
    leaving = to_stroke(Contact(TOUCH, 0, (inside, outside), 1, 1), SCREEN, PHONE, Rotation.R0, square)
    entering = to_stroke(Contact(TOUCH, 0, (outside, inside), 1, 1), SCREEN, PHONE, Rotation.R0, square)
    assert [sample.at for sample in leaving.samples] == [Pixel(300, 100), Pixel(300, 0)]
    assert [sample.at for sample in entering.samples] == [Pixel(300, -1), Pixel(300, 100)]


AXES = ("ABS_MT_POSITION_X", "ABS_MT_POSITION_Y", "ABS_MT_TRACKING_ID")
changes = st.dictionaries(st.sampled_from([*AXES, "ABS_MT_PRESSURE"]), st.integers(-1, 4), min_size=1)
reports = st.lists(st.dictionaries(st.integers(0, 2), changes, min_size=1), max_size=12)


def shuffled_report(fingers: dict[int, dict[str, int]], time_us: int, random: Random) -> list[Message]:
    """One report of these slots, with slots and values in a random order."""
    groups = [(slot(number), *random.sample([*values.items()], len(values))) for number, values in fingers.items()]
    return report(time_us, *(change for group in random.sample(groups, len(groups)) for change in group))


@given(reports, st.integers(0, 2**32), st.integers(0, 2**32))
def test_order_inside_a_report_does_not_matter(
    fingers_of_reports: list[dict[int, dict[str, int]]], seed: int, other_seed: int
) -> None:
    def updates_in_order(random: Random) -> list[TouchUpdate]:
        return updates_of(*(shuffled_report(fingers, time, random) for time, fingers in enumerate(fingers_of_reports)))

    assert updates_in_order(Random(seed)) == updates_in_order(Random(other_seed))


events = st.builds(
    InputEvent,
    st.sampled_from([TOUCH, KEYBOARD]),
    st.integers(0, 2**40),
    st.sampled_from(["EV_SYN", "EV_KEY", "EV_ABS", "EV_SW"]),
    st.sampled_from(["SYN_REPORT", "SYN_REPORT", "SYN_DROPPED", "KEY_HOME", "ABS_MT_SLOT", *AXES]),
    st.integers(-(2**31), 2**31 - 1),
)
nodes = st.builds(NodeAdded, st.just(TOUCH)) | st.builds(NodeRemoved, st.just(TOUCH))


@given(st.lists(events | nodes))
def test_every_contact_ends_once(messages: list[Message]) -> None:
    tracker = ContactTracker()
    open_contacts: set[tuple[str, int, int]] = set()
    for update in feed(tracker, messages) + tracker.close():
        match update:
            case ContactBegan(node, number, time_us):
                open_contacts.add((node, number, time_us))
            case Contact(node, number, samples):
                open_contacts.remove((node, number, samples[0].time_us))
            case ContactLost(node, number, began_us, cause) if cause is not LossCause.PLACE_UNKNOWN:
                open_contacts.remove((node, number, began_us))
            case ContactLost() | KeyPressed() | KeyTyped() | OtherKeyPressed() | EventsDropped():
                pass

    assert not open_contacts


def test_keys_of_the_emulator_window() -> None:
    lines = (DATA / "getevent/synthetic_escape_and_other_keys.txt").read_text().splitlines()
    node = "/dev/input/event11"
    messages = [message for line in lines if (message := parse_line(line)) is not None]
    assert updates_of(messages) == [
        KeyPressed(node, SystemKey.BACK, 812_331_204),
        OtherKeyPressed(node, "Search", 815_001_204),
        KeyPressed(node, SystemKey.BACK, 816_001_204),
        KeyTyped(node, "KEY_V", 817_100_000),
        OtherKeyPressed(node, "Down", 818_100_000),
    ]


def test_shortcuts_that_write_nothing_are_no_key_strokes() -> None:
    held = key(1, "KEY_LEFTCTRL")
    shortcuts = [*key(2, "KEY_C"), *key(3, "KEY_V"), *key(4, "KEY_ENTER")]
    assert updates_of([*held, *shortcuts, *key(5, "KEY_LEFTCTRL", 0), *key(6, "KEY_C")]) == [
        OtherKeyPressed(KEYBOARD, "Ctrl+C", 2),
        KeyTyped(KEYBOARD, "KEY_V", 3),
        KeyTyped(KEYBOARD, "KEY_ENTER", 4),
        KeyTyped(KEYBOARD, "KEY_C", 6, Key("c")),
    ]
