"""Changes and input on the device that are not the recorder's: what is explained, and what is reported and flagged."""

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
    OtherKeyPressed,
    RawSample,
    TouchUpdate,
)
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, AxisRange, InputDeviceNode
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from odyssey_recorder.model.geometry import CELLS, Rotation, Size
from odyssey_recorder.recording.effects import CompareScreens, Effect, KeepFrame, SaveStep, Tell, Watch
from odyssey_recorder.recording.events import (
    FrameKept,
    InputDone,
    InputRefused,
    Intended,
    KernelInputSeen,
    KeyPress,
    LastStepJudged,
    ScreensCompared,
    Started,
    StepSaved,
)
from odyssey_recorder.recording.foreign_input import (
    FOREIGN_INPUT_NOTICE,
    LARGE,
    LATE_CHANGE_NS,
    MAX_NAMED,
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
from tests.recording.test_session import Line, Scenario, has, moving, run, run_scenario, send, still

STRICT = replace(RULES, foreign=ForeignRules(late_change_ns=0, slack_ns=0))
HOME = KeyPress(SystemKey.HOME)
ALL = CELLS.width * CELLS.height
LATER = 100 * LATE_CHANGE_NS
CLOCK = frozenset({30, 31})
PAGE = frozenset(range(ALL))
UNEXPLAINED = Flag(FlagCode.UNEXPLAINED)
AREAS = st.frozensets(st.integers(0, ALL - 1), max_size=ALL)


def long_after_input() -> ForeignInput:
    """The state long after our only input."""
    foreign = ForeignInput(ForeignRules(), ScreenRestore())
    foreign.begin(0)
    foreign.end(SLACK_NS)
    return foreign


def test_input_explains_only_changes_soon_after_it() -> None:
    assert long_after_input().explains(PAGE, SLACK_NS + LATE_CHANGE_NS)
    assert not long_after_input().explains(PAGE, SLACK_NS + LATE_CHANGE_NS + 1)


def test_clock_is_reported_once_and_a_new_page_each_time() -> None:
    foreign = long_after_input()
    reported = [not foreign.explains(CLOCK | {32} if minute == 5 else CLOCK, LATER * minute) for minute in range(1, 20)]
    assert reported == [True] + [False] * 18
    foreign.begin(LATER * 20)
    foreign.end(LATER * 20)
    assert foreign.explains(CLOCK, LATER * 21), "its area is known for the whole recording"
    assert not foreign.explains(PAGE, LATER * 21)
    assert not foreign.explains(PAGE, LATER * 22)


def test_area_changed_by_our_input_is_ignored_until_the_next_input() -> None:
    banner = frozenset(range(12 * 6))
    assert SMALL < len(banner) < LARGE
    foreign = long_after_input()
    assert foreign.explains(banner, SLACK_NS)
    assert foreign.explains(banner, LATER)
    foreign.begin(LATER)
    foreign.end(LATER)
    assert not foreign.explains(banner, 2 * LATER)


@given(st.lists(AREAS, max_size=12), AREAS)
def test_change_of_most_of_the_screen_is_always_reported(before: list[frozenset[int]], change: frozenset[int]) -> None:
    foreign = long_after_input()
    for number, area in enumerate(before, 1):
        reported = not foreign.explains(area, LATER * number)
        again = foreign.explains(area, LATER * number)
        assert again or len(area) > LARGE, "the same change is reported once, unless it covers most of the screen"
        assert reported or area <= PAGE
    if change == PAGE and all(len(area) <= SMALL // 9 for area in before):
        assert not foreign.explains(change, LATER * 99)


@given(st.lists(st.tuples(st.integers(0, 10**10), st.integers(0, 10**9)), max_size=30), st.integers(0, 10**9))
def test_input_during_our_own_is_not_foreign(inputs: list[tuple[int, int]], uncertainty_ns: int) -> None:
    foreign, now_ns = long_after_input(), LATER
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
    run(session, Started(0), moving(1, at=LATER), still(2, anchor=1, at=LATER + 90), FrameKept(2), State.READY)
    return session


def sending() -> Session:
    session = ready()
    send(session, Intended(HOME, LATER + 100), still(3, anchor=1, at=LATER + 110), StepSaved(HOME))
    return session


def kernel_input(text: str, moment_ns: int, reported_ns: int) -> KernelInputSeen:
    return KernelInputSeen(text, moment_ns, 5, reported_ns)


def screen_change(cells: frozenset[int], *reported: Effect) -> tuple[Line, ...]:
    """The screen changes, in `cells`."""
    return (
        moving(3, at=LATER + 200), [Watch(LATER + 200)],
        moving(4, at=LATER + 210), still(5, anchor=4, at=LATER + 500), [CompareScreens(2, 5), KeepFrame(5)],
        ScreensCompared(cells), [*reported], FrameKept(5), State.READY,
    )  # fmt: skip


BY_HAND = "a touch at (3, 4), 10:00:00.0 UTC"
EARLY = LATER - 10 * SLACK_NS
SCENARIOS: dict[str, Scenario] = {
    "a screen that changes while ready is reported, and only the next step is flagged": (
        ready, *screen_change(PAGE, Tell(TELL_UNEXPLAINED)), Intended(HOME, LATER + 600),
        still(6, anchor=4, at=LATER + 700), [SaveStep(5, 6, True, LATER + 600, HOME, flags=(UNEXPLAINED,))],
        StepSaved(HOME), InputDone(LATER + 800), has(next_flags=()),
    ),
    "a screen that looks as before is not reported": (ready, *screen_change(frozenset())),
    "a touch that is not ours is named and explains the change that follows": (
        ready, kernel_input(BY_HAND, LATER + 150, LATER + 150), [Tell(FOREIGN_INPUT_NOTICE.format(BY_HAND))],
        *screen_change(PAGE), has(next_flags=(Flag(FlagCode.FOREIGN_INPUT, (BY_HAND,)),)),
    ),
    "our own key, as the kernel reports it, is not foreign": (
        sending, kernel_input("HOME", LATER + 200, LATER + 200), [], InputDone(LATER + 400),
        kernel_input("HOME", LATER + 300, LATER + 300), [],
        kernel_input("HOME", LATER + 300, LATER + 10 * SLACK_NS), [],  # reported late
        kernel_input("HOME", EARLY, LATER + 300), [],  # the device's clock was set back
        kernel_input("HOME", EARLY, LATER + 10 * SLACK_NS), [Tell(FOREIGN_INPUT_NOTICE.format("HOME"))],  # not ours
    ),
    "a change after an input that the device refused is reported": (
        sending, InputRefused("no", LATER + 200), LastStepJudged(), moving(4, at=LATER + 210),
        still(5, anchor=4, at=LATER + 500), FrameKept(5), moving(6, at=LATER + 600),
        still(7, anchor=6, at=LATER + 900), [CompareScreens(5, 7), KeepFrame(7)],
        ScreensCompared(PAGE), [Tell(TELL_UNEXPLAINED)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_session_reports_only_foreign_input_and_changes(scenario: Scenario) -> None:
    run_scenario(scenario)


def test_every_foreign_touch_is_reported_but_few_are_flagged() -> None:
    session = ready()
    for number in range(MAX_NAMED + 4):
        assert send(session, kernel_input(f"touch {number}", LATER, LATER))
    assert len(session.next_flags) == MAX_NAMED


# With a device.


@pytest.mark.parametrize("streams", [False, True])
def test_foreign_key_is_reported_and_flagged(bench: RecordingBench, streams: bool) -> None:
    device = FakeDevice()
    device.streams = streams
    with bench.recording(device, rules=STRICT) as recording:
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


def test_changed_page_is_flagged_each_time_and_clock_once(bench: RecordingBench, device: FakeDevice) -> None:
    with bench.recording(device, rules=STRICT) as recording:
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
        recording.accept_screen()
        recording.ready(after=view.frame_number)
        flags.append(recording.tap_and_wait().steps[-1].flag)
        assert recording.annotator.notices == [TELL_UNEXPLAINED]
    assert flags == [describe_flag(UNEXPLAINED), "", "", describe_flag(Flag(FlagCode.AFTER_LOSS))]


def with_clock(device: FakeDevice, minute: int) -> Image.Image:
    """The current screen with other digits in a small area."""
    assert isinstance(device.screen, int)
    screenshot = device.screenshot(device.screen)
    screenshot.paste((0, 0, 40 * minute + 40), (100, 200, 140, 220))
    return screenshot


AXIS = AxisRange(0, 32767)
NODE = InputDeviceNode("/dev/input/event1", "touch", frozenset(), {POSITION_X: AXIS, POSITION_Y: AXIS})
TOUCH = Contact(NODE.node, 0, (RawSample(16384, 8192, 5),), 9, 1)


@pytest.mark.parametrize(
    ("news", "text"),
    [
        (TOUCH, "a touch at (180, 160), "),
        (replace(TOUCH, node="/dev/input/event7"), "a touch, "),
        (ContactLost(NODE.node, 0, 5, LossCause.STREAM_LOST), "a touch, "),
        (KeyPressed(NODE.node, SystemKey.BACK, 5), "the key BACK, "),
        (OtherKeyPressed(NODE.node, "Down", 5), "the key Down, "),
        (KeyTyped(NODE.node, "KEY_A", 5), "a key of a keyboard, "),
        (EventsDropped(NODE.node, 5), ""),
    ],
)
def test_foreign_input_is_described_with_position_and_time(bench: RecordingBench, news: TouchUpdate, text: str) -> None:
    device = FakeDevice(size=Size(360, 640))
    draft = bench.draft()
    writer = StepWriter(draft, RULES.touch)
    writer.take_screen(1, device.screen_state())
    description = writer.describe_input(news, 0, {NODE.node: NODE})
    assert description.startswith(text)
    assert (not text) or re.fullmatch(r".*, [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9] UTC", description)
    device.state = replace(device.state, rotation=Rotation.R90)
    writer.take_screen(2, device.screen_state())
    if news is TOUCH:
        assert writer.describe_input(news, 0, {NODE.node: NODE}).startswith("a touch at (160, 180)")
    draft.close()
