"""A person takes over at any moment of an agent's action: a real recorder on a device in memory."""

from pathlib import Path

import pytest

from odyssey_recorder.agents.online import StopReason
from odyssey_recorder.dataset.preferences import preference_pairs
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from tests.agents.conftest import OF_PERSON, Duo
from tests.recording.recording_bench import PATIENCE_S, RecordingBench

PASSWORD_FIELD = """<hierarchy rotation="0"><node class="android.widget.EditText" package="com.fake.app"
    password="true" focused="true" bounds="[60,270][300,330]"/></hierarchy>"""
MOMENTS = (State.CHECKING, State.INJECTING, State.SETTLING, State.CAPTURING, State.READY)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_takeover_at_any_moment_of_an_agents_touch_loses_no_step(duo: Duo, moment: State, streams: bool) -> None:
    duo.device.streams = streams
    views = duo.recording.annotator.views
    acted: list[State] = []

    def take_over(view: RecordingView) -> None:
        views.append(view)
        is_later = moment is not State.READY or bool(view.steps)
        if view.is_agents_turn and view.state is moment and is_later and not acted:
            acted.append(moment)
            duo.person_clicks()  # in the engine's thread, so that nothing comes in between

    duo.recording.annotator.changed = take_over  # type: ignore[method-assign]
    duo.agent_clicks()
    duo.agent_clicks()  # for the question that is abandoned, if there is one
    ended = duo.hand_over()
    assert ended() is StopReason.INTERRUPTED
    assert acted
    duo.recording.ready()
    steps = duo.check_steps()
    assert steps[:1] == [True]
    assert sum(steps) == 1, "the agent acted after the person"
    duo.person_clicks()
    duo.recording.ready(steps=len(steps) + 1)
    assert duo.check_steps() == [*steps, False]


@pytest.mark.parametrize("touches", [True, False])
def test_an_action_that_the_person_comes_before_is_not_carried_out(duo: Duo, touches: bool) -> None:
    duo.watcher.on_told = duo.person_clicks if touches else duo.recording.recorder.take_over
    duo.agent_clicks()
    assert duo.hand_over()() is StopReason.INTERRUPTED
    duo.recording.ready(steps=int(touches))
    assert duo.check_steps() == [False] * touches


def test_a_touch_that_began_before_the_turn_is_the_persons(duo: Duo) -> None:
    recorder = duo.recording.recorder
    recorder.touch_down(recorder.view.frame_number or 0)
    duo.hand_over()
    duo.thinker.await_question()
    duo.agent_clicks()
    duo.thinker.await_question()  # because it could not act
    recorder.lift(TouchStroke.press(OF_PERSON))
    duo.recording.ready(steps=1)
    assert duo.check_steps() == [False]
    recorder.take_over()
    duo.agent_clicks()  # for the abandoned question


def test_an_agent_does_not_act_while_a_finger_is_down(duo: Duo) -> None:
    recorder = duo.recording.recorder
    duo.device.streams = True
    ended = duo.hand_over()
    duo.thinker.await_question()
    recorder.touch_down(duo.recording.ready().frame_number or 0, OF_PERSON)
    duo.device.await_finger(1)
    duo.agent_clicks()
    assert ended() is StopReason.INTERRUPTED
    recorder.lift(TouchStroke.press(OF_PERSON))
    duo.recording.ready(steps=1)
    (step,) = duo.recording.draft.steps
    assert step.record.agent is None
    assert duo.device.performed == []


def test_the_persons_steps_are_told_to_the_model_and_the_next_turn_is_the_agents(duo: Duo) -> None:
    ended = duo.hand_over()
    duo.thinker.await_question()
    duo.recording.recorder.press(SystemKey.HOME)
    assert ended() is StopReason.INTERRUPTED
    duo.agent_clicks()  # for the abandoned question
    duo.recording.ready(steps=1)
    ended = duo.hand_over()
    assert '"HOME"' in duo.thinker.await_question()
    duo.thinker.say("COMPLETE", text="Done.")
    assert ended() is StopReason.COMPLETE
    view = duo.recording.until(State.FINISHED)
    assert [(step.action, step.agent is None) for step in view.steps] == [
        (Press(SystemKey.HOME), True),
        (Complete("Done."), False),
    ]


def test_a_correction_is_kept_with_what_was_rejected_even_over_another_attempt_and_a_restart(
    duo: Duo, tmp_path: Path
) -> None:
    recording = duo.recording
    recorder = recording.recorder
    for _ in range(2):
        duo.agent_clicks()
    ended = duo.hand_over()
    recording.ready(steps=2)
    for _ in range(3):
        duo.thinker.await_question()
    recorder.undo(2, rejects=True)
    assert ended() is StopReason.INTERRUPTED
    recording.until(State.RESTORING)
    duo.device.show(0)
    assert recording.ready(steps=0).is_correcting
    duo.thinker.say("BACK")
    recorder.press(SystemKey.BACK)
    recording.ready(steps=1)
    recorder.undo()
    recording.until(State.RESTORING)
    recorder.stop()
    recorder.join()
    duo.device.show(0)
    bench = RecordingBench(tmp_path)
    with bench.recording(duo.device, bench.store.resume(recorder.episode_id)) as again:
        assert again.ready(steps=0).is_correcting
        again.recorder.touch_down(again.recorder.view.frame_number or 0)
        again.recorder.lift(TouchStroke.press(OF_PERSON))
        assert not again.ready(steps=1).is_correcting
        again.recorder.complete()
        again.until(State.FINISHED)
    episode, provenance = bench.store.load(recorder.episode_id), bench.store.provenance(recorder.episode_id)
    assert provenance is not None
    (pair,) = preference_pairs(episode, provenance)
    assert (pair.step, pair.chosen, pair.rejected) == (0, Click(Point(250, 781)), Click(Point(500, 468)))
    assert '"CLICK"' in pair.agent.raw
    unreadable = provenance.steps[0].rejected[0].model_copy(update={"action": {"action": "FLY"}})
    steps = (provenance.steps[0].model_copy(update={"rejected": (unreadable,)}), *provenance.steps[1:])
    assert list(preference_pairs(episode, provenance.model_copy(update={"steps": steps}))) == []


@pytest.fixture
def shop(duo: Duo) -> Duo:
    """The agent is about to click “Jetzt kaufen”, and the person would refuse that."""
    before = duo.recording.recorder.view.frame_number
    duo.device.tree = duo.device.tree.replace("OK", "Jetzt kaufen")
    duo.device.show("a shop")
    duo.recording.recorder.wait_for(lambda view: view.is_read and view.frame_number != before, PATIENCE_S)
    duo.watcher.answer = False
    return duo


def refuse(duo: Duo) -> None:
    duo.agent_clicks()
    assert duo.hand_over()() is StopReason.GUARD
    duo.thinker.await_question()
    assert duo.device.performed == []


def test_what_a_person_refuses_is_kept_once_with_what_they_show_on_that_screen(shop: Duo, tmp_path: Path) -> None:
    refuse(shop)
    refuse(shop)
    assert shop.recording.ready(steps=0).is_correcting
    shop.person_clicks()
    assert shop.recording.ready(steps=1).steps[0].is_corrected
    shop.recording.recorder.complete()
    shop.recording.until(State.FINISHED)
    store, episode_id = RecordingBench(tmp_path).store, shop.recording.recorder.episode_id
    provenance = store.provenance(episode_id)
    assert provenance is not None
    (pair,) = preference_pairs(store.load(episode_id), provenance)
    assert (pair.step, pair.chosen, pair.rejected) == (0, Click(Point(250, 781)), Click(Point(500, 469)))
    assert ('"CLICK"' in pair.agent.raw, pair.agent.approved) == (True, False)
    assert shop.watcher.allowed == ["'kaufen' is under the finger: Jetzt kaufen"] * 2


def test_what_nobody_answered_is_not_kept_as_refused(shop: Duo) -> None:
    shop.watcher.answer = None
    refuse(shop)
    shop.person_clicks()
    shop.recording.ready(steps=1)
    assert shop.recording.draft.steps[0].record.rejected == ()


@pytest.mark.parametrize("is_back", [True, False])
def test_what_a_person_refused_belongs_to_its_screen_over_a_restart_too(
    shop: Duo, tmp_path: Path, is_back: bool
) -> None:
    refuse(shop)
    judged = shop.recording.recorder.view.frame_number
    shop.device.show("a message")
    other = shop.recording.ready(after=judged).frame_number
    if is_back:
        shop.device.show("a shop")
        shop.recording.ready(after=other)
    shop.recording.recorder.stop()
    shop.recording.recorder.join()
    bench = RecordingBench(tmp_path)
    with bench.recording(shop.device, bench.store.resume(shop.recording.recorder.episode_id)) as again:
        again.tap_and_wait()
        record = again.draft.steps[0].record
    assert [one.action["action"] for one in record.rejected] == ["CLICK"] * is_back


def test_on_a_screen_that_changed_meanwhile_the_model_is_asked_again(duo: Duo) -> None:
    ended = duo.hand_over()
    duo.thinker.await_question()
    judged = duo.recording.recorder.view.frame_number
    duo.device.show("a message")
    duo.recording.ready(after=judged)
    duo.thinker.say("HOME")
    duo.thinker.await_question()
    assert duo.device.performed == []
    duo.thinker.say("IMPOSSIBLE", text="There is a message.")
    assert ended() is StopReason.IMPOSSIBLE


def test_a_password_that_the_person_typed_is_hidden_from_the_model(duo: Duo) -> None:
    recorder = duo.recording.recorder
    before = recorder.view.frame_number
    duo.device.tree = PASSWORD_FIELD
    duo.device.show(1)
    recorder.wait_for(lambda view: view.is_read and view.frame_number != before, PATIENCE_S)
    recorder.type_text("hunter2")
    duo.recording.ready(steps=1)
    duo.hand_over()
    question = duo.thinker.await_question()
    assert "hunter2" not in question
    assert "[hidden]" in question
    recorder.take_over()
    duo.agent_clicks()  # for the abandoned question
