"""A person takes over at any moment of an agent's action: a real recorder on a device in memory."""

from pathlib import Path

import pytest

from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.dataset.preferences import preference_pairs
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Click, Complete, Press, SystemKey
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView
from tests.agents.conftest import OF_PERSON, SharedRecording
from tests.recording.recording_bench import PATIENCE_S, RecordingBench

PASSWORD_FIELD = """<hierarchy rotation="0"><node class="android.widget.EditText" package="com.fake.app"
    password="true" focused="true" bounds="[60,270][300,330]"/></hierarchy>"""
MOMENTS = (State.CHECKING, State.INJECTING, State.SETTLING, State.CAPTURING, State.READY)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_takeover_at_any_moment_loses_no_step(shared: SharedRecording, moment: State, streams: bool) -> None:
    shared.device.streams = streams
    views = shared.recording.annotator.views
    acted: list[State] = []

    def take_over(view: RecordingView) -> None:
        views.append(view)
        is_later = moment is not State.READY or bool(view.steps)
        if view.is_agents_turn and view.state is moment and is_later and not acted:
            acted.append(moment)
            shared.person_clicks()  # in the engine's thread, so that nothing can intervene

    shared.recording.annotator.changed = take_over  # type: ignore[method-assign]
    shared.agent_clicks()
    shared.agent_clicks()  # for the question that is abandoned, if there is one
    ended = shared.hand_over()
    assert ended() is StopReason.INTERRUPTED
    assert acted
    shared.recording.ready()
    steps = shared.check_steps()
    assert steps[:1] == [True]
    assert sum(steps) == 1, "the agent acted after the person"
    shared.person_clicks()
    shared.recording.ready(steps=len(steps) + 1)
    assert shared.check_steps() == [*steps, False]


@pytest.mark.parametrize("touches", [True, False])
def test_action_preempted_by_the_person_is_not_carried_out(shared: SharedRecording, touches: bool) -> None:
    shared.watcher.on_report = shared.person_clicks if touches else shared.recording.recorder.take_over
    shared.agent_clicks()
    assert shared.hand_over()() is StopReason.INTERRUPTED
    shared.recording.ready(steps=int(touches))
    assert shared.check_steps() == [False] * touches


def test_touch_begun_before_the_turn_belongs_to_the_person(shared: SharedRecording) -> None:
    recorder = shared.recording.recorder
    recorder.touch_down(recorder.view.frame_number or 0)
    shared.hand_over()
    shared.thinker.await_question()
    shared.agent_clicks()
    shared.thinker.await_question()  # because it could not act
    recorder.lift(TouchStroke.press(OF_PERSON))
    shared.recording.ready(steps=1)
    assert shared.check_steps() == [False]
    recorder.take_over()
    shared.agent_clicks()  # for the abandoned question


def test_agent_does_not_act_while_a_finger_is_down(shared: SharedRecording) -> None:
    recorder = shared.recording.recorder
    shared.device.streams = True
    ended = shared.hand_over()
    shared.thinker.await_question()
    recorder.touch_down(shared.recording.ready().frame_number or 0, OF_PERSON)
    shared.device.await_finger(1)
    shared.agent_clicks()
    assert ended() is StopReason.INTERRUPTED
    recorder.lift(TouchStroke.press(OF_PERSON))
    shared.recording.ready(steps=1)
    (step,) = shared.recording.draft.steps
    assert step.record.agent is None
    assert shared.device.performed == []


def test_model_is_shown_the_steps_of_the_person(shared: SharedRecording) -> None:
    ended = shared.hand_over()
    shared.thinker.await_question()
    shared.recording.recorder.press(SystemKey.HOME)
    assert ended() is StopReason.INTERRUPTED
    shared.agent_clicks()  # for the abandoned question
    shared.recording.ready(steps=1)
    ended = shared.hand_over()
    assert '"HOME"' in shared.thinker.await_question()
    shared.thinker.say("COMPLETE", text="Done.")
    assert ended() is StopReason.COMPLETE
    view = shared.recording.until(State.FINISHED)
    assert [(step.action, step.agent is None) for step in view.steps] == [
        (Press(SystemKey.HOME), True),
        (Complete("Done."), False),
    ]


def test_correction_keeps_the_rejected_action_across_a_restart(shared: SharedRecording, tmp_path: Path) -> None:
    recording = shared.recording
    recorder = recording.recorder
    for _ in range(2):
        shared.agent_clicks()
    ended = shared.hand_over()
    recording.ready(steps=2)
    for _ in range(3):
        shared.thinker.await_question()
    recorder.undo(2, rejects=True)
    assert ended() is StopReason.INTERRUPTED
    recording.until(State.RESTORING)
    shared.device.show(0)
    assert recording.ready(steps=0).is_correcting
    shared.thinker.say("BACK")
    recorder.press(SystemKey.BACK)
    recording.ready(steps=1)
    recorder.undo()
    recording.until(State.RESTORING)
    recorder.stop()
    recorder.join()
    shared.device.show(0)
    bench = RecordingBench(tmp_path)
    with bench.recording(shared.device, bench.store.resume(recorder.episode_id)) as again:
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
def shop(shared: SharedRecording) -> SharedRecording:
    """The agent is about to click “Jetzt kaufen”, and the person would refuse that."""
    before = shared.recording.recorder.view.frame_number
    shared.device.tree = shared.device.tree.replace("OK", "Jetzt kaufen")
    shared.device.show("a shop")
    shared.recording.recorder.wait_for(lambda view: view.is_read and view.frame_number != before, PATIENCE_S)
    shared.watcher.answer = False
    return shared


def refuse_action(shared: SharedRecording) -> None:
    shared.agent_clicks()
    assert shared.hand_over()() is StopReason.GUARD
    shared.thinker.await_question()
    assert shared.device.performed == []


def test_refused_action_is_kept_once_with_its_correction(shop: SharedRecording, tmp_path: Path) -> None:
    refuse_action(shop)
    refuse_action(shop)
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


def test_unanswered_request_is_not_kept_as_refused(shop: SharedRecording) -> None:
    shop.watcher.answer = None
    refuse_action(shop)
    shop.person_clicks()
    shop.recording.ready(steps=1)
    assert shop.recording.draft.steps[0].record.rejected == ()


@pytest.mark.parametrize("is_back", [True, False])
def test_refused_action_stays_with_its_screen_on_restart(shop: SharedRecording, tmp_path: Path, is_back: bool) -> None:
    refuse_action(shop)
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


def test_changed_screen_makes_the_agent_ask_again(shared: SharedRecording) -> None:
    ended = shared.hand_over()
    shared.thinker.await_question()
    judged = shared.recording.recorder.view.frame_number
    shared.device.show("a message")
    shared.recording.ready(after=judged)
    shared.thinker.say("HOME")
    shared.thinker.await_question()
    assert shared.device.performed == []
    shared.thinker.say("IMPOSSIBLE", text="There is a message.")
    assert ended() is StopReason.IMPOSSIBLE


def test_typed_password_is_hidden_from_the_model(shared: SharedRecording) -> None:
    recorder = shared.recording.recorder
    before = recorder.view.frame_number
    shared.device.tree = PASSWORD_FIELD
    shared.device.show(1)
    recorder.wait_for(lambda view: view.is_read and view.frame_number != before, PATIENCE_S)
    recorder.type_text("hunter2")
    shared.recording.ready(steps=1)
    shared.hand_over()
    question = shared.thinker.await_question()
    assert "hunter2" not in question
    assert "[hidden]" in question
    recorder.take_over()
    shared.agent_clicks()  # for the abandoned question
