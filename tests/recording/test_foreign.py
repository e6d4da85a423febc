"""What happens on the device without the recorder: what is explained, and what is reported and flagged."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from odyssey_recorder.gesture.contacts import (
    Contact,
    ContactLost,
    EventsDropped,
    KeyPressed,
    KeyTyped,
    LossCause,
    RawSample,
    TouchNews,
)
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, AxisRange, InputDeviceNode
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.model.geometry import CELLS, Rotation, Size
from odyssey_recorder.recording.effects import CompareScreens, KeepFrame, SaveStep, Tell
from odyssey_recorder.recording.events import (
    FrameKept,
    FrameSeen,
    InputDone,
    InputFelt,
    InputRefused,
    Intended,
    KeyPress,
    LastStepJudged,
    ScreensCompared,
    Started,
    StepSaved,
)
from odyssey_recorder.recording.foreign import (
    LARGE,
    LATE_CHANGE_NS,
    MOST_NAMED,
    SLACK_NS,
    SMALL,
    TELL_UNEXPLAINED,
    ForeignInput,
    ForeignRules,
)
from odyssey_recorder.recording.restore import ScreenRestore
from odyssey_recorder.recording.session import Session
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.step_writer import StepWriter
from tests.fakes import FakeDevice
from tests.recording.recording_bench import RULES, RecordingBench
from tests.recording.test_session import moving, say, still

STRICT = replace(RULES, foreign=ForeignRules(late_change_ns=0, slack_ns=0))
HOME = KeyPress(SystemKey.HOME)
ALL = CELLS.width * CELLS.height
LATER = 100 * LATE_CHANGE_NS
CLOCK = frozenset({30, 31})
PAGE = frozenset(range(ALL))
AREAS = st.frozensets(st.integers(0, ALL - 1), max_size=ALL)


def quiet() -> ForeignInput:
    """The state long after our only input."""
    foreign = ForeignInput(ForeignRules(), ScreenRestore())
    foreign.begin(0)
    foreign.end(SLACK_NS)
    return foreign


def test_a_change_soon_after_our_input_is_its_effect_and_a_later_one_is_not() -> None:
    assert quiet().explains(PAGE, SLACK_NS + LATE_CHANGE_NS)
    assert not quiet().explains(PAGE, SLACK_NS + LATE_CHANGE_NS + 1)


def test_a_clock_is_told_once_and_a_page_that_is_led_elsewhere_each_time() -> None:
    foreign = quiet()
    told = [not foreign.explains(CLOCK | {32} if minute == 5 else CLOCK, LATER * minute) for minute in range(1, 20)]
    assert told == [True] + [False] * 18
    foreign.begin(LATER * 20)
    foreign.end(LATER * 20)
    assert foreign.explains(CLOCK, LATER * 21), "its place is known for the whole recording"
    assert not foreign.explains(PAGE, LATER * 21)
    assert not foreign.explains(PAGE, LATER * 22)


def test_a_banner_that_went_round_after_our_input_is_known_until_the_next_one() -> None:
    banner = frozenset(range(12 * 6))
    assert SMALL < len(banner) < LARGE
    foreign = quiet()
    assert foreign.explains(banner, SLACK_NS)
    assert foreign.explains(banner, LATER)
    foreign.begin(LATER)
    foreign.end(LATER)
    assert not foreign.explains(banner, 2 * LATER)


@given(st.lists(AREAS, max_size=12), AREAS)
def test_what_is_remembered_never_explains_a_change_of_most_of_the_screen(
    before: list[frozenset[int]], change: frozenset[int]
) -> None:
    foreign = quiet()
    for number, area in enumerate(before, 1):
        told = not foreign.explains(area, LATER * number)
        again = foreign.explains(area, LATER * number)
        assert again or len(area) > LARGE, "the same change is told once, unless it is of most of the screen"
        assert told or area <= PAGE
    if change == PAGE and all(len(area) <= SMALL // 9 for area in before):
        assert not foreign.explains(change, LATER * 99)


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 10**9)), max_size=30), st.integers(0, 10**9))
def test_what_the_kernel_felt_while_we_sent_something_is_never_anothers(
    inputs: list[tuple[int, int]], uncertainty_ns: int
) -> None:
    foreign, now_ns = quiet(), LATER
    for wait_ns, took_ns in inputs:
        foreign.begin(now_ns + wait_ns)
        now_ns += wait_ns + took_ns
        assert foreign.is_ours(now_ns, 0), "though it is not over yet"
        foreign.end(now_ns)
        assert foreign.is_ours(now_ns - took_ns - uncertainty_ns, uncertainty_ns)
        assert foreign.is_ours(now_ns + uncertainty_ns + SLACK_NS, uncertainty_ns)
    assert not foreign.is_ours(now_ns + uncertainty_ns + 2 * SLACK_NS + 1, uncertainty_ns)


# In a session.


def ready() -> Session:
    """A session that is ready on frame 2, long after its start."""
    session = Session()
    say(session, Started(0), moving(1, at=LATER), still(2, anchor=1, at=LATER + 90), FrameKept(2))
    assert session.state is State.READY
    return session


def change_screen(session: Session, cells: frozenset[int]) -> list[object]:
    """Settle on another screen, and answer the comparison with `cells`; return the effects."""
    assert say(session, moving(3, at=LATER + 200))
    assert say(session, moving(4, at=LATER + 210), still(5, anchor=4, at=LATER + 500)) == [
        CompareScreens(2, 5),
        KeepFrame(5),
    ]
    told = say(session, ScreensCompared(cells))
    say(session, FrameKept(5))
    assert session.state is State.READY
    return list(told)


def test_a_screen_that_changes_while_it_is_ready_is_told_and_flagged_with_the_next_step() -> None:
    session = ready()
    [told] = change_screen(session, PAGE)
    assert isinstance(told, Tell)
    say(session, Intended(HOME, LATER + 600))
    (save,) = say(session, still(6, anchor=4, at=LATER + 700))
    assert isinstance(save, SaveStep)
    assert save.flags == (Flag(FlagCode.UNEXPLAINED),)
    assert say(session, StepSaved(HOME), InputDone(LATER + 800)), "the flag is said once"
    assert session.next_flags == ()
    assert change_screen(ready(), frozenset()) == [], "it is what it was"


def test_a_touch_that_is_not_ours_is_named_and_explains_the_change_that_follows() -> None:
    session = ready()
    [told] = say(session, InputFelt("a touch at (3, 4), 10:00:00.0 UTC", LATER + 150, 5, LATER + 150))
    assert isinstance(told, Tell)
    assert "(3, 4)" in told.text
    assert change_screen(session, PAGE) == []
    assert session.next_flags == (Flag(FlagCode.FOREIGN_INPUT, ("a touch at (3, 4), 10:00:00.0 UTC",)),)
    for number in range(9):
        assert say(session, InputFelt(f"touch {number}", LATER + 600, 5, LATER + 600)), "each is told"
    assert len(session.next_flags) == MOST_NAMED


def test_what_the_kernel_felt_of_our_own_key_is_not_told() -> None:
    session = ready()
    say(session, Intended(HOME, LATER + 100), still(3, anchor=1, at=LATER + 110), StepSaved(HOME))
    assert say(session, InputFelt("the key HOME", LATER + 200, 5, LATER + 200)) == []
    say(session, InputDone(LATER + 400))
    assert say(session, InputFelt("the key HOME", LATER + 300, 5, LATER + 300)) == []
    late = LATER + 10 * SLACK_NS
    assert say(session, InputFelt("the key HOME", LATER + 300, 5, late)) == [], "the word of it came late"
    early = LATER - 10 * SLACK_NS
    assert say(session, InputFelt("the key HOME", early, 5, LATER + 300)) == [], "the device's clock was set back"
    assert say(session, InputFelt("the key HOME", early, 5, late)), "that is another's"


def test_a_change_after_an_input_that_the_device_refused_is_told() -> None:
    session = ready()
    say(session, Intended(HOME, LATER + 100), still(3, anchor=1, at=LATER + 110), StepSaved(HOME))
    say(session, InputRefused("no", LATER + 200), LastStepJudged(), moving(4, at=LATER + 210))
    say(session, still(5, anchor=4, at=LATER + 500), FrameKept(5), moving(6, at=LATER + 600))
    assert say(session, FrameSeen(7, 6, LATER + 900, still=True))[0] == CompareScreens(5, 7)
    assert say(session, ScreensCompared(PAGE))


# With a device.


@pytest.mark.parametrize("streams", [False, True])
def test_who_works_on_the_phone_beside_the_recorder_is_named_in_the_provenance(
    service: RecordingBench, streams: bool
) -> None:
    device = FakeDevice()
    device.streams = streams
    with service.recording(device, rules=STRICT) as recording:
        recording.tap_and_wait()
        frame = recording.ready().frame_number
        device.press_key("KEY_HOME")
        device.show("elsewhere")
        recording.annotator.await_notice("Something else acted on the device: the key HOME")
        recording.ready(after=frame)
        view = recording.tap_and_wait()
    assert view.steps[0].flag == ""
    assert view.steps[1].flag.startswith("something else acted on the device: the key HOME, ")
    assert len(recording.draft.steps[1].record.flags) == 1


def test_a_page_that_changes_without_a_step_is_flagged_and_a_clock_on_it_once_and_a_restart(
    service: RecordingBench, device: FakeDevice
) -> None:
    with service.recording(device, rules=STRICT) as recording:
        view = recording.ready()
        flags: list[str] = []
        for minute in range(3):
            device.show(with_clock(device, minute))
            view = recording.ready(after=view.frame_number)
            view = recording.tap_and_wait()
            flags.append(view.steps[-1].flag)
        device.disconnect()
        recording.until(State.DEVICE_LOST)
        device.show("home, after a restart")
        device.recover()
        recording.annotator.wait(lambda: recording.annotator.notices == [TELL_UNEXPLAINED] * 2)
        recording.ready(after=view.frame_number)
        flags.append(recording.tap_and_wait().steps[-1].flag)
    unexplained = describe_flag(Flag(FlagCode.UNEXPLAINED))
    assert flags == [unexplained, "", "", unexplained]


def with_clock(device: FakeDevice, minute: int) -> Image.Image:
    """The current screen with other digits in a small area."""
    assert isinstance(device.screen, int)
    picture = device.picture(device.screen)
    picture.paste((0, 0, 40 * minute + 40), (100, 200, 140, 220))
    return picture


AXIS = AxisRange(0, 32767)
NODE = InputDeviceNode("/dev/input/event1", "touch", frozenset(), {POSITION_X: AXIS, POSITION_Y: AXIS})
TOUCH = Contact(NODE.node, 0, (RawSample(16384, 8192, 5),), 9, 1)


@pytest.mark.parametrize(
    ("news", "words"),
    [
        (TOUCH, "a touch at (180, 160), "),
        (replace(TOUCH, node="/dev/input/event7"), "a touch, "),
        (ContactLost(NODE.node, 0, 5, LossCause.STREAM_LOST), "a touch, "),
        (KeyPressed(NODE.node, SystemKey.BACK, 5), "the key BACK, "),
        (KeyTyped(NODE.node, "KEY_A", 5), "a key of a keyboard, "),
        (EventsDropped(NODE.node, 5), ""),
    ],
)
def test_what_was_felt_is_named_with_its_place_and_time(service: RecordingBench, news: TouchNews, words: str) -> None:
    device = FakeDevice(size=Size(360, 640))
    draft = service.draft()
    writer = StepWriter(draft, RULES.touch)
    writer.take_screen(1, device.screen_state())
    said = writer.words_of(news, 0, {NODE.node: NODE})
    assert said.startswith(words)
    assert (not words) or re.fullmatch(r".*, [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9] UTC", said)
    device.state = replace(device.state, rotation=Rotation.R90)
    writer.take_screen(2, device.screen_state())
    if news is TOUCH:
        assert writer.words_of(news, 0, {NODE.node: NODE}).startswith("a touch at (160, 180)")
    draft.close()
