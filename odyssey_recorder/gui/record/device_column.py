"""The middle of the Record page: the device's screen, its status, and its input."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.command import Command
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.keyboard import PAUSE_MS, is_text, offer_focus
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.parts import breakable, fill_column
from odyssey_recorder.gui.record.action_bar import ActionBar
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.mirror import MirrorView
from odyssey_recorder.gui.record.mirror_stage import MirrorStage
from odyssey_recorder.gui.record.mouse_contact import stamp_ms
from odyssey_recorder.gui.record.recording_bar import RecordingBar
from odyssey_recorder.gui.record.status import (
    Activity,
    StatusLine,
    StatusText,
    device_lost_text,
    passive_view_text,
    phase_text,
    view_text,
)
from odyssey_recorder.gui.screen.canvas import Framing
from odyssey_recorder.model.action import Press, SystemKey, Type, in_words
from odyssey_recorder.recording.notice import Notice, NoticeKind
from odyssey_recorder.recording.state import Goal, State
from odyssey_recorder.recording.view import RecordingView

if TYPE_CHECKING:  # loaded when a recording begins
    from odyssey_recorder.recording.recorder import Recorder

_SPACE = 12
_NO_FIELD = "No text field is selected on the device. Press Enter again to type anyway"
_ON_DEVICE = "Not recorded: use this key on the device's own keyboard"
_EDITING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
_FOR_DEVICE = (
    *(RecordCommand.BACK, RecordCommand.HOME, RecordCommand.RECENT),
    *(RecordCommand.COMPLETE, RecordCommand.IMPOSSIBLE),
)
"""Commands whose keys are refused like a click while the device is busy."""


class DeviceColumn(QWidget):
    """Emits the capture path when it changes during a recording."""

    path_changed = Signal(str)
    step_begun = Signal()

    def __init__(self, controller: RecordingController, commands: Commands) -> None:
        super().__init__()
        self._controller = controller
        self._commands = commands
        self._mirror = MirrorView()
        self.home = self._mirror
        self.viewport = self._mirror.viewport
        self._stage = MirrorStage(self._mirror, controller.background, commands)
        self._status = StatusLine()
        self.undo = commands.button(RecordCommand.UNDO, kind="low")
        self._bar = RecordingBar(self._status, self.undo)
        self.action_bar = ActionBar(commands)
        self._publication = Publication(commands)
        self._view: RecordingView | None = None
        self._agent_action = ""
        self._unconfirmed_text = ""  # text without a field for it, to enter again
        self._dropped_ms = -PAUSE_MS  # when the last letter came too early
        self._status_text = phase_text(Phase.NO_DEVICE, "")
        fill_column(self, self._bar, self._publication, (self._stage, 1), self.action_bar, spacing=_SPACE)
        self._connect()

    def outline_elements(self, *, on: bool) -> None:
        self._mirror.outline.is_on = on

    def show_phase(self, phase: Phase) -> None:
        self._commands[RecordCommand.PAUSE].setChecked(False)
        self._view = None
        self._mirror.outline.show_nodes(())
        self._status.show_hint("")
        if phase is Phase.STARTING:
            self._bar.begin()
        self._stage.show_wanted(None)
        self._show_status(phase_text(phase, self._controller.label, practice=self._controller.is_practising))
        if phase in (Phase.NO_DEVICE, Phase.CONNECTING):
            self._mirror.clear()
            self._status.show_capture_path("")
        if phase in (Phase.NO_DEVICE, Phase.CONNECTING, Phase.FINISHED):
            self._status.show_frame(None)
        if phase in (Phase.STARTING, Phase.RECORDING):
            offer_focus(self._mirror)
        self._commands.enable(RecordCommand.ANOTHER, RecordCommand.COPY_PLACE, on=phase is Phase.FINISHED)
        self._commands.enable(RecordCommand.RETRY, RecordCommand.REDO, on=False)
        is_published = phase is Phase.FINISHED and not self._controller.is_practising
        self._publication.setVisible(is_published)
        self._status.setVisible(not is_published)

    def show_view(self, view: RecordingView) -> None:
        self._view = view
        self._mirror.outline.show_nodes(view.nodes if self._controller.mode == "mirror" else ())
        if view.wanted is None or view.state is State.RESTORING or self._stage.is_restoring:
            self._stage.show_wanted(view.wanted, view.goal or Goal.UNDONE, view.way)
        self._show_view_status(view)
        self._commands.enable(RecordCommand.RETRY, on=view.state is State.STORAGE_LOST)
        self._commands.enable(RecordCommand.REDO, on=view.redo is not None and not view.is_agents_turn)
        if view.published is not None and not self._controller.is_practising:
            self._publication.show_published(view.published)

    def show_agent(self, text: str) -> None:
        """What the agent does; empty while it is not its turn."""
        if text != self._agent_action:
            self._agent_action = text
            if self._view is not None:
                self._show_view_status(self._view)

    def show_mode(self) -> None:
        self.action_bar.show_input(self._controller.mode == "mirror")

    def show_typing_hint(self) -> None:
        if (keys := self.action_bar.keys_to_write) and self._controller.phase is Phase.RECORDING:
            self._status.show_hint(f"{keys} to type on the device")

    # Status.

    def _show_view_status(self, view: RecordingView) -> None:
        touched = self._mirror.is_touched
        if touched and view.state is State.INJECTING:
            self._mirror.let_follow()
        practice = self._controller.is_practising
        if self._controller.mode == "passive":
            self._show_status(passive_view_text(view, practice=practice))
        else:
            text = view_text(view, touched=touched, practice=practice)
            self._show_status(text.by_agent(self._agent_action) if self._agent_action else text)

    def _show_status(self, text: StatusText) -> None:
        self._status_text = text
        if self._commands[RecordCommand.PAUSE].isChecked():
            text = text.paused()
        in_mirror = text.overlay is not None and text.overlay.text == text.message
        self._status.show_state(text.activity, text.word, text.message, is_shown_elsewhere=in_mirror)
        self._show_framing(text)
        self._mirror.set_overlay(text.overlay)
        phase, by_mirror = self._controller.phase, self._controller.mode == "mirror"
        can_pause = phase is Phase.RECORDING and by_mirror and text.activity is not Activity.LOST
        self._commands.enable(RecordCommand.PAUSE, on=can_pause)
        takes_input = by_mirror and text.takes_input
        why = "" if text.is_ready else f"{text.hindrance[:1].upper()}{text.hindrance[1:]}."
        self.action_bar.set_enabled(
            keys=phase is Phase.WATCHING or takes_input, text=takes_input, endings=text.is_ready, why=why
        )

    def _show_framing(self, text: StatusText) -> None:
        if self._controller.phase is not Phase.RECORDING:
            self._bar.show_state(Framing.PLAIN, text.word, None)
            self._mirror.set_framing(Framing.PLAIN)
            return
        framing = Framing.PAUSED if text.is_pause else Framing.RECORDING
        if text.is_pause and self._bar.framing is not framing:
            self._status.show_hint("")  # of before
        steps = 0 if self._view is None else len(self._view.steps)
        self._bar.show_state(framing, "Paused" if text.is_pause else "Recording", steps)
        self._mirror.set_framing(framing)

    def _refuse(self) -> None:
        """An input on the phone was too early, or is not possible now."""
        if self._agent_action:
            self._controller.ask(lambda recorder: recorder.take_over())
        text = self._status_text
        paused = self._commands[RecordCommand.PAUSE].isChecked()
        self._status.show_hint(f"Not recorded: {(text.paused() if paused else text).hindrance}", is_refusal=True)

    def _show_refusal(self, notice: Notice) -> None:
        """Show a refusal of the recorder below the phone too, where the annotator looks."""
        if notice.kind is NoticeKind.REFUSAL:
            first = notice.text.partition(". ")[0]
            self._status.show_hint(f"Not recorded: {first[:1].lower()}{first[1:]}", is_refusal=True)

    def _pause(self, paused: bool) -> None:
        self._commands[RecordCommand.PAUSE].setText("Resume" if paused else "Pause")
        self._show_status(self._status_text)
        if not paused:
            self._mirror.setFocus()

    def _show_frame(self, frame: Frame) -> None:
        if self._controller.phase is Phase.FINISHED:
            return  # it was under way when the episode ended
        self._show_capture_path()
        self._mirror.show_frame(frame)
        self._status.show_frame(frame)
        if self._controller.phase is Phase.WATCHING:
            self._show_status(phase_text(Phase.WATCHING, self._controller.label))

    def _show_capture_path(self) -> None:
        before, path = self._status.capture_path, self._controller.capture_path
        self._status.show_capture_path(path)
        if self._controller.phase is Phase.RECORDING and before and path not in ("", before):
            self.path_changed.emit(path)

    # Input.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters typed at the device's screen go to the text box; keys that come too early are refused like clicks."""
        pressed = QKeySequence(event.keyCombination())
        if any(pressed == self._commands[command].shortcut() for command in _FOR_DEVICE):
            self._mirror.report_missed_key()
        elif not self._take_key(event):
            super().keyPressEvent(event)

    def _take_key(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Paste):
            self._write(QGuiApplication.clipboard().text(), stamp_ms(event))
        elif is_text(event):
            self._write(event.text(), stamp_ms(event))
        elif event.key() in _EDITING and self._controller.phase is Phase.RECORDING:
            is_entering = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and bool(self.action_bar.text)
            self.action_bar.enter_text() if is_entering else self._status.show_hint(_ON_DEVICE, is_refusal=True)
        else:
            return False
        return True

    def _write(self, text: str, at_ms: int) -> None:
        """The rest of a text whose first letters came too early is dropped, too."""
        if self.action_bar.takes_text and at_ms - self._dropped_ms >= PAUSE_MS:
            self.action_bar.write(text)
        else:
            self._dropped_ms = at_ms
            self._mirror.report_missed_key()

    def _lift(self, stroke: TouchStroke | None) -> None:
        if stroke is None:
            self._controller.ask(lambda recorder: recorder.cancel_touch())
        else:
            self._ask_for_step(lambda recorder: recorder.lift(stroke))
        if self._view is not None and self._controller.phase is Phase.RECORDING:
            self._show_view_status(self._view)  # it differed while the finger was down

    def _press(self, key: SystemKey) -> None:
        self._status.show_hint(in_words(Press(key)))
        if self._controller.phase is Phase.WATCHING:
            self._controller.press_unrecorded(key)
        else:
            self._ask_for_step(lambda recorder: recorder.press(key))

    def _type(self, text: str) -> None:
        if self._view is not None and self._view.lacks_field and text != self._unconfirmed_text:
            self._unconfirmed_text = text
            self.action_bar.show_text(text)
            self._status.show_hint(_NO_FIELD, is_refusal=True)
            return
        self._unconfirmed_text = ""
        if self._ask_for_step(lambda recorder: recorder.type_text(text)):
            self._status.show_hint(in_words(Type(text)))
            self._mirror.setFocus()  # what is typed next is not meant for the device yet
        else:
            self.action_bar.show_text(text)

    def _redo(self) -> None:
        if self._view is not None and self._view.redo is not None:
            self._status.show_hint(in_words(self._view.redo))
            self._ask_for_step(lambda recorder: recorder.redo())

    def _ask_for_step(self, question: "Callable[[Recorder], None]") -> bool:
        is_asked = self._controller.ask(question)
        if is_asked:
            self.step_begun.emit()
        return is_asked

    def _copy_published_path(self) -> None:
        if self._publication.annotation is not None:
            QGuiApplication.clipboard().setText(str(self._publication.annotation))

    def _connect(self) -> None:
        controller, commands, ask = self._controller, self._commands, self._controller.ask
        controller.device_connected.connect(self._mirror.set_rules)
        controller.frame_came.connect(self._show_frame)
        controller.noticed.connect(self._show_refusal)
        controller.watching_failed.connect(lambda text: self._show_status(device_lost_text(text)))
        self._mirror.touch_began.connect(lambda frame, at: ask(lambda recorder: recorder.touch_down(frame, at)))
        self._mirror.finger_moved.connect(lambda at: ask(lambda recorder: recorder.move_touch(at)))
        self._mirror.stroke_made.connect(self._lift)
        self._mirror.touch_cancelled.connect(lambda: self._lift(None))
        self._mirror.key_asked.connect(self._press)
        self._mirror.missed.connect(self._refuse)
        self._mirror.gesture_changed.connect(partial(self._status.show_hint, stays=True))
        self._mirror.gesture_made.connect(self._status.show_hint)
        self.action_bar.text_entered.connect(self._type)
        self.action_bar.text_refused.connect(self._refuse)
        calls: dict[Command, Callable[[], object]] = {
            RecordCommand.BACK: partial(self._press, SystemKey.BACK),
            RecordCommand.HOME: partial(self._press, SystemKey.HOME),
            RecordCommand.RECENT: partial(self._press, SystemKey.RECENT),
            RecordCommand.REDO: self._redo,
            RecordCommand.RETRY: lambda: ask(lambda recorder: recorder.retry()),
            RecordCommand.ACCEPT_SCREEN: lambda: ask(lambda recorder: recorder.accept_screen()),
            RecordCommand.COPY_PLACE: self._copy_published_path,
        }
        commands.bind(self, calls)
        commands.belong_to(self, RecordCommand.PAUSE, RecordCommand.MAGNIFY)
        commands[RecordCommand.PAUSE].toggled.connect(self._pause)


class Publication(Banner):
    """The published episode, with the name of its file."""

    def __init__(self, commands: Commands) -> None:
        super().__init__(
            commands.button(RecordCommand.COPY_PLACE, wordless=True), commands.button(RecordCommand.ANOTHER)
        )
        self.annotation: Path | None = None

    def show_published(self, annotation: Path) -> None:
        if annotation == self.annotation:
            return
        self.annotation = annotation
        self.setToolTip(str(annotation))
        self.show_message(Tone.SUCCESS, "The episode is published.", breakable(annotation.name))
