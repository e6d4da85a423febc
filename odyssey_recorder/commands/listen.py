"""`record --mode passive`: record by listening, with the annotator's commands on the terminal."""

from functools import partial
from pathlib import Path
from typing import TextIO

from odyssey_recorder.commands.record import RecordOptions, connected
from odyssey_recorder.commands.terminal import err, say
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.preflight import findings, take_readings
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.model.action import in_words_at
from odyssey_recorder.model.plain_text import step_index, step_number
from odyssey_recorder.recording.notice import Notice, NoticeKind
from odyssey_recorder.recording.recorder import Recorder
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView, TextQuestion
from odyssey_recorder.settings import Settings

WORDS = (
    "Work in the emulator's window. Commands here: done [NOTE], impossible REASON, undo, "
    "text N WORDS (what was typed in step N), stop (save the draft)."
)
LEAD_BACK = "If the screens match, enter: accept. Nothing is recorded until then."
_LISTENING = {State.READY, State.RESTORING, State.FINISHED}
_PATIENCE_S = 60.0


_say = partial(say, to=err)


class _Scribe:
    def __init__(self) -> None:
        self._steps = 0
        self._asked: TextQuestion | None = None
        self._wanted: Path | None = None
        self._path = ""

    def frame(self, frame: Frame) -> None: ...

    def changed(self, view: RecordingView) -> None:
        if view.capture_path != self._path:
            self._path = view.capture_path
            _say(("  screenshots by " + view.capture_path, "dim"))
        for step in view.steps[self._steps :]:
            _say(
                f"{step_number(step.number):3}  {in_words_at(step.action)}",
                (f"  {step.flag}" if step.flag else "", "yellow"),
            )
        if len(view.steps) < self._steps:
            _say(f"{step_number(len(view.steps)):3}  removed")
        self._steps = len(view.steps)
        if view.question is not None and view.question != self._asked:
            _say((_question_text(view.question), "yellow"))
        self._asked = view.question
        self._tell_way_back(view)

    def notice(self, notice: Notice) -> None:
        _say((notice.text, "red" if notice.kind is NoticeKind.FAILURE else "yellow"))

    def _tell_way_back(self, view: RecordingView) -> None:
        if view.state is State.RESTORING and view.wanted != self._wanted:
            _say((f"{view.way} The screenshot: {view.wanted}. {LEAD_BACK}", "yellow"))
            self._wanted = view.wanted
        elif view.goal is None and self._wanted is not None:
            _say("The device is restored. Continue.")
            self._wanted = None


def _question_text(question: TextQuestion) -> str:
    number = step_number(question.step)
    if question.shown:
        return (
            f"Step {number}: the field shows {question.shown!r}, not {question.guess!r}. "
            f"Enter the right text, or the same again: text {number} WORDS"
        )
    return f"What was typed in step {number}? Enter: text {number} WORDS (it looks like {question.guess!r})"


def record_by_listening(settings: Settings, request: RecordOptions, text: TextIO) -> Path | None:
    """The annotation file, or None for a kept draft. End of file and Ctrl-C mean stop. Raises OdysseyError."""
    with connected(settings, request) as (device, begin):
        _look_before(device)
        recorder = begin(_Scribe(), "passive")
        return _listen(recorder, text, accepts_screen=request.accepts_screen)


def _look_before(device: Device) -> None:
    """Print what is missing for passive mode, and how to fix it. Raises RecordingError if recording is impossible."""
    wanting = [finding for finding in findings(take_readings(device)) if finding.fix]
    for finding in wanting:
        _say((f"{finding.what}: {finding.found}. ", "yellow"), finding.fix)
    if any(finding.prevents for finding in wanting):
        raise RecordingError(f"Passive mode cannot record on {device.label} like this.")


def _listen(recorder: Recorder, text: TextIO, *, accepts_screen: bool) -> Path | None:
    try:
        recorder.start()
        view = recorder.wait_for(lambda view: view.state in _LISTENING, _PATIENCE_S)
        if view.state is State.RESTORING and accepts_screen:
            _accept(recorder)
        if view.published is None:
            _say(WORDS)
            _obey(recorder, text)
    except KeyboardInterrupt:
        _say("Stopped.")
    finally:
        recorder.stop()
        recorder.join()
    if recorder.view.published is None:
        go_on = f"Continue it: --mode passive --resume {recorder.episode_id}"
        _say(f"The draft is saved. {go_on}")
    return recorder.view.published


def _obey(recorder: Recorder, text: TextIO) -> None:
    ended = False
    for said in text:
        word, _, rest = said.strip().partition(" ")
        match word:
            case "done":
                ended = recorder.view.goal is None
                recorder.complete(rest)
            case "impossible" if rest:
                ended = recorder.view.goal is None
                recorder.impossible(rest)
            case "undo":
                ended = False
                recorder.undo()
            case "accept":
                _accept(recorder)
            case "text" if _answer(recorder, rest):
                pass
            case "stop":
                return
            case "":
                pass
            case _:
                _say(f"{word!r} is not a command on its own.  ", WORDS)
        if ended and recorder.wait_for(_is_decided, _PATIENCE_S).published is not None:
            return


def _accept(recorder: Recorder) -> None:
    recorder.accept_screen()
    recorder.wait_for(lambda view: view.goal is None or view.state is not State.RESTORING, _PATIENCE_S)


def _answer(recorder: Recorder, rest: str) -> bool:
    """Give the recorder the text typed in a step; False if the line is malformed."""
    number, _, text = rest.partition(" ")
    asked = recorder.view.question
    if not number.isdecimal() or not int(number) or not text:
        return False
    recorder.answer_text(step_index(int(number)), text)
    recorder.wait_for(lambda view: view.question != asked or view.state is State.STORAGE_LOST, _PATIENCE_S)
    return True


def _is_decided(view: RecordingView) -> bool:
    return view.published is not None or view.question is not None or view.state is State.STORAGE_LOST
