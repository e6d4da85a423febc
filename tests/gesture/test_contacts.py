"""From events to contacts: the kernel's habits, known traps, and real captures."""

from collections.abc import Iterable
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
    RawSample,
    TouchNews,
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
from odyssey_recorder.model.action import LongPress, SystemKey
from odyssey_recorder.model.geometry import Pixel, Point, Rotation, Size, unrotate
from tests.episodes import DATA

TOUCH, OTHER_TOUCH, KEYBOARD = "/dev/input/event1", "/dev/input/event7", "/dev/input/event12"
PHONE = Size(1080, 2400)
AXIS = AxisRange(0, 32767)
SCREEN = InputDeviceNode(
    TOUCH, "virtio_input_multi_touch_1", frozenset(), {"ABS_MT_POSITION_X": AXIS, "ABS_MT_POSITION_Y": AXIS}
)

LIFT = ("ABS_MT_TRACKING_ID", -1)
LAND = ("ABS_MT_TRACKING_ID", 0)


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


def news_of(*reports: Iterable[Message]) -> list[TouchNews]:
    tracker = ContactTracker()
    return [news for messages in reports for message in messages for news in tracker.feed(message)]


def contacts_of(*reports: Iterable[Message]) -> list[Contact]:
    return [news for news in news_of(*reports) if isinstance(news, Contact)]


def captured(name: str) -> list[TouchNews]:
    tracker = ContactTracker()
    lines = (DATA / "getevent" / f"{name}.txt").read_text().splitlines()
    messages = [message for line in lines if (message := parse_line(line, node=TOUCH))]
    return [news for message in messages for news in tracker.feed(message)] + tracker.close()


# --- a finger --------------------------------------------------------------------------------------------


def test_a_tap_begins_and_ends_and_a_still_finger_sends_nothing() -> None:
    assert news_of(report(10, LAND, x(5), y(6)), report(950_010, ("ABS_MT_PRESSURE", 0), LIFT)) == [
        ContactBegan(TOUCH, 0, 10),
        Contact(TOUCH, 0, (RawSample(5, 6, 10),), lifted_us=950_010, fingers=1),
    ]


def test_a_drag_has_a_sample_for_every_report_that_moves_it_and_fills_in_the_axis_that_stands() -> None:
    (contact,) = contacts_of(
        report(0, LAND, x(1), y(1)),
        report(10, y(2)),
        report(20, ("ABS_MT_PRESSURE", 3)),
        report(30, x(3)),
        report(40, x(4), y(4), LIFT),
    )

    assert contact.samples == (RawSample(1, 1, 0), RawSample(1, 2, 10), RawSample(3, 2, 30), RawSample(4, 4, 40))


def test_a_screen_of_the_older_protocol_gives_no_false_taps_and_its_neighbour_is_heard() -> None:
    def sample(time_us: int, at: int) -> list[Message]:
        axes = [InputEvent(OTHER_TOUCH, time_us, "EV_ABS", code, value) for code, value in (x(at), y(at), LAND)]
        ends = [InputEvent(OTHER_TOUCH, time_us, "EV_SYN", code, 0) for code in ("SYN_MT_REPORT", "SYN_REPORT")]
        return [*axes, *ends]

    lifted = [InputEvent(OTHER_TOUCH, 40, "EV_SYN", code, 0) for code in ("SYN_MT_REPORT", "SYN_REPORT")]

    assert news_of(*(sample(time_us, 5 + time_us) for time_us in (0, 10, 20, 30)), lifted) == []
    assert len(contacts_of(sample(0, 5), report(1, LAND, x(1), y(1)), sample(2, 6), report(3, LIFT))) == 1


def test_two_reports_in_one_are_a_lift_and_a_landing_of_a_finger_that_was_down() -> None:
    first, second, third, fourth = contacts_of(
        report(0, LAND, x(1), y(1)),
        report(50, LIFT, LAND, x(9)),
        report(90, y(3)),
        report(100, ("ABS_MT_TRACKING_ID", 8), y(2)),  # another contact in the same slot
        report(110, LIFT),
        report(120, LIFT, x(1), y(2), LAND),
    )

    assert (first.samples, first.lifted_us) == ((RawSample(1, 1, 0),), 50)
    assert (second.samples, second.lifted_us) == ((RawSample(9, 1, 50), RawSample(9, 3, 90)), 100)
    assert third.samples == (RawSample(9, 2, 100),)
    assert fourth == Contact(TOUCH, 0, (RawSample(1, 2, 120),), lifted_us=120, fingers=1)


def test_other_axes_keys_and_switches_and_a_lift_without_a_landing_bring_nothing() -> None:
    others = [InputEvent(TOUCH, 3, "EV_SW", "SW_LID", 1), InputEvent(TOUCH, 3, "EV_SYN", "SYN_CONFIG", 0)]

    assert news_of(report(0, ("ABS_X", 5), ("ABS_Y", 5)), key(1, "KEY_LEFTSHIFT"), key(2, "BTN_STYLUS"), others) == []
    assert news_of(report(5, LIFT, x(1), y(2)), report(6, LIFT)) == []


# --- known traps -----------------------------------------------------------------------------------------


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
def test_no_second_tap_is_lost_though_the_tracking_id_is_zero_every_time(
    first: list[tuple[str, int]], second: list[tuple[str, int]], places: list[tuple[int, int]]
) -> None:
    taps = contacts_of(report(0, LAND, *first), report(1, LIFT), report(2, LAND, *second), report(3, LIFT))

    assert [tap.samples for tap in taps] == [(RawSample(*place, 2 * time),) for time, place in enumerate(places)]


def test_a_contact_whose_place_was_never_seen_is_lost_and_never_guessed() -> None:
    news = news_of(report(5, LAND, x(5)), report(6, y(6)), report(7, LIFT), report(8, LAND), report(9, LIFT))

    assert news == [
        ContactLost(TOUCH, 0, 5, LossCause.PLACE_UNKNOWN),
        ContactBegan(TOUCH, 0, 8),
        Contact(TOUCH, 0, (RawSample(5, 6, 8),), lifted_us=9, fingers=1),
    ]


# --- fingers ---------------------------------------------------------------------------------------------


def test_a_pinch_is_two_contacts_that_know_of_each_other() -> None:
    one, other, later = contacts_of(
        report(0, LAND, x(10), y(10)),
        report(1, slot(1), LAND, x(90), y(90)),
        report(2, slot(0), x(20), y(20), slot(1), x(80), y(80)),
        report(3, LIFT),
        report(4, slot(0), LIFT),
        report(5, slot(1)),
        report(6, LAND),
        report(7, LIFT),
    )

    assert (one.slot, one.samples, one.fingers) == (1, (RawSample(90, 90, 1), RawSample(80, 80, 2)), 2)
    assert (other.slot, other.samples, other.fingers) == (0, (RawSample(10, 10, 0), RawSample(20, 20, 2)), 2)
    assert (later.slot, later.samples, later.fingers) == (1, (RawSample(80, 80, 6),), 1), "each slot keeps its place"


def test_reports_of_two_screens_may_be_interleaved_and_their_fingers_count_apart() -> None:
    one, other = report(0, LAND, x(1), y(1)), report(0, LAND, x(2), y(2), node=OTHER_TOUCH)
    mixed = [event for pair in zip(one, other, strict=True) for event in pair]

    assert news_of(mixed, report(1, LIFT)) == [
        ContactBegan(TOUCH, 0, 0),
        ContactBegan(OTHER_TOUCH, 0, 0),
        Contact(TOUCH, 0, (RawSample(1, 1, 0),), lifted_us=1, fingers=1),
    ]


# --- losses ----------------------------------------------------------------------------------------------


def test_after_dropped_events_the_contact_is_lost_and_all_up_to_the_next_report_is_ignored() -> None:
    news = news_of(
        report(0, LAND, x(1), y(1)),
        dropped(5),
        report(6, x(7), y(7), LIFT),
        report(7, LAND),
        report(8, LIFT),
        report(9, LAND, x(2), y(2)),
        report(10, LIFT),
    )

    assert news == [
        ContactBegan(TOUCH, 0, 0),
        ContactLost(TOUCH, 0, 0, LossCause.EVENTS_DROPPED),
        ContactLost(TOUCH, 0, 7, LossCause.PLACE_UNKNOWN),
        ContactBegan(TOUCH, 0, 9),
        Contact(TOUCH, 0, (RawSample(2, 2, 9),), lifted_us=10, fingers=1),
    ]


def test_a_key_among_dropped_events_is_ignored_but_not_in_silence() -> None:
    (unfinished, _) = key(0, "KEY_BACK")
    drop = [InputEvent(KEYBOARD, 0, "EV_SYN", "SYN_DROPPED", 0)]

    assert news_of([unfinished], drop, key(1, "KEY_BACK"), key(2, "KEY_HOME")) == [
        EventsDropped(KEYBOARD, 0),
        KeyPressed(KEYBOARD, SystemKey.HOME, 2),
    ]


def test_when_the_stream_breaks_off_contacts_are_lost_and_places_forgotten() -> None:
    tracker = ContactTracker()
    for message in [*report(0, LAND, x(1), y(1)), *report(1, slot(1), LAND, x(2), y(2))]:
        tracker.feed(message)

    assert tracker.close() == [
        ContactLost(TOUCH, 0, 0, LossCause.STREAM_LOST),
        ContactLost(TOUCH, 1, 1, LossCause.STREAM_LOST),
    ]
    assert tracker.close() == []
    assert [news for message in report(2, LAND) for news in tracker.feed(message)] == [
        ContactLost(TOUCH, 0, 2, LossCause.PLACE_UNKNOWN)
    ]


@pytest.mark.parametrize("gone", [NodeRemoved(TOUCH), NodeAdded(TOUCH)])
def test_when_a_node_goes_its_contacts_are_lost_and_no_others(gone: Message) -> None:
    other = report(0, LAND, x(2), y(2), node=OTHER_TOUCH)

    assert news_of(report(0, LAND, x(1), y(1)), other, [gone])[2:] == [ContactLost(TOUCH, 0, 0, LossCause.STREAM_LOST)]


# --- keys ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("KEY_HOME", KeyPressed(KEYBOARD, SystemKey.HOME, 1)),
        ("KEY_HOMEPAGE", KeyPressed(KEYBOARD, SystemKey.HOME, 1)),
        ("KEY_BACK", KeyPressed(KEYBOARD, SystemKey.BACK, 1)),
        ("KEY_APPSELECT", KeyPressed(KEYBOARD, SystemKey.RECENT, 1)),
        ("KEY_A", KeyTyped(KEYBOARD, "KEY_A", 1)),
        ("KEY_BACKSPACE", KeyTyped(KEYBOARD, "KEY_BACKSPACE", 1)),
    ],
)
def test_a_key_is_pressed_once_however_long_it_is_held(code: str, expected: TouchNews) -> None:
    assert news_of(key(1, code), key(2, code, 2), key(3, code, 2), key(4, code, 0)) == [expected]


# --- real captures ---------------------------------------------------------------------------------------


def test_the_captured_taps_at_one_place_are_two_contacts_there() -> None:
    one, other = [news for news in captured("api36_same_coordinate_taps") if isinstance(news, Contact)]

    assert one.samples == (RawSample(0x6CCC, 0x3F25, 808_395185),)
    assert other.samples == (RawSample(0x6CCC, 0x3F25, 811_063668),)
    assert (one.lifted_us, other.lifted_us) == (808_519799, 811_207687)


def test_the_captured_key_is_typed_and_the_captured_mouse_press_begins() -> None:
    assert captured("emulator_key_and_tap_all_devices_2024") == [
        KeyTyped(KEYBOARD, "KEY_A", 188364_900319),
        ContactBegan(TOUCH, 0, 188317_265032),
        ContactLost(TOUCH, 0, 188317_265032, LossCause.STREAM_LOST),
    ]


def test_the_derived_long_press_and_toolbar_keys_are_recognised() -> None:
    _, contact, *keys = captured("synthetic_longpress_and_toolbar_keys")
    assert isinstance(contact, Contact)
    stroke = to_stroke(contact, SCREEN, PHONE, Rotation.R0)

    assert stroke.duration_us == 950_000
    assert recognize(stroke, TouchRules.for_density(420), PHONE) == LongPress(Point(500, 500))
    pressed = [press.key for press in keys if isinstance(press, KeyPressed)]
    assert pressed == [SystemKey.BACK, SystemKey.HOME, SystemKey.HOME, SystemKey.RECENT]


# --- pixels ----------------------------------------------------------------------------------------------


def test_raw_values_are_pixels_of_the_panel_and_times_count_from_touch_down() -> None:
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
def test_a_pixel_of_the_frame_comes_back_as_it_was_and_is_where_android_delivers_it(
    extent: tuple[int, int], data: st.DataObject, rotation: Rotation
) -> None:
    panel = Size(*extent)
    frame = panel.turned() if rotation % 2 else panel
    pixel = Pixel(data.draw(st.integers(0, frame.width - 1)), data.draw(st.integers(0, frame.height - 1)))
    natural = unrotate(pixel, panel, rotation)
    raw = RawSample(natural.x * 32767 // panel.width, natural.y * 32767 // panel.height, 0)

    stroke = to_stroke(Contact(TOUCH, 0, (raw,), 1, 1), SCREEN, panel, rotation)

    assert stroke.start == pixel
    assert delivered(raw, panel, rotation) == pytest.approx((pixel.x, pixel.y), abs=0.2)


@pytest.mark.parametrize(
    ("rotation", "frame", "place", "expected"),
    [
        (Rotation.R0, Size(720, 1600), Pixel(300, 900), Pixel(200, 600)),
        (Rotation.R90, Size(1600, 720), Pixel(300, 900), Pixel(600, 520)),
        (Rotation.R0, Size(1080, 1200), Pixel(300, 600), Pixel(300, 0)),
        (Rotation.R180, Size(1080, 1200), Pixel(300, 601), Pixel(780, 1199)),
        (Rotation.R0, Size(2160, 4800), Pixel(300, 900), Pixel(600, 1800)),
    ],
)
def test_a_frame_of_any_rotation_and_size_is_touched_where_it_lies_on_the_panel(
    rotation: Rotation, frame: Size, place: Pixel, expected: Pixel
) -> None:
    assert to_stroke(Contact(TOUCH, 0, (raw_of(place),), 1, 1), SCREEN, PHONE, rotation, frame).start == expected


def test_a_stroke_that_leaves_the_frame_ends_at_its_edge_and_one_that_began_beside_it_is_none_on_it() -> None:
    beside, on = raw_of(Pixel(300, 599)), raw_of(Pixel(300, 700))
    square = Size(1080, 1200)

    left = to_stroke(Contact(TOUCH, 0, (on, beside), 1, 1), SCREEN, PHONE, Rotation.R0, square)
    entered = to_stroke(Contact(TOUCH, 0, (beside, on), 1, 1), SCREEN, PHONE, Rotation.R0, square)

    assert [sample.at for sample in left.samples] == [Pixel(300, 100), Pixel(300, 0)]
    assert [sample.at for sample in entered.samples] == [Pixel(300, -1), Pixel(300, 100)]


# --- any order, any noise --------------------------------------------------------------------------------

AXES = ("ABS_MT_POSITION_X", "ABS_MT_POSITION_Y", "ABS_MT_TRACKING_ID")
changes = st.dictionaries(st.sampled_from([*AXES, "ABS_MT_PRESSURE"]), st.integers(-1, 4), min_size=1)
reports = st.lists(st.dictionaries(st.integers(0, 2), changes, min_size=1), max_size=12)


def messages_of(fingers: dict[int, dict[str, int]], time_us: int, order: Random) -> list[Message]:
    """One report of these slots, with slots and values in a random order."""
    groups = [[slot(number), *shuffled(values, order)] for number, values in fingers.items()]
    order.shuffle(groups)
    return report(time_us, *(change for group in groups for change in group))


def shuffled(values: dict[str, int], order: Random) -> list[tuple[str, int]]:
    pairs = list(values.items())
    order.shuffle(pairs)
    return pairs


@given(reports, st.integers(0, 2**32), st.integers(0, 2**32))
def test_the_order_inside_a_report_means_nothing(
    fingers_of_reports: list[dict[int, dict[str, int]]], seed: int, other_seed: int
) -> None:
    def news_in_order(order: Random) -> list[TouchNews]:
        return news_of(*(messages_of(fingers, time, order) for time, fingers in enumerate(fingers_of_reports)))

    assert news_in_order(Random(seed)) == news_in_order(Random(other_seed))


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
def test_whatever_comes_every_contact_that_began_ends_once(messages: list[Message]) -> None:
    tracker = ContactTracker()
    open_contacts: set[tuple[str, int, int]] = set()
    for news in [news for message in messages for news in tracker.feed(message)] + tracker.close():
        match news:
            case ContactBegan(node, number, time_us):
                open_contacts.add((node, number, time_us))
            case Contact(node, number, samples):
                open_contacts.remove((node, number, samples[0].time_us))
            case ContactLost(node, number, began_us, cause) if cause is not LossCause.PLACE_UNKNOWN:
                open_contacts.remove((node, number, began_us))
            case ContactLost() | KeyPressed() | KeyTyped() | EventsDropped():
                pass

    assert not open_contacts
