"""Dialogues with a passive session: key strokes, and the texts they become."""

import pytest

from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.model.action import Complete, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.passive import ANSWER_FIRST
from tests.recording.passive_bench import TYPING, Bench, count, steps


def test_taps_on_the_keyboard_become_one_text_with_the_screenshot_of_the_first() -> None:
    bench = Bench(areas=TYPING, texts="to ").begin()
    for screen in range(1, 5):
        bench.tap(100 * screen, 1700, then=screen).wait(60)
    bench.texts = "to milk"
    bench.wait(400)
    assert steps(bench) == [], "more may be typed"
    bench.tap(500, 500).wait(300)

    assert steps(bench) == ["“milk” on 0", "500,500 on 4"]
    assert (bench.steps[0].flags, bench.asked) == ((), [])


@pytest.mark.parametrize(
    ("sent_off", "asked"), [(1, []), (2, [0])], ids=["one is known", "of two only the annotator knows"]
)
def test_a_text_that_enter_sent_off_was_in_its_field_before(sent_off: int, asked: list[int]) -> None:
    bench = Bench(texts="").begin()
    for _ in range(sent_off):
        bench.type("KEY_O", "KEY_K")
        bench.texts = "ok"
        bench.wait(400)
        bench.texts = ""
        bench.type("KEY_ENTER").wait(400)
    bench.press(SystemKey.BACK).wait(300)

    assert steps(bench)[1:] == ["BACK on 0"]
    assert [ask.step for ask in bench.asked] == asked
    assert asked or (steps(bench)[0], bench.steps[0].flags) == ("“ok” on 0", ())


def test_keys_of_the_computers_keyboard_type_as_well() -> None:
    bench = Bench(texts="").begin().type("KEY_M", "KEY_I", "KEY_L", "KEY_K")
    bench.texts = "milk"
    bench.wait(300)
    bench.happens(events.Intended(Complete(), bench.now_ns)).wait(300)

    assert steps(bench) == ["“milk” on 0", "end on 0"]


def test_a_text_that_cannot_be_read_is_asked_for_and_then_amended() -> None:
    bench = Bench(texts=None).begin().type("KEY_M").wait(300)
    bench.press(SystemKey.HOME).wait(300)

    assert steps(bench) == ["“” on 0", "HOME on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.TEXT_UNREAD),)
    assert bench.asked == [effects.AskText(0, "")]
    bench.happens(events.TextAnswered(0, "milk"))
    assert bench.wanted[-1] == effects.AmendText(0, "milk")
    before = len(bench.wanted)
    bench.happens(events.TextAnswered(0, "milk"))
    assert len(bench.wanted) == before, "it was answered already"


def test_the_episode_is_not_published_before_the_questions_are_answered() -> None:
    bench = Bench(reads=False).begin().type("KEY_M")
    bench.happens(events.Intended(Complete(), bench.now_ns)).wait(2500)
    assert (bench.steps, bench.told) == ([], []), "the field may still be read"
    bench.wait(1000)
    assert steps(bench) == ["“” on 0", "end on 0"]
    assert bench.told == [ANSWER_FIRST]
    assert count(bench, effects.Publish) == 0
    bench.happens(events.TextAnswered(0, "m"))
    assert bench.wanted[-1] == effects.Publish()


@pytest.mark.parametrize("drops", [True, False], ids=["after it was taken away", "meanwhile"])
def test_an_answer_about_a_step_that_was_undone_is_void(drops: bool) -> None:
    bench = Bench(texts=None, drops=drops).begin().type("KEY_M").wait(300)
    bench.happens(events.UndoWanted(bench.now_ns)).wait(4000 if drops else 100)
    bench.happens(events.TextAnswered(0, "m"), *(() if drops else (events.StepsDropped(),)))
    bench.happens(events.Intended(Complete(), bench.now_ns)).wait(300)

    assert (count(bench, effects.AmendText), count(bench, effects.Publish)) == (0, 1)


@pytest.mark.parametrize("ends_it", ["pinch", "lost"])
def test_a_text_ends_with_whatever_is_done_next(ends_it: str) -> None:
    bench = Bench(texts="").begin().type("KEY_M")
    bench.texts = "m"
    bench.wait(300)
    bench.down().wait(100)
    if ends_it == "pinch":
        bench.up((10, 10), ms=100, fingers=2)
    else:
        bench.lose(LossCause.EVENTS_DROPPED)
    bench.wait(300)

    assert steps(bench) == ["“m” on 0"]
    assert len(bench.told) == 1


def test_a_text_waits_for_its_screenshot_as_any_step() -> None:
    bench = Bench(texts="", keeps=False).begin().type("KEY_M")
    bench.texts = "m"
    bench.wait(300)
    bench.press(SystemKey.HOME).wait(300)
    assert bench.steps == []
    bench.keeps = True
    bench.wait(1500)
    assert steps(bench) == ["“m” on 0", "HOME on 0"]


def test_a_text_that_nothing_follows_is_a_step_when_the_recording_is_stopped() -> None:
    bench = Bench(texts="").begin().type("KEY_M")
    bench.texts = "m"
    bench.wait(300)
    assert not bench.session.touched
    bench.happens(events.FramesEnded())

    assert steps(bench) == ["“m” on 0"]
    assert not bench.session.touched
