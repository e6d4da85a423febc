"""Dialogues with a passive session: inputs on the device, and the steps they become."""

from dataclasses import replace

import pytest

from odyssey_recorder.gesture.areas import Navigation
from odyssey_recorder.gesture.contacts import EventsDropped, KeyPressed, LossCause
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Rotation, Size
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.passive import CLOCK_CHANGED, DEAF
from odyssey_recorder.recording.raw_input import BLIND, NO_PLACE, NO_SCREENSHOT, PINCHED
from odyssey_recorder.recording.raw_input_queue import DROPPED, LATE_NS, LOST, MOST_WAITING, TOO_MANY
from odyssey_recorder.recording.state import State
from tests.recording.passive_bench import KEYBOARD, PLAIN, SCREEN, TOUCH, TYPING, Bench, count, steps, word_of

# Inputs become steps.


@pytest.mark.parametrize("streams", [True, False])
def test_a_tap_becomes_a_step_with_the_screenshot_from_before_it(streams: bool) -> None:
    bench = Bench(streams=streams).begin().tap(100, 200, then=1).wait(300)

    [step] = bench.steps
    assert steps(bench) == ["100,200 on 0"]
    assert (step.proven, step.settled, step.flags, bench.told) == (True, True, (), [])
    assert step.sent == (step.touched_ns, step.touched_ns + 80_000_000)
    assert bench.state() is State.READY


def test_the_session_waits_until_it_sees_and_hears_the_device() -> None:
    bench = Bench()
    assert bench.state() is State.IDLE
    bench.down()
    bench.happens(events.Started(bench.now_ns))
    assert (bench.state(), bench.session.frame) == (State.SETTLING, None)
    bench.begin()
    assert (bench.state(), bench.session.frame) == (State.READY, 1)
    assert bench.steps == []


def test_one_screenshot_serves_all_that_was_done_on_the_same_screen() -> None:
    bench = Bench().begin().tap(10, 10).wait(300)
    bench.tap(20, 20).wait(300)

    assert steps(bench) == ["10,10 on 0", "20,20 on 0"]
    assert count(bench, effects.KeepFrame) == 1


def test_keys_of_the_toolbar_and_buttons_of_the_navigation_bar_are_keys() -> None:
    bench = Bench().begin()
    for screen, key in enumerate(SystemKey, 1):
        bench.press(key).wait(20)
        bench.show(screen).wait(300)
    for x in (230, 540, 850):
        bench.tap(x, 2340).wait(300)

    assert steps(bench) == ["HOME on 0", "BACK on 1", "RECENT on 2", "BACK on 3", "HOME on 3", "RECENT on 3"]


@pytest.mark.parametrize(
    ("leads_to", "waits_ms", "step", "flags"),
    [
        pytest.param("com.android.launcher3", 600, "HOME on 0", (), id="the launcher"),
        pytest.param(PLAIN.package, 600, "540,2390 on 0", (Flag(FlagCode.NO_KEY),), id="nothing, it is a scroll"),
        pytest.param(None, 4000, "HOME on 0", (Flag(FlagCode.AREAS_UNKNOWN),), id="unknown, so by its looks"),
    ],
)
def test_what_a_swipe_up_from_the_edge_was_is_told_by_what_it_led_to(
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


def test_a_swipe_from_the_side_is_back_at_once() -> None:
    bench = Bench(areas=replace(PLAIN, navigation=Navigation.GESTURES)).begin().down().wait(100)
    bench.up((5, 1200), ms=100, path=((500, 1200),)).wait(100)

    assert steps(bench) == ["BACK on 0"]


# Readings of the device.


def test_a_screen_is_looked_at_now_and_then() -> None:
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


def test_a_touch_on_a_moving_screen_is_flagged() -> None:
    bench = Bench().begin().show(1).wait(100)
    bench.tap(10, 10).wait(300)

    assert steps(bench) == ["10,10 on 1"]
    assert (bench.steps[0].settled, bench.steps[0].flags) == (False, (Flag(FlagCode.MOVING),))


def test_a_screenshot_that_is_too_old_is_flagged() -> None:
    bench = Bench(streams=False).begin()
    bench.sees = False
    bench.wait(1500)
    bench.down()
    bench.sees, bench.screen = True, 1
    bench.wait(80)
    bench.up((10, 10)).wait(300)

    assert steps(bench) == ["10,10 on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.OLDER, (1.5,)),)
    assert not bench.steps[0].proven


def test_a_touch_of_which_no_provenance_comes_is_taken_after_a_while_and_flagged() -> None:
    bench = Bench().begin()
    bench.sees = False
    bench.tap(10, 10).wait(2000)
    assert steps(bench) == []
    bench.wait(2000)
    assert steps(bench) == ["10,10 on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.UNWATCHED),)


def test_a_touch_from_before_the_first_screenshot_is_not_recorded_and_the_annotator_is_told() -> None:
    bench = Bench()
    bench.happens(events.Started(bench.now_ns), events.InputFollowed(()))
    bench.tap(10, 10, then=0).wait(300)

    assert (bench.steps, bench.told) == ([], [NO_SCREENSHOT])


def test_a_screenshot_that_is_not_at_hand_any_more_is_said() -> None:
    bench = Bench().begin().down().wait(80)
    bench.happens(events.FrameMissing(1))
    bench.up((10, 10)).wait(300)
    assert bench.told == [NO_SCREENSHOT]

    bench.type("KEY_M").wait(300)
    bench.down()
    bench.show(1).wait(300)
    bench.happens(events.FrameMissing(2))
    bench.happens(events.FrameMissing(1))
    assert bench.told == [NO_SCREENSHOT, NO_SCREENSHOT]
    bench.lose(LossCause.STREAM_LOST)
    assert not bench.session.touched


def test_two_fingers_are_told_of_once_and_not_recorded() -> None:
    bench = Bench().begin().down(slot=0)
    bench.down(slot=1).wait(100).up((10, 10), ms=100, slot=0, fingers=2)
    bench.up((90, 90), ms=100, slot=1, fingers=2).wait(300)
    assert (bench.steps, bench.told) == ([], [PINCHED])
    bench.down().wait(100).up((10, 10), ms=100, fingers=2).wait(300)
    assert bench.told == [PINCHED, PINCHED]


@pytest.mark.parametrize("cause", LossCause)
def test_a_finger_that_is_lost_is_told_with_its_cause(cause: LossCause) -> None:
    bench = Bench().begin().up((10, 10)).wait(100)
    assert (bench.steps, bench.told) == ([], []), "nobody saw it come down"
    if cause is not LossCause.PLACE_UNKNOWN:
        bench.down()
        bench.lose(cause)
    bench.lose(cause).wait(100)

    assert (bench.steps, bench.told) == ([], [LOST.format(cause.value)])


def test_an_input_that_cannot_be_listened_to_is_told_once() -> None:
    bench = Bench().begin()
    for reason in ("getevent has ended.", "The device is gone.", "The device is gone."):
        bench.happens(events.InputBroke(reason))
    assert bench.told == [DEAF.format("getevent has ended.")]
    assert (bench.state(), bench.session.reason) == (State.SETTLING, DEAF.format("The device is gone."))
    bench.happens(events.InputFollowed(()))

    assert (bench.session.reason, bench.state()) == ("", State.READY)


def test_of_two_actions_between_which_the_screen_was_not_seen_the_second_is_refused() -> None:
    bench = Bench(streams=False).begin()
    bench.sees = False
    bench.wait(100)
    bench.press(SystemKey.HOME).wait(1500)
    bench.press(SystemKey.BACK)
    bench.sees, bench.screen = True, 2
    bench.wait(300)

    assert steps(bench) == ["HOME on 0"]
    assert bench.told == [BLIND]


def test_the_moment_of_a_deed_is_the_arrival_of_its_word_where_the_clock_tells_nothing() -> None:
    bench = Bench().begin().wait(500)
    unknown = events.InputHeard(KeyPressed(KEYBOARD, SystemKey.HOME, 1), 0, 3600 * 10**9, bench.now_ns)
    bench.happens(unknown).wait(100)

    assert steps(bench) == ["HOME on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.CLOCK_CHANGED),)
    assert (bench.steps[0].uncertainty_ns, bench.steps[0].device_us) == (LATE_NS, None)


def test_a_clock_that_was_changed_is_told_and_what_waits_is_flagged() -> None:
    bench = Bench(clock_agrees=False).begin().wait(500)
    bench.press(SystemKey.HOME).wait(60)
    assert bench.steps == []
    bench.happens(events.ClockJumped()).wait(60)
    bench.clock_agrees = True
    bench.down().wait(80)
    bench.happens(events.ClockJumped())
    bench.up((10, 10)).wait(100)

    assert bench.told == [CLOCK_CHANGED] * 2
    flags = [(step.flags, step.proven) for step in bench.steps]
    assert flags == [((Flag(FlagCode.CLOCK_CHANGED),), False), ((), True)], "it had agreed once more for the second"


def test_a_screen_that_was_parted_anew_around_the_touch_is_flagged() -> None:
    bench = Bench().begin()
    bench.areas = None
    bench.show(1).wait(60)
    bench.areas = TYPING
    bench.tap(10, 1700).wait(300)
    bench.press(SystemKey.BACK).wait(300)

    assert [word_of(step) for step in bench.steps] == ["“”", "BACK"], "the keyboard may have been there"
    assert Flag(FlagCode.AREAS_CHANGED) in bench.steps[0].flags


@pytest.mark.parametrize(
    "unheard",
    [
        events.InputHeard(EventsDropped(TOUCH, 0), 1_500_000_000, 0, 1_500_000_000),
        events.InputFollowed((SCREEN,)),
    ],
)
def test_after_what_nobody_heard_a_screen_that_was_not_seen_again_proves_nothing(unheard: events.PassiveEvent) -> None:
    bench = Bench(streams=False).begin()
    bench.sees = False
    bench.happens(unheard).wait(300)
    bench.down()
    bench.sees = True
    bench.wait(80)
    bench.up((10, 10)).wait(300)

    [step] = bench.steps
    assert not step.proven
    assert step.flags == (Flag(FlagCode.OLDER_THAN_LAST_ACTION, (0.3,)),)
    assert bench.told == ([DROPPED] if isinstance(unheard, events.InputHeard) else [])


def test_a_look_that_takes_several_seconds_is_waited_for_but_not_for_ever() -> None:
    bench = Bench().begin()
    bench.look_ms = 6000
    bench.tap(10, 10).wait(4000)
    assert bench.steps == []
    bench.wait(3000)
    assert bench.steps[0].flags == ()

    bench.look_ms = 60_000
    bench.tap(20, 20).wait(12_000)
    assert bench.steps[1].flags == (Flag(FlagCode.CLOCK_UNREAD), Flag(FlagCode.AREAS_UNKNOWN))


def test_without_a_look_at_the_screen_a_touch_has_no_place_and_with_one_it_is_flagged() -> None:
    bench = Bench(areas=None).begin().tap(10, 10).wait(4000)
    assert (bench.steps, bench.told) == ([], [NO_PLACE])

    bench.areas = PLAIN
    bench.tap(10, 10).wait(300)
    assert bench.steps[0].flags == (Flag(FlagCode.AREAS_UNKNOWN),)


def test_a_device_that_was_turned_under_the_finger_has_no_place_that_fits_the_screenshot() -> None:
    turned = replace(PLAIN, rotation=Rotation.R90, navigation_bar=None)
    bench = Bench(areas=turned).begin()
    assert turned.size == Size(2400, 1080)
    bench.tap(10, 10).wait(300)

    assert bench.told == [NO_PLACE]


@pytest.mark.parametrize(
    ("x", "leads_to", "recorded", "told"),
    [
        pytest.param(540, "com.android.launcher3", ["HOME on 0"], [], id="home, as the launcher proves"),
        pytest.param(540, PLAIN.package, [], [NO_PLACE], id="no home"),
        pytest.param(230, PLAIN.package, [], [NO_PLACE], id="back leaves no proof"),
    ],
)
def test_a_touch_on_a_screen_that_may_have_turned_before_it_is_a_key_only_if_its_effect_proves_it(
    x: int, leads_to: str, recorded: list[str], told: list[str]
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

    assert (steps(bench), bench.told) == (recorded, told)


def test_too_many_that_wait_are_refused_and_told() -> None:
    bench = Bench().begin().down()
    for _ in range(MOST_WAITING):
        bench.press(SystemKey.HOME)

    bench.down(slot=1)
    assert bench.told == [TOO_MANY, TOO_MANY]
    bench.up((90, 90), slot=1)
    bench.up((10, 10)).wait(300)
    assert len(bench.steps) == MOST_WAITING
    bench.press(SystemKey.HOME).wait(300)
    assert len(bench.steps) == MOST_WAITING + 1
