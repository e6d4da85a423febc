"""Scenarios of a passive session: inputs on the device, and the steps they become."""

from dataclasses import replace

import pytest

from odyssey_recorder.gesture.areas import Navigation, NavigationRules, ScreenAreas
from odyssey_recorder.gesture.contacts import EventsDropped, KeyPressed, LossCause
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Box, Rotation, Size
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.passive import (
    AREAS_UNREAD,
    CLOCK_CHANGED,
    DEAF,
    UNTOUCHED,
    UNTOUCHED_SCREENS,
    PassiveSession,
)
from odyssey_recorder.recording.raw_input import (
    BLIND,
    DIALOG_TOUCHED,
    NO_ANSWER,
    NO_PLACE,
    NO_SCREENSHOT,
    PINCHED,
    Interpreter,
)
from odyssey_recorder.recording.raw_input_queue import DROPPED, LATE_NS, LOST, MOST_WAITING, NOT_A_STEP, TOO_MANY
from odyssey_recorder.recording.restore import ANSWER_ANDROID
from odyssey_recorder.recording.state import State
from tests.recording.passive_bench import KEYBOARD, PLAIN, SCREEN, TOUCH, TYPING, Bench, Views, count, describe, steps

LAUNCHER = replace(PLAIN, package="com.android.launcher3")
RECENTS = replace(LAUNCHER, activity=".RecentsActivity")
HOME, OVERVIEW = replace(LAUNCHER, overview=False), replace(LAUNCHER, overview=True)

# Inputs become steps.


@pytest.mark.parametrize("streams", [True, False])
def test_tap_is_a_step_with_the_screenshot_before_it(streams: bool) -> None:
    bench = Bench(streams=streams).begin().tap(100, 200, then=1).wait(300)

    [step] = bench.steps
    assert steps(bench) == ["100,200 on 0"]
    assert (step.proven, step.settled, step.flags, bench.messages) == (True, True, (), [])
    assert step.sent == (step.touched_ns, step.touched_ns + 80_000_000)
    assert bench.state() is State.READY


def test_session_is_ready_once_frames_and_input_arrive() -> None:
    bench = Bench()
    assert bench.state() is State.IDLE
    bench.down()
    bench.send(events.Started(bench.now_ns))
    assert (bench.state(), bench.session.frame) == (State.SETTLING, None)
    bench.begin()
    assert (bench.state(), bench.session.frame) == (State.READY, 1)
    assert bench.steps == []


def test_steps_on_the_same_screen_share_a_screenshot() -> None:
    bench = Bench().begin().tap(10, 10).wait(300)
    bench.tap(20, 20).wait(300)

    assert steps(bench) == ["10,10 on 0", "20,20 on 0"]
    assert count(bench, effects.KeepFrame) == 1


def test_toolbar_and_navigation_bar_presses_are_system_keys() -> None:
    bench = Bench().begin()
    for screen, key in enumerate(SystemKey, 1):
        bench.press(key).wait(20)
        bench.show(screen).wait(300)
    for x, leads_to in ((230, PLAIN), (540, LAUNCHER), (850, LAUNCHER)):
        bench.tap(x, 2340)
        bench.areas = leads_to
        bench.wait(700)

    assert steps(bench) == ["HOME on 0", "BACK on 1", "RECENT on 2", "BACK on 3", "HOME on 3", "RECENT on 3"]
    assert {step.flags for step in bench.steps} == {()}


AT_THE_END = {key: Box(left, 2290, left + 88, 2390) for key, left in zip(SystemKey, (800, 600, 950), strict=True)}


def large_bench() -> Bench:
    """Its screen is 675 dp wide."""
    rules = Interpreter(TouchRules.for_density(256), NavigationRules.for_density(256))
    return Bench(PassiveSession(rules))


@pytest.mark.parametrize(
    ("x", "leads_to", "step", "flag"),
    [
        pytest.param(540, LAUNCHER, "HOME on 0", None, id="home"),
        pytest.param(540, PLAIN, "HOME on 0", ("the button HOME", "com.example.shop/.Main"), id="still the app"),
        pytest.param(850, PLAIN, "RECENT on 0", ("the button RECENT", "com.example.shop/.Main"), id="no overview"),
        pytest.param(
            230, RECENTS, "BACK on 0", ("the button BACK", "com.android.launcher3/.RecentsActivity"), id="back"
        ),
        pytest.param(1060, RECENTS, "RECENT on 0", None, id="beyond recent, and it was that"),
        pytest.param(1060, PLAIN, "1060,2340 on 0", None, id="the switcher of keyboards"),
        pytest.param(540, OVERVIEW, "HOME on 0", ("the button HOME", "com.android.launcher3/.Main"), id="not home"),
        pytest.param(850, OVERVIEW, "RECENT on 0", None, id="overview in the launcher's own activity"),
        pytest.param(850, HOME, "RECENT on 0", ("the button RECENT", "com.android.launcher3/.Main"), id="not recent"),
    ],
)
def test_effect_of_a_navigation_button_is_compared(
    x: int, leads_to: ScreenAreas, step: str, flag: tuple[str, str] | None
) -> None:
    bench = Bench().begin().tap(x, 2340).wait(300)
    assert bench.steps == [], "its effect may still come"
    bench.areas, bench.overview = replace(leads_to, overview=None), leads_to.overview
    bench.wait(700)

    assert steps(bench) == [step]
    assert bench.steps[0].flags == (() if flag is None else (Flag(FlagCode.OTHER_EFFECT, flag),))
    assert bench.messages == []


def test_tap_beside_a_taskbars_buttons_is_a_click_unless_its_effect_says_otherwise() -> None:
    """The bounds were read only after the first tap began; a bar that is 320 dp wide is no taskbar."""
    bench = large_bench().begin().tap(300, 2340)
    bench.areas = replace(bench.areas or PLAIN, buttons=AT_THE_END)
    bench.wait(700).tap(320, 2340)
    bench.areas = replace(bench.areas, package=LAUNCHER.package)
    bench.wait(700)

    assert steps(bench) == ["300,2340 on 0", "320,2340 on 0"]
    other = Flag(FlagCode.OTHER_EFFECT, ("a tap beside the buttons", "com.android.launcher3/.Main"))
    assert [step.flags for step in bench.steps] == [(), (other,)]


def test_effect_after_the_next_input_proves_nothing() -> None:
    bench = Bench().begin().tap(540, 2340).wait(100)
    bench.tap(500, 900).wait(1000)

    assert steps(bench) == ["HOME on 0", "500,900 on 0"]
    assert {step.flags for step in bench.steps} == {()}


@pytest.mark.parametrize(
    ("leads_to", "waits_ms", "step", "flags"),
    [
        pytest.param("com.android.launcher3", 600, "HOME on 0", (), id="the launcher"),
        pytest.param(PLAIN.package, 600, "540,2390 on 0", (Flag(FlagCode.NO_KEY),), id="nothing, it is a scroll"),
        pytest.param(None, 4000, "HOME on 0", (Flag(FlagCode.AREAS_UNKNOWN),), id="unknown, so by its looks"),
    ],
)
def test_swipe_up_from_the_edge_is_judged_by_its_effect(
    leads_to: str | None, waits_ms: int, step: str, flags: tuple[Flag, ...]
) -> None:
    bench = Bench(areas=replace(PLAIN, navigation=Navigation.GESTURES)).begin()
    bench.areas = bench.areas if leads_to else None
    bench.down().wait(100).up((540, 2390), ms=100, path=((540, 1800), (540, 1200))).wait(200)
    assert steps(bench) == [], "the launcher may still come"
    bench.areas = replace(PLAIN, navigation=Navigation.GESTURES, package=leads_to) if leads_to else None
    bench.wait(waits_ms)

    assert steps(bench) == [step]
    assert bench.steps[0].flags == flags


@pytest.mark.parametrize(("goes_on", "step"), [(False, "RECENT on 0"), (True, "HOME on 0")])
def test_home_and_recent_of_one_activity_are_told_apart_by_its_views(goes_on: bool, step: str) -> None:
    """A dump takes two seconds, and shows nothing of the time before the next input. Then the swipe's looks decide."""
    areas = replace(LAUNCHER, navigation=Navigation.GESTURES)
    bench = Bench(areas=areas, phone=Views(overview=True), look_ms=120).begin().wait(3000)
    bench.down().wait(100).up((540, 2390), ms=100, path=((540, 1800), (540, 1200))).show(1).wait(1000)
    assert bench.steps == []
    if goes_on:
        bench.tap(300, 600)
    bench.wait(9000)

    assert (steps(bench)[0], bench.steps[0].flags) == (step, ())


def spin(bench: Bench, *travels: int, at: tuple[int, int] = (540, 1200), pause_ms: int = 0, bend: int = 0) -> None:
    """Contacts that begin at one place and move up by `travels`; the screen changes with each."""
    for travel in travels:
        bench.down().wait(100).show(bench.screen + 1)
        bench.up(at, ms=100, path=((at[0] + bend, at[1] - travel // 2), (at[0], at[1] - travel))).wait(pause_ms)


def ends(bench: Bench) -> list[tuple[int, int, int]]:
    """Where each stroke begins, and how far up it ends."""
    strokes = [step.intent.stroke for step in bench.steps if isinstance(step.intent, events.Touch)]
    return [(stroke.start.x, stroke.start.y, stroke.end.y) for stroke in strokes]


@pytest.mark.parametrize("pause_ms", [0, 20, 200])
def test_one_spin_of_the_wheel_is_one_scroll_on_the_screen_before_it(pause_ms: int) -> None:
    bench = Bench().begin().tap(10, 10).wait(600)
    spin(bench, 200, 160, 300, pause_ms=pause_ms)
    bench.wait(1000).tap(20, 20).wait(600)

    assert steps(bench) == ["10,10 on 0", "540,1200 on 0", "20,20 on 3"]
    assert ends(bench)[1] == (540, 1200, 540)
    assert (bench.steps[1].flags, bench.messages) == ((), [])
    assert bench.steps[1].sent is not None
    assert bench.steps[1].sent[1] - bench.steps[1].sent[0] >= 300_000_000


@pytest.mark.parametrize(
    ("travels", "bend", "pause_ms"),
    [((200, 200), 0, 300), ((200, 200), 3, 20), ((1000, 1000), 0, 100), ((200, -200), 0, 20)],
    ids=["after a pause", "with a finger's bend", "too long for a wheel", "there and back"],
)
def test_two_swipes_of_a_person_are_two_steps(travels: tuple[int, int], bend: int, pause_ms: int) -> None:
    bench = Bench().begin()
    spin(bench, *travels, bend=bend, pause_ms=pause_ms)
    bench.wait(1500)

    assert ends(bench) == [(540, 1200, 1200 - travel) for travel in travels]


def test_straight_swipe_before_the_end_is_not_lost() -> None:
    bench = Bench().begin()
    spin(bench, 200)
    bench.send(events.FramesEnded()).wait(20)
    assert ends(bench) == [(540, 1200, 1000)]


def test_key_that_is_no_step_is_said_at_once_and_flagged_on_the_next_step() -> None:
    bench = Bench().begin().tap(100, 200).wait(300)
    bench.press_other("Down").show(1).wait(300)
    assert bench.messages == [NOT_A_STEP.format("Down")]
    bench.press_other("Down").tap(300, 400).wait(300)
    bench.tap(500, 600).wait(300)

    assert steps(bench) == ["100,200 on 0", "300,400 on 1", "500,600 on 1"]
    assert [step.flags for step in bench.steps] == [(), (Flag(FlagCode.OTHER_KEY, ("Down",)),), ()]


def test_screens_that_change_without_any_touch_are_said_once() -> None:
    bench = Bench().begin()
    for screen in (1, 2, 3, 4, 5, 6):
        assert bench.messages == ([] if screen < UNTOUCHED_SCREENS else [UNTOUCHED])
        bench.show(screen).press(SystemKey.BACK).wait(400)
    touched = Bench().begin().tap(100, 200)
    for screen in (1, 2, 3, 4, 5, 6):
        touched.show(screen).wait(400)
    assert touched.messages == []


def test_tap_on_an_error_dialog_that_is_gone_again_is_no_step() -> None:
    bench = Bench(look_ms=20).begin()
    bench.areas = replace(PLAIN, error_dialog="Application Error: com.example.shop")
    bench.show(1).wait(400)
    bench.down().wait(20)
    bench.areas = PLAIN
    bench.wait(60).show(0).up((500, 1400)).wait(400)
    bench.tap(100, 200).wait(400)

    assert steps(bench) == ["100,200 on 0"]
    assert bench.messages == [DIALOG_TOUCHED]


def test_nothing_is_recorded_until_an_error_dialog_is_answered() -> None:
    bench = Bench().begin().tap(100, 200).wait(300)
    bench.show(1).send(events.ErrorDialogSeen("Application Error: com.example.shop"))
    bench.tap(500, 1400).wait(400)
    assert (bench.state(), bench.messages) == (
        State.RESTORING,
        [ANSWER_ANDROID.format("Application Error: com.example.shop")],
    )
    bench.show(0).wait(400).tap(300, 400).wait(300)

    assert steps(bench) == ["100,200 on 0", "300,400 on 0"]
    assert [step.flags for step in bench.steps] == [(), (Flag(FlagCode.AFTER_DIALOG),)]


def test_key_that_is_undone_flags_nothing() -> None:
    bench = Bench(restores=True).begin().tap(100, 200).wait(300).press_other("Menu").wait(300)
    bench.send(events.UndoWanted(bench.now_ns)).wait(300)
    bench.tap(300, 400).wait(300)

    assert [step.flags for step in bench.steps] == [()]


# Readings of the device.


def test_screen_state_is_read_rarely() -> None:
    bench = Bench().begin()
    before = count(bench, effects.LookAtScreen)
    for screen in range(1, 51):
        bench.show(screen).wait(20)
    changing = count(bench, effects.LookAtScreen)
    assert 2 <= changing - before <= 4
    bench.wait(1000)
    still = count(bench, effects.LookAtScreen)
    bench.wait(50_000)
    assert count(bench, effects.LookAtScreen) - still == 2, "only for its clock"


# Flags.


def test_touch_on_a_moving_screen_is_flagged() -> None:
    bench = Bench().begin().show(1).wait(100)
    bench.tap(10, 10).wait(300)

    assert steps(bench) == ["10,10 on 1"]
    assert (bench.steps[0].settled, bench.steps[0].flags) == (False, (Flag(FlagCode.MOVING),))


def test_old_screenshot_is_flagged() -> None:
    bench = Bench(streams=False).begin()
    bench.gives_frames = False
    bench.wait(1500)
    bench.down()
    bench.gives_frames, bench.screen = True, 1
    bench.wait(80)
    bench.up((10, 10)).wait(300)

    assert steps(bench) == ["10,10 on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.OLDER, (1.5,)),)
    assert not bench.steps[0].proven


def test_unproved_touch_is_recorded_and_flagged_after_a_timeout() -> None:
    bench = Bench().begin()
    bench.gives_frames = False
    bench.tap(10, 10).wait(2000)
    assert steps(bench) == []
    bench.wait(2000)
    assert steps(bench) == ["10,10 on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.UNWATCHED),)


def test_touch_before_the_first_screenshot_is_reported() -> None:
    bench = Bench()
    bench.send(events.Started(bench.now_ns), events.InputFollowed(()))
    bench.tap(10, 10, then=0).wait(300)

    assert (bench.steps, bench.messages) == ([], [NO_SCREENSHOT])


def test_missing_frame_is_reported() -> None:
    bench = Bench().begin().down().wait(80)
    bench.send(events.FrameMissing(1))
    bench.up((10, 10)).wait(300)
    assert bench.messages == [NO_SCREENSHOT]

    bench.type("KEY_M").wait(300)
    bench.down()
    bench.show(1).wait(300)
    bench.send(events.FrameMissing(2))
    bench.send(events.FrameMissing(1))
    assert bench.messages == [NO_SCREENSHOT, NO_SCREENSHOT]
    bench.lose(LossCause.STREAM_LOST)
    assert not bench.session.touched


def test_two_finger_gesture_is_reported_once_and_not_recorded() -> None:
    bench = Bench().begin().down(slot=0)
    bench.down(slot=1).wait(100).up((10, 10), ms=100, slot=0, fingers=2)
    bench.up((90, 90), ms=100, slot=1, fingers=2).wait(300)
    assert (bench.steps, bench.messages) == ([], [PINCHED])
    bench.down().wait(100).up((10, 10), ms=100, fingers=2).wait(300)
    assert bench.messages == [PINCHED, PINCHED]


@pytest.mark.parametrize("cause", LossCause)
def test_lost_contact_is_reported_with_its_cause(cause: LossCause) -> None:
    bench = Bench().begin().up((10, 10)).wait(100)
    assert (bench.steps, bench.messages) == ([], []), "its touch-down was not seen"
    if cause is not LossCause.PLACE_UNKNOWN:
        bench.down()
        bench.lose(cause)
    bench.lose(cause).wait(100)

    assert (bench.steps, bench.messages) == ([], [LOST.format(cause.value)])


def test_broken_input_stream_is_reported_once() -> None:
    bench = Bench().begin()
    for reason in ("getevent has ended.", "The device is gone.", "The device is gone."):
        bench.send(events.InputBroke(reason))
    assert bench.messages == [DEAF.format("getevent has ended.")]
    assert (bench.state(), bench.session.reason) == (State.SETTLING, DEAF.format("The device is gone."))
    bench.send(events.InputFollowed(()))

    assert (bench.session.reason, bench.state()) == ("", State.READY)


def test_second_action_without_a_frame_in_between_is_rejected() -> None:
    bench = Bench(streams=False).begin()
    bench.gives_frames = False
    bench.wait(100)
    bench.press(SystemKey.HOME).wait(1500)
    bench.press(SystemKey.BACK)
    bench.gives_frames, bench.screen = True, 2
    bench.wait(300)

    assert steps(bench) == ["HOME on 0"]
    assert bench.messages == [BLIND]


def test_input_is_timed_by_its_arrival_if_the_clock_is_unreliable() -> None:
    bench = Bench().begin().wait(500)
    unknown = events.InputHeard(KeyPressed(KEYBOARD, SystemKey.HOME, 1), 0, 3600 * 10**9, bench.now_ns)
    bench.send(unknown).wait(100)

    assert steps(bench) == ["HOME on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.CLOCK_CHANGED),)
    assert (bench.steps[0].uncertainty_ns, bench.steps[0].device_us) == (LATE_NS, None)


def test_clock_change_is_reported_and_waiting_input_flagged() -> None:
    bench = Bench(clock_agrees=False).begin().wait(500)
    bench.press(SystemKey.HOME).wait(60)
    assert bench.steps == []
    bench.send(events.ClockJumped()).wait(60)
    bench.clock_agrees = True
    bench.down().wait(80)
    bench.send(events.ClockJumped())
    bench.up((10, 10)).wait(100)

    assert bench.messages == [CLOCK_CHANGED] * 2
    flags = [(step.flags, step.proven) for step in bench.steps]
    assert flags == [((Flag(FlagCode.CLOCK_CHANGED),), False), ((), True)], "the clocks agreed again for the second"


def test_changed_screen_areas_around_the_touch_are_flagged() -> None:
    bench = Bench().begin()
    bench.areas = None
    bench.show(1).wait(60)
    bench.areas = TYPING
    bench.tap(10, 1700).wait(300)
    bench.press(SystemKey.BACK).wait(300)

    assert [describe(step) for step in bench.steps] == ["“”", "BACK"], "the keyboard may have been there"
    assert Flag(FlagCode.AREAS_CHANGED) in bench.steps[0].flags


@pytest.mark.parametrize(
    "gap",
    [events.InputHeard(EventsDropped(TOUCH, 0), 1_500_000_000, 0, 1_500_000_000), events.InputFollowed((SCREEN,))],
)
def test_old_frame_proves_nothing_after_a_gap_in_the_input(gap: events.PassiveEvent) -> None:
    bench = Bench(streams=False).begin()
    bench.gives_frames = False
    bench.send(gap).wait(300)
    bench.down()
    bench.gives_frames = True
    bench.wait(80)
    bench.up((10, 10)).wait(300)

    [step] = bench.steps
    assert not step.proven
    assert step.flags == (Flag(FlagCode.OLDER_THAN_LAST_ACTION, (0.3,)),)
    assert bench.messages == ([DROPPED] if isinstance(gap, events.InputHeard) else [])


def test_slow_screen_reading_is_awaited_up_to_a_limit() -> None:
    bench = Bench().begin()
    bench.look_ms = 6000
    bench.tap(10, 10).wait(4000)
    assert bench.steps == []
    bench.wait(3000)
    assert bench.steps[0].flags == ()

    bench.look_ms = 60_000
    bench.tap(20, 20).wait(12_000)
    assert bench.steps[1].flags == (Flag(FlagCode.CLOCK_UNREAD), Flag(FlagCode.AREAS_UNKNOWN))


def test_session_waits_for_the_first_reading_of_the_areas_and_says_so() -> None:
    """Under load one takes several seconds; so does the first after a loss, because the device may have turned."""
    bench = Bench(look_ms=5000).begin()
    for _ in range(2):
        assert (bench.state(), bench.session.reason) == (State.SETTLING, AREAS_UNREAD)
        bench.wait(6000)
        assert (bench.state(), bench.session.reason) == (State.READY, "")
        bench.send(events.DeviceWentAway("It is gone."))
        assert bench.session.reason == "It is gone."
        bench.come_back()
        bench.wait(500)


def test_touch_before_the_first_reading_of_the_areas_is_not_lost() -> None:
    bench = Bench(look_ms=4500).begin().tap(10, 10).wait(10_000)

    assert (steps(bench), bench.messages) == (["10,10 on 0"], [])
    assert bench.steps[0].flags == (Flag(FlagCode.AREAS_UNKNOWN),)


def test_areas_that_cannot_be_read_are_tried_again() -> None:
    bench = Bench(areas=None).begin().wait(2000)
    assert bench.state() is State.SETTLING
    bench.areas = PLAIN
    assert bench.wait(1000).state() is State.READY


def test_touch_without_screen_areas_is_dropped_or_flagged() -> None:
    bench = Bench(areas=None).begin().tap(10, 10).wait(4000)
    assert (bench.steps, bench.messages) == ([], [NO_ANSWER])

    bench.areas = PLAIN
    bench.tap(10, 10).wait(300)
    assert bench.steps[0].flags == (Flag(FlagCode.AREAS_UNKNOWN),)


def test_touch_on_a_rotated_screen_has_no_position() -> None:
    turned = replace(PLAIN, rotation=Rotation.R90, navigation_bar=None)
    bench = Bench(areas=turned).begin()
    assert turned.size == Size(2400, 1080)
    bench.tap(10, 10).wait(300)

    assert bench.messages == [NO_PLACE]


@pytest.mark.parametrize(
    ("x", "leads_to", "recorded", "messages"),
    [
        pytest.param(540, "com.android.launcher3", ["HOME on 0"], [], id="home, as the launcher proves"),
        pytest.param(540, PLAIN.package, [], [NO_PLACE], id="no home"),
        pytest.param(230, PLAIN.package, [], [NO_PLACE], id="back leaves no proof"),
    ],
)
def test_touch_after_a_possible_rotation_needs_a_visible_effect(
    x: int, leads_to: str, recorded: list[str], messages: list[str]
) -> None:
    bench = Bench(streams=False).begin()
    bench.now_ms += 10
    bench.show(1)
    bench.areas = replace(PLAIN, rotation=Rotation.R180)
    bench.down()
    bench.areas = replace(bench.areas, package=leads_to)
    bench.wait(80)
    bench.up((x, 2340)).wait(300)
    assert bench.steps == [], "what it leads to may still come"
    bench.wait(600)

    assert (steps(bench), bench.messages) == (recorded, messages)


def test_too_many_waiting_inputs_are_rejected() -> None:
    bench = Bench().begin().down()
    for _ in range(MOST_WAITING):
        bench.press(SystemKey.HOME)

    bench.down(slot=1)
    assert bench.messages == [TOO_MANY, TOO_MANY]
    bench.up((90, 90), slot=1)
    bench.up((10, 10)).wait(300)
    assert len(bench.steps) == MOST_WAITING
    bench.press(SystemKey.HOME).wait(300)
    assert len(bench.steps) == MOST_WAITING + 1
