"""The page on which episodes are recorded: task at the left, the device in the middle, the steps at the right."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from odyssey_recorder.dataset.provenance import Mode
from odyssey_recorder.dataset.store import DraftSummary
from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.device.preflight import Finding
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.action_bar import ActionBar
from odyssey_recorder.gui.banner import Banner, Tone
from odyssey_recorder.gui.commands import Command, Commands
from odyssey_recorder.gui.device_chooser import DeviceChooser
from odyssey_recorder.gui.drafts_dialog import DraftsDialog
from odyssey_recorder.gui.finish_dialogs import CompleteDialog, DiscardDialog, ImpossibleDialog
from odyssey_recorder.gui.mirror import MirrorView
from odyssey_recorder.gui.mode_switch import ModeSwitch
from odyssey_recorder.gui.page import Page
from odyssey_recorder.gui.preflight_card import PreflightCard
from odyssey_recorder.gui.recording_controller import Phase, RecordingController
from odyssey_recorder.gui.state_words import Told, tell_lost_while_watching, tell_passive_view, tell_phase, tell_view
from odyssey_recorder.gui.status_line import PATH_CHANGED, StatusLine
from odyssey_recorder.gui.steps_card import StepsCard
from odyssey_recorder.gui.task_card import Stage, TaskCard
from odyssey_recorder.gui.text_question_card import TextQuestionCard
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.recording.session import State
from odyssey_recorder.recording.view import RecordingView

_STAGES = {Phase.STARTING: Stage.RECORD, Phase.RECORDING: Stage.RECORD, Phase.FINISHED: Stage.LOOK_BACK}
_UNDONE = "The last step is taken away. The device was not turned back: go on from what it shows now."
_PREVENTED = "Nothing can be recorded in passive mode on this device: see Before you start."
_LOOK_AROUND_MS = 3000
_LEFT_PX = 280
_RIGHT_PX = 284
_SPACE = 16


class RecordPage(Page):
    """Shows what the controller reports and hands it what the annotator asks for."""

    def __init__(self, controller: RecordingController, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._commands = commands
        self._mode = ModeSwitch()
        self._devices = DeviceChooser(commands, self._mode)
        self._task = TaskCard(commands)
        self._mirror = MirrorView()
        self._status = StatusLine()
        self._actions = ActionBar(commands)
        self._preflight = PreflightCard(commands.button(Command.LOOK_OVER, kind="quiet"))
        self._question = TextQuestionCard(controller.background)
        self._steps = StepsCard(controller.background, commands)
        self._message = Banner(commands.button(Command.DISMISS, kind="quiet", wordless=True))
        self._publication = Banner(commands.button(Command.COPY_PLACE), commands.button(Command.ANOTHER))
        self._drafts_dialog = DraftsDialog(self)
        self._drafts: Sequence[DraftSummary] = ()
        self._drafts_offered = False
        self._undoing = False
        self._view: RecordingView | None = None
        self._seen: set[str] = set()  # the devices that were ready when last listed
        self._look_around = QTimer(self, interval=_LOOK_AROUND_MS)
        self._published: Path | None = None
        self._lay_out()
        self._connect_controller()
        self._connect_widgets()
        self._connect_commands()
        self._show_phase(controller.phase)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().isprintable() and event.text():
            self._actions.begin_text(event.text())
        else:
            super().keyPressEvent(event)

    def repaint_icons(self) -> None:
        """Draw the icons anew for another palette."""
        for part in (self._task, self._message, self._publication, self._preflight):
            part.repaint_icons()

    @property
    def instruction(self) -> str:
        """What the annotator is asked to do, in the words of the task card."""
        return self._task.task.instruction

    # What the controller reports.

    def _show_phase(self, phase: Phase) -> None:
        recording = phase in (Phase.STARTING, Phase.RECORDING)
        self._tell(tell_phase(phase, self._controller.serial))
        if phase in (Phase.NO_DEVICE, Phase.CONNECTING):
            self._mirror.clear()
            self._status.show_capture_path("")
        if phase in (Phase.NO_DEVICE, Phase.CONNECTING, Phase.FINISHED):
            self._status.show_frame(None)
        if phase in (Phase.WATCHING, Phase.STARTING):
            self._steps.show_steps(())
            self._question.show_question(None, ())
        self._devices.show_chosen(self._controller.serial)
        self._devices.set_changeable(not recording)
        self._show_mode()
        if recording:
            self._look_around.stop()
            self._mirror.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._look_around.start()
        self._task.set_stage(_STAGES.get(phase, Stage.WRITE))
        self._commands.enable(Command.STOP, Command.DISCARD, on=phase is Phase.RECORDING)
        self._commands.enable(Command.LOOK_FOR_DEVICES, Command.SIMULATE, on=not recording)
        self._commands.enable(Command.ANOTHER, Command.COPY_PLACE, on=phase is Phase.FINISHED)
        self._commands.enable(Command.UNDO, Command.RETRY, on=False)
        self._publication.setVisible(phase is Phase.FINISHED)
        self._offer_start()
        self._show_drafts(self._drafts)

    def _show_mode(self) -> None:
        passive, phase = self._controller.mode == "passive", self._controller.phase
        self._mode.setVisible(phase in (Phase.NO_DEVICE, Phase.CONNECTING, Phase.WATCHING))
        looks_over = passive and phase in (Phase.CONNECTING, Phase.WATCHING)
        self._preflight.setVisible(looks_over)
        self._steps.setVisible(not looks_over)
        self._commands.enable(Command.LOOK_OVER, on=passive and phase is Phase.WATCHING)
        self._mode.show_mode(self._controller.mode)
        self._actions.show_input(not passive)

    def _show_view(self, view: RecordingView) -> None:
        if len(view.steps) > self._steps.count:
            self._message.hide()
        elif len(view.steps) < self._steps.count and self._undoing:
            self._message.show_message(Tone.WARNING, _UNDONE)
            self._undoing = False
        self._steps.show_steps(view.steps)
        self._question.show_question(view.question, view.steps)
        self._view = view
        self._tell_view(view)
        self._commands.enable(Command.UNDO, on=bool(view.steps) and view.published is None)
        self._commands.enable(Command.RETRY, on=view.state is State.STORAGE_LOST)
        if view.published is not None:
            self._published = view.published
            self._publication.show_message(Tone.SUCCESS, "The episode is published.", str(view.published))

    def _tell_view(self, view: RecordingView) -> None:
        touched = self._mirror.is_touched
        if touched and view.state is State.INJECTING:
            self._mirror.let_follow()
        passive = self._controller.mode == "passive"
        self._tell(tell_passive_view(view) if passive else tell_view(view, touched=touched))

    def _tell(self, told: Told) -> None:
        self._status.show_state(told.mood, told.word, told.message)
        self._mirror.set_veil(told.veil)
        watching, mirror = self._controller.phase is Phase.WATCHING, self._controller.mode == "mirror"
        self._actions.set_enabled(told.is_ready, keys=watching or (told.is_ready and mirror))

    def _show_frame(self, frame: Frame) -> None:
        if self._controller.phase is Phase.FINISHED:
            return  # it was under way when the episode ended
        self._show_capture_path()
        self._mirror.show_frame(frame)
        self._status.show_frame(frame)
        if self._controller.phase is Phase.WATCHING:
            self._tell(tell_phase(Phase.WATCHING, self._controller.serial))

    def _show_capture_path(self) -> None:
        before, path = self._status.capture_path, self._controller.capture_path
        self._status.show_capture_path(path)
        if self._controller.phase is Phase.RECORDING and before and path not in ("", before):
            self._message.show_message(Tone.WARNING, PATH_CHANGED[path])

    def _show_devices(self, devices: Sequence[ListedDevice]) -> None:
        chosen = self._controller.serial
        self._devices.show_devices(devices, chosen=chosen, can_simulate=self._controller.can_simulate)
        ready = {device.serial for device in devices if device.is_ready}
        new = ready - self._seen
        self._seen = ready
        if self._controller.phase is Phase.NO_DEVICE and len(ready) == len(new) == 1:
            self._controller.choose_device(*new)

    def _show_drafts(self, drafts: Sequence[DraftSummary]) -> None:
        self._drafts = drafts
        watching = self._controller.phase is Phase.WATCHING
        self._commands[Command.DRAFTS].setVisible(bool(drafts))
        self._commands[Command.DRAFTS].setText(f"Drafts ({len(drafts)})…" if drafts else "Drafts…")
        self._drafts_dialog.show_drafts(
            drafts, cannot_resume="" if watching else "Choose a device first: the recording goes on there."
        )

    def _offer_drafts(self, drafts: Sequence[DraftSummary]) -> None:
        self._show_drafts(drafts)
        if drafts and not self._drafts_offered:
            self._drafts_dialog.open()
        if not drafts:
            self._drafts_dialog.reject()
        self._drafts_offered = True

    # What the annotator asks for.

    def _start(self) -> None:
        if not self._task.missing:
            self._message.hide()
            self._controller.start(Assignment(self._task.task))

    def _stop(self) -> None:
        self._controller.stop()
        self._message.show_message(Tone.SUCCESS, "Stopped. The draft is kept: go on with it under Drafts.")

    def _resume(self, episode_id: str) -> None:
        for draft in self._drafts:
            if draft.episode_id == episode_id:
                self._task.show_task(draft.task)
        self._controller.resume(episode_id)

    def _lift(self, stroke: TouchStroke | None) -> None:
        if stroke is None:
            self._controller.ask(lambda recorder: recorder.cancel_touch())
        else:
            self._controller.ask(lambda recorder: recorder.lift(stroke))
        if self._view is not None and self._controller.phase is Phase.RECORDING:
            self._tell_view(self._view)  # while the finger was down it said otherwise

    def _press(self, key: SystemKey) -> None:
        if self._controller.phase is Phase.WATCHING:
            self._controller.press_unrecorded(key)
        else:
            self._controller.ask(lambda recorder: recorder.press(key))

    def _type(self, text: str) -> None:
        if not self._controller.ask(lambda recorder: recorder.type_text(text)):
            self._actions.show_text(text)

    def _undo(self) -> None:
        self._undoing = self._controller.ask(lambda recorder: recorder.undo())

    def _ask_for_note(self) -> None:
        dialog = CompleteDialog(self)
        dialog.note_given.connect(lambda note: self._controller.ask(lambda recorder: recorder.complete(note)))
        dialog.open()

    def _ask_for_reason(self) -> None:
        dialog = ImpossibleDialog(self)
        dialog.reason_given.connect(lambda reason: self._controller.ask(lambda recorder: recorder.impossible(reason)))
        dialog.open()

    def _ask_to_discard(self) -> None:
        dialog = DiscardDialog(self)
        dialog.accepted.connect(lambda: self._controller.ask(lambda recorder: recorder.abandon()))
        dialog.open()

    def _record_another(self) -> None:
        self._task.clear()
        self._actions.show_text("")
        self._controller.record_another()

    def _copy_published_place(self) -> None:
        if self._published is not None:
            QGuiApplication.clipboard().setText(str(self._published))

    def _choose_mode(self, mode: Mode) -> None:
        self._preflight.show_looking()
        self._controller.choose_mode(mode)
        self._show_mode()
        self._offer_start()

    def _show_findings(self, findings: Sequence[Finding]) -> None:
        self._preflight.show_findings(findings)
        self._offer_start()

    def _offer_start(self) -> None:
        watching = self._controller.phase is Phase.WATCHING
        prevented = self._controller.mode == "passive" and self._preflight.prevents
        missing = _PREVENTED if prevented else self._task.missing
        self._commands.enable(Command.START, on=watching and not missing)
        choose = "Choose a device first." if self._controller.phase is Phase.NO_DEVICE else ""
        self._task.show_hint(missing if watching else choose)

    # How it hangs together.

    def _connect_controller(self) -> None:
        controller = self._controller
        controller.phase_changed.connect(self._show_phase)
        controller.devices_listed.connect(self._show_devices)
        controller.listing_failed.connect(self._devices.show_failure)
        controller.device_connected.connect(self._mirror.set_rules)
        controller.looked_over.connect(self._show_findings)
        controller.look_over_failed.connect(self._preflight.show_failure)
        self._preflight.mend_asked.connect(controller.mend)
        controller.drafts_listed.connect(self._offer_drafts)
        controller.frame_came.connect(self._show_frame)
        controller.view_changed.connect(self._show_view)
        controller.watching_failed.connect(lambda words: self._tell(tell_lost_while_watching(words)))
        controller.noticed.connect(lambda words: self._message.show_message(Tone.WARNING, words))
        controller.failed.connect(lambda words: self._message.show_message(Tone.DANGER, words))

    def _connect_widgets(self) -> None:
        ask = self._controller.ask
        self._mirror.touch_began.connect(lambda frame, at: ask(lambda recorder: recorder.touch_down(frame, at)))
        self._mirror.finger_moved.connect(lambda at: ask(lambda recorder: recorder.move_touch(at)))
        self._mirror.stroke_made.connect(self._lift)
        self._mirror.touch_cancelled.connect(lambda: self._lift(None))
        self._mirror.key_asked.connect(self._press)
        self._actions.text_entered.connect(self._type)
        self._question.answered.connect(lambda step, text: ask(lambda recorder: recorder.answer_text(step, text)))
        self._look_around.timeout.connect(self._controller.list_devices)
        self._devices.serial_chosen.connect(self._controller.choose_device)
        self._mode.mode_chosen.connect(self._choose_mode)
        self._task.task_changed.connect(self._offer_start)
        self._drafts_dialog.resume_asked.connect(self._resume)
        self._drafts_dialog.discard_asked.connect(self._controller.discard_draft)

    def _connect_commands(self) -> None:
        controller, ask = self._controller, self._controller.ask
        calls = {
            Command.LOOK_FOR_DEVICES: controller.list_devices,
            Command.SIMULATE: controller.start_simulated,
            Command.LOOK_OVER: controller.look_over,
            Command.START: self._start,
            Command.STOP: self._stop,
            Command.DISCARD: self._ask_to_discard,
            Command.DRAFTS: self._drafts_dialog.open,
            Command.RETRY: lambda: ask(lambda recorder: recorder.retry()),
            Command.BACK: lambda: self._press(SystemKey.BACK),
            Command.HOME: lambda: self._press(SystemKey.HOME),
            Command.RECENT: lambda: self._press(SystemKey.RECENT),
            Command.COMPLETE: self._ask_for_note,
            Command.IMPOSSIBLE: self._ask_for_reason,
            Command.UNDO: self._undo,
            Command.DISMISS: self._message.hide,
            Command.ANOTHER: self._record_another,
            Command.COPY_PLACE: self._copy_published_place,
        }
        for command, call in calls.items():
            self._commands[command].triggered.connect(lambda _checked, call=call: call())
        self._commands.belong_to(self, *calls, Command.WRITE)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(_SPACE, _SPACE, _SPACE, _SPACE)
        row.setSpacing(_SPACE)
        row.addWidget(self._left())
        row.addWidget(self._middle(), 1)
        row.addWidget(self._right())

    def _left(self) -> QWidget:
        left = _column(self._devices, self._task)
        left.setFixedWidth(_LEFT_PX)
        return left

    def _middle(self) -> QWidget:
        middle = _column(self._publication, self._mirror, self._status, self._actions)
        layout = middle.layout()
        if isinstance(layout, QVBoxLayout):
            layout.setStretchFactor(self._mirror, 1)
            layout.setSpacing(12)
        return middle

    def _right(self) -> QWidget:
        right = _column(
            self._message, self._question, self._preflight, self._steps
        )  # a message must not move the mirror under the mouse
        right.setFixedWidth(_RIGHT_PX)
        return right


def _column(*parts: QWidget) -> QWidget:
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(_SPACE)
    for part in parts:
        layout.addWidget(part)
    return column
