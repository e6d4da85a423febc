"""In any order of events, steps are in the order of their touch-downs, and none is lost, duplicated or wrong."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from odyssey_recorder.gesture.contacts import LossCause
from odyssey_recorder.model.action import Complete, SystemKey
from odyssey_recorder.recording import effects, events
from odyssey_recorder.recording.events import TextEntered
from odyssey_recorder.recording.raw_input import NO_ANSWER, NO_PLACE, NO_SCREENSHOT, PINCHED
from odyssey_recorder.recording.raw_input_queue import LOST, TOO_MANY
from odyssey_recorder.recording.state import Goal, State
from tests.recording.passive_bench import PLAIN, Bench

REJECTIONS = {NO_SCREENSHOT, NO_PLACE, NO_ANSWER, PINCHED, TOO_MANY, *(LOST.format(cause.value) for cause in LossCause)}
pauses = st.sampled_from([20, 60, 200, 500])


class PassiveRecordingMachine(RuleBasedStateMachine):
    """Inputs, commands and failures in any order."""

    @initialize(streams=st.booleans())
    def begin(self, streams: bool) -> None:
        self.bench = Bench(streams=streams).begin()
        self.begun_ns: set[int] = set()

    def _begin_input(self) -> None:
        """Begin an input that must be recorded, at a moment of its own."""
        self.bench.wait(20)
        self.begun_ns.add(self.bench.now_ns)

    @rule(change=st.booleans(), at=st.sampled_from([(100, 200), (540, 2340), (900, 1000)]))
    def tap(self, change: bool, at: tuple[int, int]) -> None:
        self._begin_input()
        self.bench.tap(*at, then=self.bench.screen + 1 if change else None)

    @rule(key=st.sampled_from(list(SystemKey)))
    def press(self, key: SystemKey) -> None:
        self._begin_input()
        self.bench.press(key)

    @rule()
    def press_while_a_finger_is_down(self) -> None:
        self._begin_input()
        self.bench.down(slot=3)
        self._begin_input()
        self.bench.press(SystemKey.BACK).wait(60)
        self.bench.up((300, 300), ms=80, slot=3)

    @rule()
    def pinch(self) -> None:
        self.bench.wait(20)
        self.bench.down(slot=0)
        self.bench.down(slot=1).wait(60).up((10, 10), ms=60, slot=0, fingers=2)
        self.bench.up((90, 90), ms=60, slot=1, fingers=2).wait(20)

    @rule(cause=st.sampled_from([LossCause.EVENTS_DROPPED, LossCause.STREAM_LOST]))
    def lose(self, cause: LossCause) -> None:
        self._begin_input()
        self.bench.down()
        self.bench.lose(cause)

    @rule(text=st.sampled_from([None, "", "milk"]))
    def type(self, text: str | None) -> None:
        self.bench.field_text = text
        self.bench.wait(20)
        self.bench.type("KEY_A", "KEY_B")

    @rule(ms=pauses)
    def wait(self, ms: int) -> None:
        self.bench.wait(ms)

    @rule(ms=pauses)
    def change(self, ms: int) -> None:
        self.bench.wait(20)
        self.bench.show(self.bench.screen + 1).wait(ms)

    @rule(areas=st.sampled_from([PLAIN, None]))
    def set_areas(self, areas: object) -> None:
        self.bench.areas = PLAIN if areas is PLAIN else None

    @rule()
    def undo(self) -> None:
        self.bench.send(events.UndoWanted(self.bench.now_ns))

    @rule()
    def clock_jumps(self) -> None:
        self.bench.send(events.ClockJumped())

    @rule(keeps_frames=st.booleans(), saves_steps=st.booleans())
    def storage_fails(self, keeps_frames: bool, saves_steps: bool) -> None:
        self.bench.keeps_frames, self.bench.saves_steps = keeps_frames, saves_steps

    @rule(number=st.integers(0, 5))
    def answer(self, number: int) -> None:
        self.bench.send(events.TextAnswered(number, "milk"))

    @precondition(lambda self: self.bench.gives_frames)
    @rule()
    def device_goes_away(self) -> None:
        self.bench.send(events.DeviceWentAway("It is gone."))

    @precondition(lambda self: not self.bench.gives_frames)
    @rule()
    def device_comes_back(self) -> None:
        self._come_back()

    def _come_back(self) -> None:
        """On the screen from before the loss; or on another, which the annotator accepts."""
        self.bench.come_back()
        self.bench.wait(500)
        if self.bench.session.goal is Goal.LOST:
            self.bench.send(events.ScreenAccepted(self.bench.now_ns))

    @invariant()
    def steps_are_in_order_and_unique(self) -> None:
        touched = [step.touched_ns for step in self.bench.steps]
        assert touched == sorted(touched)
        everything = [step.touched_ns for step in (*self.bench.steps, *self.bench.dropped)]
        assert len(set(everything)) == len(everything)

    @invariant()
    def screenshots_are_not_newer_than_the_touch_and_proved_ones_correct(self) -> None:
        for step in (*self.bench.steps, *self.bench.dropped):
            assert self.bench.taken_ns[step.frame] <= step.touched_ns
            if step.proven:
                assert self.bench.shows[step.frame] == self.bench.screen_at(step.touched_ns)

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        bench = self.bench
        bench.keeps_frames = bench.saves_steps = True
        bench.areas = PLAIN
        if not bench.gives_frames:
            self._come_back()
        bench.wait(5000)
        bench.send(events.Intended(Complete(), bench.now_ns)).wait(5000)
        for question in bench.questions:
            bench.send(events.TextAnswered(question.step, "milk"))
        bench.wait(100)
        self._assert_every_input_is_accounted_for()
        assert effects.Publish() in bench.emitted
        assert bench.session.state is State.INJECTING

    def _assert_every_input_is_accounted_for(self) -> None:
        """Every input is a step, was undone, or was reported as not recorded."""
        recorded = [*self.bench.steps, *self.bench.dropped]
        recorded_ns = {step.touched_ns for step in recorded if not isinstance(step.intent, TextEntered | Complete)}
        rejections = [text for text in self.bench.messages if text in REJECTIONS]
        assert recorded_ns <= self.begun_ns
        assert len(self.begun_ns - recorded_ns) <= len(rejections)


TestPassiveRecording = PassiveRecordingMachine.TestCase
TestPassiveRecording.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
