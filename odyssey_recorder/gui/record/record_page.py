"""The page for recording: the task at the left, the device in the middle, the steps at the right."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.device.preflight import PreflightFinding
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.gui.bridges.practice import PracticeBridge
from odyssey_recorder.gui.bridges.queue import QueueBridge
from odyssey_recorder.gui.bridges.recording import Phase, RecordingController
from odyssey_recorder.gui.frame.background import error_text
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.keyboard import is_text
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.panels import Panels, SideName
from odyssey_recorder.gui.frame.question_dialog import ask as ask_first
from odyssey_recorder.gui.frame.question_dialog import clear_question
from odyssey_recorder.gui.kit.fix_list import PreflightCard
from odyssey_recorder.gui.kit.parts import fill_column, fill_row, named, row
from odyssey_recorder.gui.kit.theme import grown
from odyssey_recorder.gui.record.agent_card import AgentCard
from odyssey_recorder.gui.record.agent_runner import OPENING, AgentRunner
from odyssey_recorder.gui.record.commands import RecordCommand
from odyssey_recorder.gui.record.device_chooser import DeviceChooser, ModeSwitch
from odyssey_recorder.gui.record.device_column import DeviceColumn
from odyssey_recorder.gui.record.drafts import DraftOffer
from odyssey_recorder.gui.record.finishing import Finishing
from odyssey_recorder.gui.record.messages import MessageArea
from odyssey_recorder.gui.record.practice_card import PracticeCard
from odyssey_recorder.gui.record.sounds import Sound, Sounds
from odyssey_recorder.gui.record.status import GRPC_LOST, ElidedLabel
from odyssey_recorder.gui.record.steps_card import LAST, StepsCard
from odyssey_recorder.gui.record.task_card import TaskCard, TaskStage
from odyssey_recorder.gui.record.text_question_card import TextQuestionCard
from odyssey_recorder.model.assignment import Assignment, CleanHome
from odyssey_recorder.model.episode import Mode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.notice import NoticeKind
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView

if TYPE_CHECKING:  # loaded when a recording begins
    from odyssey_recorder.recording.recorder import Recorder

_STAGES = {Phase.STARTING: TaskStage.RECORD, Phase.RECORDING: TaskStage.RECORD, Phase.FINISHED: TaskStage.LOOK_BACK}
_PREVENTED = "Passive mode can't record on this device. See “Before you start”."
_LOOK_AROUND_MS = 3000
_FAILED, _PATH = "failed", "path"  # causes of messages
_LEFT_PX = 280
_RIGHT_PX = 284
_UNDER_SCREENSHOT_PX, _BESIDE_SCREENSHOT_PX = 110, 48
"""Controls of the middle around the mirror."""
_CONTROLS_PX = 380
"""The width of the controls above and below the mirror, at the normal text size."""
_MIN_HEIGHT_SHARE = 0.85
_SPACE = 16


class RecordPage(MainPage):
    def __init__(
        self,
        controller: RecordingController,
        commands: Commands,
        queue: QueueBridge | None = None,
        coach: PracticeBridge | None = None,
        agents: AgentRunner | None = None,
    ) -> None:
        super().__init__()
        self._agents = agents
        self._queue = queue
        self._coach = coach
        self._controller = controller
        self._commands = commands
        self._mode = ModeSwitch()
        self._devices = DeviceChooser(commands, self._mode)
        self._task = TaskCard(commands, queue)
        self._device = DeviceColumn(controller, commands)
        self._home = self._device.home
        self.viewport = self._device.viewport
        self.sounds = Sounds(self)
        self._preflight = PreflightCard(commands.button(RecordCommand.LOOK_OVER, kind="quiet"))
        self._question = TextQuestionCard(controller.background)
        self._steps = StepsCard(controller.background, commands)
        self._agent = AgentCard(agents, commands, self)
        self._begins_agent = False
        self._message = MessageArea(commands)
        self._practice = PracticeCard(coach, controller, commands) if coach is not None else None
        self._drafts = DraftOffer(controller, commands, self, coach)
        self._left, self._right = QWidget(), QWidget()
        self._instruction_label = named(ElidedLabel(lines=2), "Instruction")
        self._top_buttons = commands.buttons(RecordCommand.PAUSE, RecordCommand.STOP, kind="quiet")
        self._heading = row((self._instruction_label, 1), *self._top_buttons)
        self._fitted: Size | None = None
        self._ready_before: set[str] = set()  # devices that were ready in the last list
        self._look_around = QTimer(self, interval=_LOOK_AROUND_MS)
        self._lay_out()
        finishing = Finishing(controller, commands, self, self._column)
        finishing.asking.connect(partial(self._panels.require, "right"))
        self._connect_controller()
        self._connect_widgets()
        self._connect_commands()
        if queue is not None:
            queue.chosen.connect(lambda _task: controller.record_another())
            queue.lost.connect(self._report_lost_task)
            queue.board_changed.connect(self._drafts.show_board)
        self._show_phase(controller.phase)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters outside fields are not sent to the device: they may be meant for a note."""
        if is_text(event):
            self._device.show_typing_hint()
        super().keyPressEvent(event)

    def outline_elements(self, *, on: bool) -> None:
        """Whether the view under the pointer is outlined on the mirror."""
        self._device.outline_elements(on=on)

    @property
    def instruction(self) -> str:
        return self._task.task.instruction

    # Reports of the controller.

    def _show_phase(self, phase: Phase) -> None:
        recording = phase in (Phase.STARTING, Phase.RECORDING)
        self._device.show_phase(phase)
        if phase in (Phase.WATCHING, Phase.STARTING):
            self._steps.show_steps(())
            self._question.show_question(None, ())
        self._devices.show_chosen(self._controller.serial)
        if self._queue is not None:
            self._queue.set_device(self._controller.profile)
        self._devices.set_changeable(not recording)
        self._show_mode()
        if recording:
            self._message.end(_FAILED)
            self._look_around.stop()
        else:
            self._look_around.start()
        self._task.set_stage(_STAGES.get(phase, TaskStage.WRITE))
        is_recording = phase is Phase.RECORDING
        self._commands.enable(RecordCommand.STOP, RecordCommand.DISCARD, on=is_recording)
        self._commands.enable(RecordCommand.AGAIN, on=is_recording and not self._controller.is_agents)
        self._commands.enable(RecordCommand.LOOK_FOR_DEVICES, RecordCommand.SIMULATE, on=not recording)
        self._offer_start()
        if self._agents is not None and self._agents.is_prepared and phase is Phase.RECORDING:
            self._agents.begin(self.instruction)

    def _show_mode(self) -> None:
        passive, phase = self._controller.mode == "passive", self._controller.phase
        self._mode.setVisible(phase in (Phase.NO_DEVICE, Phase.CONNECTING, Phase.WATCHING))
        shows_preflight = passive and phase in (Phase.CONNECTING, Phase.WATCHING)
        self._preflight.setVisible(shows_preflight)
        self._steps.setVisible(not shows_preflight)
        self._panels.arrange()
        self._commands.enable(RecordCommand.LOOK_OVER, on=passive and phase is Phase.WATCHING)
        self._mode.show_mode(self._controller.mode)
        self._device.show_mode()

    def _show_view(self, view: RecordingView) -> None:
        self._message.follow(view.steps[-1].key if view.steps else None)
        is_making = view.state in (State.CHECKING, State.INJECTING)
        may_undo = view.published is None and not view.is_agents_turn
        self._steps.show_steps(view.steps, may_undo=may_undo, is_making=is_making)
        if view.published is not None and not self._controller.is_agents:  # a person's is still wanted
            self._task.note_published(view.published.stem)
        is_asked = not self._question.isHidden()
        self._question.show_question(view.question, view.steps)
        if is_asked is self._question.isHidden():
            self._panels.arrange()
        self._device.show_view(view)

    def _show_devices(self, devices: Sequence[ListedDevice]) -> None:
        chosen = self._controller.serial
        self._devices.show_devices(devices, chosen=chosen, can_simulate=self._controller.can_simulate)
        ready = {device.serial for device in devices if device.is_ready}
        new = ready - self._ready_before
        self._ready_before = ready
        if self._controller.phase is Phase.NO_DEVICE and len(ready) == len(new) == 1:
            self._controller.choose_device(*new)

    # Commands of the annotator.

    def _start(self, *, agent: bool = False) -> None:
        self._begins_agent = agent
        if self._must_consent:
            self._commands[CommonCommand.READ_CONSENT].trigger()
        elif self._task.assignment is not None and self._commands[RecordCommand.START].isEnabled():
            self._message.clear()
            self._task.begin()

    def _begin(self, assignment: Assignment) -> None:
        if assignment.start == CleanHome(clears_apps=True) and assignment.task.apps:
            ask_first(clear_question(assignment.task.apps), self.window(), partial(self._begin_agreed, assignment))
        else:
            self._begin_agreed(assignment)

    def _begin_agreed(self, assignment: Assignment) -> None:
        if self._controller.phase is not Phase.WATCHING:  # the device may have gone while the queue was asked
            return
        if not self._begins_agent:
            self._controller.start(assignment)
        elif self._agents is not None and self._agents.is_prepared:
            self._controller.start(assignment, "agent")

    def _report_capture_path(self, path: str) -> None:
        self._message.end(_PATH)
        if path == "screencap":
            self._message.say(NoticeKind.WARNING, GRPC_LOST, cause=_PATH)

    def _report_lost_task(self, why: str) -> None:
        if self._controller.phase not in _STAGES:
            self._message.say(NoticeKind.WARNING, "This task is no longer reserved for you.", why)

    def _stop(self) -> None:
        self._controller.stop()
        self._message.clear()
        self._message.say(NoticeKind.NEWS, "Saved as a draft. Press “Show drafts…” to continue it.")

    def _undo(self, first: int, corrects: bool, recorder: "Recorder") -> None:
        """The last steps may not be shown yet."""
        recorder.undo(1 if first == LAST else len(recorder.view.steps) - first, rejects=corrects)

    def _record_another(self) -> None:
        self._task.clear()
        self._device.action_bar.show_text("")
        self._controller.record_another()

    def _choose_mode(self, mode: Mode) -> None:
        self._preflight.show_checking()
        self._controller.choose_mode(mode)
        self._show_mode()
        self._offer_start()

    def _show_findings(self, findings: Sequence[PreflightFinding]) -> None:
        self._preflight.show_findings(findings)
        self._offer_start()

    def _offer_start(self) -> None:
        watching = self._controller.phase is Phase.WATCHING
        prevented = self._controller.mode == "passive" and self._preflight.prevents
        closed = self._coach.closed(self._task.assignment) if self._coach is not None else ""
        missing = closed or (_PREVENTED if prevented else self._task.missing)
        choose = "Choose a device first." if self._controller.phase is Phase.NO_DEVICE else ""
        why = closed or choose or missing
        self._commands.enable(RecordCommand.START, on=watching and (not missing or self._must_consent), why=why)
        is_opening = self._agents is not None and self._agents.is_opening
        self._task.show_hint(OPENING if is_opening else missing if watching else closed or choose)
        assignment = self._task.assignment
        is_practice = assignment is not None and assignment.is_practice
        self._agent.offer("Agents can't do practice tasks." if is_practice else why)

    # An agent.

    def _run_agent(self) -> None:
        if self._agents is not None and self._controller.phase is Phase.RECORDING:
            self._agents.begin(self.instruction)
        else:
            self._start(agent=True)

    def _show_agent(self) -> None:
        if self._agents is not None:
            self._device.show_agent(self._agents.text if self._agents.is_working else "")
            self._offer_start()

    @property
    def _must_consent(self) -> bool:
        """Start asks for consent first."""
        return self._coach is not None and self._coach.must_ask

    # Wiring.

    def _connect_controller(self) -> None:
        controller = self._controller
        controller.phase_changed.connect(self._show_phase)
        controller.devices_listed.connect(self._show_devices)
        controller.listing_failed.connect(self._devices.show_failure)
        controller.connecting_failed.connect(self._devices.show_trouble)
        controller.looked_over.connect(self._show_findings)
        controller.look_over_failed.connect(self._preflight.show_failure)
        self._preflight.fix_asked.connect(controller.fix)
        controller.view_changed.connect(self._show_view)
        controller.view_changed.connect(self.sounds.follow)
        controller.failed.connect(lambda _text: self.sounds.play(Sound.ERROR))
        controller.frame_came.connect(self._fit_frame)
        controller.day_counted.connect(self._task.show_today)
        controller.drafts_listed.connect(lambda _drafts: self._task.look_again())
        controller.noticed.connect(self._message.tell)
        controller.failed.connect(partial(self._message.say, NoticeKind.FAILURE, cause=_FAILED))

    def _connect_widgets(self) -> None:
        ask = self._controller.ask
        if self._agents is not None:
            self._agents.changed.connect(self._show_agent)
            self._agents.prepared.connect(self._run_agent)
            self._agent.shown.connect(self._panels.arrange)
        self._device.step_begun.connect(self._steps.expect_step)
        self._controller.noticed.connect(self._steps.expect_nothing)
        self._device.path_changed.connect(self._report_capture_path)
        self._steps.undo_asked.connect(lambda first, corrects: ask(partial(self._undo, first, corrects)))
        self._steps.note_written.connect(lambda key, note: ask(lambda recorder: recorder.note_step(key, note)))
        self._question.answered.connect(lambda step, text: ask(lambda recorder: recorder.answer_text(step, text)))
        self._look_around.timeout.connect(self._controller.list_devices)
        self._devices.serial_chosen.connect(self._controller.choose_device)
        self._mode.mode_chosen.connect(self._choose_mode)
        self._task.task_changed.connect(self._offer_start)
        self._task.begun.connect(self._begin)
        self._task.warned.connect(partial(self._message.say, NoticeKind.WARNING))
        self._task.replied.connect(self._reply)
        self._drafts.resuming.connect(self._task.show_draft)
        if self._coach is not None:
            self._coach.changed.connect(self._offer_start)
            self._coach.practised.connect(self._task.show_assignment)
            self._coach.annotator_changed.connect(self._task.change_annotator)
            self._drafts.resuming.connect(self._coach.resume)

    def _reply(self, episode_id: str, words: str) -> None:
        say = self._message.say
        self._controller.reply(
            episode_id, words,
            lambda _: say(NoticeKind.NEWS, "Your reply is saved. The reviewers see it."),
            lambda error: say(NoticeKind.FAILURE, "Couldn't save the reply.", error_text(error)),
        )  # fmt: skip

    def _connect_commands(self) -> None:
        controller = self._controller
        calls = {
            RecordCommand.LOOK_FOR_DEVICES: controller.list_devices,
            RecordCommand.SIMULATE: controller.start_simulated,
            RecordCommand.LOOK_OVER: controller.look_over,
            RecordCommand.START: self._start,
            RecordCommand.STOP: self._stop,
            RecordCommand.DISMISS: self._message.clear,
            RecordCommand.MESSAGES: self._message.open_last,
            RecordCommand.ANOTHER: self._record_another,
            RecordCommand.DRAFTS: self._task.look_again,
        }
        self._commands.bind(self, calls)
        self._commands.belong_to(self, RecordCommand.WRITE)

    def _lay_out(self) -> None:
        # Messages here do not move the mirror under the mouse.
        practice = [self._practice] if self._practice is not None else []
        above = (self._message, *practice, self._agent, self._question)
        fill_column(self._left, self._devices, self._task, spacing=_SPACE)
        self._column = fill_column(self._right, *above, (self._preflight, 1), (self._steps, 1), spacing=_SPACE)
        self._instruction_label.setProperty("kind", "title")
        middle = QWidget()
        fill_column(middle, self._heading, (self._device, 1), spacing=6)
        left, right = (self._left, _LEFT_PX), (self._right, _RIGHT_PX)
        self._panels = Panels("record", self._commands, middle, {"left": left, "right": right}, self._fits)
        self._panels.arranged.connect(self._place_messages)
        fill_row(self, self._panels, margins=_SPACE)

    def _fits(self, side: SideName, px: int) -> bool:
        """Whether the controls fit and the mirror is nearly as high as it could be.

        A panel that is needed now stays anyway. During a recording the left panel gives way first.
        """
        is_recording = self._controller.phase in _STAGES
        if side == "left":
            is_needed = not is_recording
        else:
            cards = (self._practice, self._question, self._preflight, self._agent)
            is_needed = any(card is not None and not card.isHidden() for card in cards)
        if is_needed:
            return True
        if side == "right" and is_recording and px < grown(_CONTROLS_PX):
            px += grown(_LEFT_PX)
        shape = 0.0 if self._fitted is None else self._fitted.width / self._fitted.height
        highest = self._panels.height() - _UNDER_SCREENSHOT_PX
        return px >= max(grown(_CONTROLS_PX), _MIN_HEIGHT_SHARE * highest * shape + _BESIDE_SCREENSHOT_PX)

    def _fit_frame(self, frame: Frame) -> None:
        if frame.size != self._fitted:
            self._fitted = frame.size
            self._panels.arrange()

    def _place_messages(self) -> None:
        """Show above the mirror what is needed of a hidden left panel, and messages where they are seen."""
        has_left, has_right = self._panels.is_open("left"), self._panels.is_open("right")
        for part in (self._instruction_label, *self._top_buttons):
            part.setVisible(not has_left)
        self._device.undo.setVisible(not has_right)
        self._instruction_label.show_text(self.instruction)
        place = self._right.layout() if has_right else self._left.layout() if has_left else self._heading
        if isinstance(place, QBoxLayout) and place.indexOf(self._message) < 0:
            place.insertWidget(0, self._message)
