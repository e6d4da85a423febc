"""What a model asks for besides actions, on a device in memory: apps, keys, its user, time."""

import json
from dataclasses import replace

import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.agents.ways import enter_key, icon_of
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Click, Press, SystemKey
from odyssey_recorder.model.geometry import Point, Size
from tests.agents.conftest import SharedRecording
from tests.fakes import VIEW_TREE, FakeDevice


def screen(*views: tuple[str, str, str]) -> str:
    """Clickable views, each with its package, label and bounds."""
    nodes = "".join(
        f'<node class="android.widget.TextView" package="{package}" text="{label}" clickable="true" bounds="{box}"/>'
        for package, label, box in views
    )
    return f'<hierarchy rotation="0">{nodes}</hierarchy>'


LAUNCHER, KEYBOARD = "com.android.launcher3", "com.google.android.inputmethod.latin"
HOME = screen((LAUNCHER, "Clock", "[180,320][252,448]"), (LAUNCHER, "Play Music", "[0,0][72,64]"))
AT_CLOCK = Point(600, 600)


class Phone(FakeDevice):
    """Its home screen has icons, which open an app."""

    def press(self, key: SystemKey) -> None:
        self.tree, self.state = HOME, replace(self.state, package=LAUNCHER)
        super().press(key)

    def touch(self, stroke: TouchStroke) -> None:
        self.tree, self.state = VIEW_TREE, replace(self.state, package="com.fake.app")
        super().touch(stroke)


def actions_of(shared: SharedRecording) -> list[Action]:
    return [step.action for step in shared.recording.draft.steps]


def asked_as_gui_owl(shared: SharedRecording) -> SharedRecording:
    agent = replace(shared.run.agent, adapter=adapter_named("gui-owl-1.5"))
    return replace(shared, run=replace(shared.run, agent=agent))


@pytest.mark.parametrize("device", [Phone], indirect=True)
def test_requests_are_done_as_a_person_would_or_the_model_is_told(shared: SharedRecording) -> None:
    shared = asked_as_gui_owl(shared)
    ask = shared.thinker
    ask.call("open", text="clock")
    ask.call("open", text="Maps")
    ask.call("wait", time=0.1)
    ask.call("key", text="volume_up")
    ask.call("interact", text="Which one?")
    ask.call("terminate", status="success")
    ended = shared.hand_over()
    asked = [ask.await_question() for _ in range(6)]
    assert ended() is StopReason.COMPLETE, shared.run.run
    home = Press(SystemKey.HOME)
    assert [type(one) for one in actions_of(shared)[:2]] == [Press, Click]
    assert actions_of(shared)[:3] == [home, Click(AT_CLOCK), home]
    first, *_ = (step.record.agent for step in shared.recording.draft.steps)
    assert first is not None
    assert first.problem == "not an action: open the app 'clock'"
    news = (
        (1, "Step 2: Click “Clock”"), (2, "There is no icon of Maps on this screen."),
        (3, "You waited 0.1 s, and the screen has not changed."),
        (4, "The key volume_up cannot be pressed here."), (5, "You asked: Which one? The answer: The blue one."),
    )  # fmt: skip
    for number, words in news:
        assert words in asked[number]
        assert words not in asked[number - 1]
    assert shared.watcher.asked == ["Which one?"]
    run = shared.run.run
    assert (run.steps, run.failures["not an action"], run.unreadable, run.interventions) == (4, 5, 0, 1), (
        shared.watcher.allowed
    )


def test_requests_without_an_action_end_a_run_at_last(shared: SharedRecording) -> None:
    shared = asked_as_gui_owl(shared)
    for _ in range(11):
        shared.thinker.call("interact", text="And now?")
    assert shared.hand_over()() is StopReason.REPEATED
    assert shared.run.run.why == "10 answers in a row that are no actions"
    assert shared.watcher.asked == ["And now?"] * 10


def test_answer_with_long_reasoning_is_kept_whole(shared: SharedRecording) -> None:
    shared.thinker.say("HOME", reason="r" * 30_000)
    shared.thinker.say("COMPLETE")
    assert shared.hand_over()() is StopReason.COMPLETE, shared.run.run
    agent = shared.recording.draft.steps[0].record.agent
    assert agent is not None
    assert json.loads(agent.raw)["reason"] == "r" * 30_000


def test_icons_and_the_enter_key_are_found_by_name() -> None:
    size, nodes = Size(360, 640), parse(HOME)
    assert icon_of(" CLOCK ", nodes, size) == AT_CLOCK
    assert icon_of("music", nodes, size) == Point(100, 50)
    for unknown in ("", "c", "Clock and Play Music"):
        assert icon_of(unknown, nodes, size) is None, unknown
    assert icon_of("Clock", parse(screen(("com.fake.app", "Clock", "[0,0][9,9]"))), size) is None
    keys = parse(screen(("com.fake.app", "Search", "[0,0][9,9]"), (KEYBOARD, "Search", "[288,576][360,640]")))
    assert enter_key(keys, size) == Point(900, 950)
    assert enter_key(nodes, size) is None
