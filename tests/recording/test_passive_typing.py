"""Scenarios of a passive session: key strokes, and the texts they become."""

import pytest

from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.model.action import Complete, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.passive import ANSWER_FIRST
from tests.recording.passive_bench import TYPING, Bench, count, steps


def test_keyboard_taps_become_one_text_step() -> None:
    bench = Bench(areas=TYPING, field_text="to ").begin()
    for screen in range(1, 5):
        bench.tap(100 * screen, 1700, then=screen).wait(60)
    bench.field_text = "to milk"
    bench.wait(400)
    assert steps(bench) == [], "more may be typed"
    bench.tap(500, 500).wait(300)

    assert steps(bench) == ["“milk” on 0", "500,500 on 4"]
    assert (bench.steps[0].flags, bench.questions) == ((), [])


@pytest.mark.parametrize(
    ("submitted", "questions"), [(1, []), (2, [0])], ids=["one is known", "of two only the annotator knows"]
)
def test_text_submitted_with_enter_was_read_before(submitted: int, questions: list[int]) -> None:
    bench = Bench(field_text="").begin()
    for _ in range(submitted):
        bench.type("KEY_O", "KEY_K")
        bench.field_text = "ok"
        bench.wait(400)
        bench.field_text = ""
        bench.type("KEY_ENTER").wait(400)
    bench.press(SystemKey.BACK).wait(16_000)

    assert steps(bench)[1:] == ["BACK on 0"]
    assert [ask.step for ask in bench.questions] == questions
    assert questions or (steps(bench)[0], bench.steps[0].flags) == ("“ok” on 0", ())


def test_cursor_keys_between_key_strokes_flag_their_text() -> None:
    bench = Bench(field_text="").begin().type("KEY_A", "KEY_B").press_other("Left").wait(100).type("KEY_X")
    bench.field_text = "axb"
    bench.wait(400).tap(10, 10).wait(300)

    assert steps(bench) == ["“axb” on 0", "10,10 on 0"]
    assert [step.flags for step in bench.steps] == [(Flag(FlagCode.OTHER_KEY, ("Left",)),), ()]


def test_unreadable_text_is_requested_and_amended() -> None:
    bench = Bench(field_text=None).begin().type("KEY_M").wait(300)
    bench.press(SystemKey.HOME).wait(14_000)

    assert steps(bench) == ["“m” on 0", "HOME on 0"]
    assert bench.steps[0].flags == (Flag(FlagCode.TEXT_UNREAD),)
    assert bench.questions == [], "a later screen may show it"
    bench.wait(2_000)
    assert bench.questions == [effects.AskText(0, "m")]
    bench.send(events.TextAnswered(0, "milk"))
    assert effects.AmendText(0, "milk") in bench.emitted[-2:]
    before = len(bench.emitted)
    bench.send(events.TextAnswered(0, "milk"))
    assert len(bench.emitted) == before, "it was answered already"


def test_publishing_waits_for_requested_texts() -> None:
    bench = Bench(reads_fields=False).begin().type("KEY_M")
    bench.send(events.Intended(Complete(), bench.now_ns)).wait(9000)
    assert (bench.steps, bench.messages) == ([], []), "the field may still be read"
    bench.wait(8000)
    assert steps(bench) == ["“m” on 0", "end on 0"]
    assert bench.messages == [ANSWER_FIRST]
    assert count(bench, effects.Publish) == 0
    bench.send(events.TextAnswered(0, "m"))
    assert bench.emitted[-1] == effects.Publish()


@pytest.mark.parametrize("drops_steps", [True, False], ids=["after it was taken away", "meanwhile"])
def test_text_of_an_undone_step_is_ignored(drops_steps: bool) -> None:
    bench = Bench(field_text=None, drops_steps=drops_steps).begin().type("KEY_M").wait(300)
    bench.send(events.UndoWanted(bench.now_ns)).wait(4000 if drops_steps else 100)
    bench.send(events.TextAnswered(0, "m"), *(() if drops_steps else (events.StepsDropped(),)))
    bench.send(events.Intended(Complete(), bench.now_ns)).wait(300)

    assert (count(bench, effects.AmendText), count(bench, effects.Publish)) == (0, 1)


@pytest.mark.parametrize("ending", ["pinch", "lost"])
def test_any_input_ends_a_text(ending: str) -> None:
    bench = Bench(field_text="").begin().type("KEY_M")
    bench.field_text = "m"
    bench.wait(300)
    bench.down().wait(100)
    if ending == "pinch":
        bench.up((10, 10), ms=100, fingers=2)
    else:
        bench.lose(LossCause.EVENTS_DROPPED)
    bench.wait(300)

    assert steps(bench) == ["“m” on 0"]
    assert len(bench.messages) == 1


def test_text_waits_for_its_screenshot() -> None:
    bench = Bench(field_text="", keeps_frames=False).begin().type("KEY_M")
    bench.field_text = "m"
    bench.wait(300)
    bench.press(SystemKey.HOME).wait(300)
    assert bench.steps == []
    bench.keeps_frames = True
    bench.wait(1500)
    assert steps(bench) == ["“m” on 0", "HOME on 0"]


def test_last_text_is_recorded_on_stop() -> None:
    bench = Bench(field_text="").begin().type("KEY_M")
    bench.field_text = "m"
    bench.wait(300)
    assert not bench.session.touched
    bench.send(events.FramesEnded())

    assert steps(bench) == ["“m” on 0"]
    assert not bench.session.touched
