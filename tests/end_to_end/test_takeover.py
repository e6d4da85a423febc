"""An agent and a person on the simulated emulator: the person corrects a step, a snapshot brings the phone back."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import AgentRun
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.dataset.preferences import preference_pairs
from odyssey_recorder.model.action import Click
from odyssey_recorder.model.geometry import Size, to_grid
from odyssey_recorder.recording.state import State
from odyssey_recorder.simulated.private_adb_server import PrivateAdbServer
from tests.agents.conftest import Watcher
from tests.agents.controlled_model import ControlledModel, batch_of
from tests.cli import CommandLine
from tests.end_to_end.journal_checks import published
from tests.end_to_end.recording_setup import PATIENCE_S, RecordingSetup, ready, recording_setup
from tests.llm.stand_in import StandIn


def answer_tap(setup: RecordingSetup, thinker: ControlledModel, label: str) -> None:
    size = setup.emulator.phone.state().size
    at = to_grid(setup.position_of(label), Size(size.width, size.height))
    thinker.say("CLICK", x=at.x, y=at.y)


def test_corrected_agent_step_is_a_preference_pair(
    adb_server: PrivateAdbServer, tmp_path: Path, cli: CommandLine
) -> None:
    thinker = ControlledModel()
    with (
        StandIn(thinker) as server,
        ThreadPoolExecutor(1) as thread,
        recording_setup(adb_server, tmp_path / "phone", snapshots="always") as setup,
        setup.recording("mirror") as (recorder, _),
    ):
        agent = Agent(adapter_named("ours"), batch_of(server), HistoryRule.parse("actions"), Guard())
        run = AgentRun(agent, recorder, Watcher(), "Look at the notifications.", 30)
        recorder.hand_over()
        turn = thread.submit(run.play)
        for label in ("Settings", "Display", "Dark theme"):
            thinker.await_question()
            answer_tap(setup, thinker, label)
        thinker.await_question()
        recorder.undo(2, rejects=True)
        assert turn.result(PATIENCE_S).stop is StopReason.INTERRUPTED
        thinker.say("HOME")  # for the abandoned question
        assert ready(recorder, 1).is_correcting
        setup.tap_in_mirror(recorder, "Notifications")
        recorder.hand_over()
        turn = thread.submit(run.play)
        assert thinker.await_question().count('"CLICK"') >= 2
        thinker.say("COMPLETE", text="Done.")
        assert turn.result(PATIENCE_S).stop is StopReason.COMPLETE
        recorder.wait_for(lambda view: view.state is State.FINISHED, PATIENCE_S)
        recorder.join()
        assert setup.device.snapshots() == ()
        episode, provenance = published(setup.service.store, recorder.episode_id)
        setup.assert_screenshots_match_touches(provenance, 0, 3)
    assert [step.flags for step in provenance.steps] == [()] * 3
    assert [step.agent is not None for step in provenance.steps] == [True, False, True]
    assert [dropped.action for dropped in provenance.dropped] == ["CLICK", "CLICK"]
    (pair,) = preference_pairs(episode, provenance)
    assert isinstance(pair.chosen, Click)
    assert isinstance(pair.rejected, Click)
    assert (pair.step, pair.chosen) == (1, episode.steps[1].action)
    assert f'"y": {pair.rejected.point.y}' in pair.agent.raw
