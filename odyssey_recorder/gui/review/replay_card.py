"""Replays the open episode on a device: choice of device, progress and outcome."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal

from odyssey_recorder.device.device import ListedDevice
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.job_card import JobCard
from odyssey_recorder.gui.kit.parts import Card, Choice, fill_column, push_button, row, say, text_label
from odyssey_recorder.gui.review.commands import ReviewCommand
from odyssey_recorder.model.plain_text import step_number
from odyssey_recorder.progress import Cancelled, Progress
from odyssey_recorder.replay.player import LEFTOVERS, StepResult
from odyssey_recorder.review.review import ReplayEvidence
from odyssey_recorder.review.views import OpenedReview
from odyssey_recorder.services.review import ReviewService

_NEVER = "Not replayed yet. A replay shows whether the steps lead to the same screens again."
_NO_DEVICE = "No device. Start an emulator or a simulated device on the Devices page."
_RECORDED = "{} is in use by a recording and becomes available when that ends."


class ReplayCard(Card):
    """One replay at a time; its results are kept even if another episode is opened meanwhile.

    `badges_cleared` and `step_replayed` (number; match, drift or diverged) are for the filmstrip.
    """

    badges_cleared = Signal()
    step_replayed = Signal(int, str)
    _reached = Signal(str, int, str)

    def __init__(self, reviewing: ReviewService, background: Background, commands: Commands) -> None:
        super().__init__()
        self._reviewing = reviewing
        self._background = background
        self._commands = commands
        self._review: OpenedReview | None = None
        self._replayed = ""  # the id of the episode being replayed
        self._results: dict[int, str] = {}  # its results so far, by step
        self._listed: Sequence[ListedDevice] = ()
        self._problem = ""  # why the devices could not be listed
        self._recorded = ""  # the serial of the device that is recording
        self._device = Choice("Device to replay on")
        self._refresh = push_button("Refresh", "Refresh the list of devices", "quiet", call=self.look_for_devices)
        self._outcome = text_label(kind="hint")
        self._hint = text_label(kind="hint")
        self._job = JobCard()
        self._reached.connect(self._take_step, Qt.ConnectionType.QueuedConnection)
        commands.bind(self, {ReviewCommand.REPLAY_EPISODE: self._replay})
        self._lay_out()
        self._offer_devices()

    def show_review(self, review: OpenedReview) -> None:
        """Show the last replay's outcome, if the episode has not changed since."""
        self._review = review
        self.badges_cleared.emit()
        if self._replayed == review.row.episode_id:
            self._outcome.setText("")
            for number, verdict in self._results.items():
                self.step_replayed.emit(number, verdict)
        else:
            replays = [entry for entry in review.entries if isinstance(entry, ReplayEvidence)]
            valid = [entry for entry in replays if entry.revision == review.revision]
            self._show_evidence(valid[-1] if valid else None)
        self._offer()

    def look_for_devices(self) -> None:
        self._background.run(self._reviewing.devices, self._take_devices, self._show_error)

    def show_recording(self, serial: str) -> None:
        """Exclude the device that is recording; empty if there is none."""
        self._recorded = serial
        self._offer_devices()

    def _take_devices(self, devices: Sequence[ListedDevice]) -> None:
        self._listed, self._problem = devices, ""
        self._offer_devices()

    def _show_error(self, error: Exception) -> None:
        self._listed, self._problem = (), str(error)
        self._offer_devices()

    def _offer_devices(self) -> None:
        ready = [device for device in self._listed if device.is_ready]
        free = [device for device in ready if device.serial != self._recorded]
        self._device.offer([(device.serial, device.label) for device in free] or [("", "No device")])
        text = self._problem or ("" if ready else _NO_DEVICE)
        if len(free) < len(ready):
            recorded = next(device.label for device in ready if device.serial == self._recorded)
            text = _RECORDED.format(recorded)
        say(self._hint, text)
        self._offer()

    def _offer(self) -> None:
        is_whole = self._review is not None and not self._review.opened.damage
        is_possible = is_whole and bool(self._device.value) and not self._replayed
        self._device.setEnabled(bool(self._device.value) and not self._replayed)
        self._commands.enable(ReviewCommand.REPLAY_EPISODE, on=is_possible)

    # Replay.

    def _replay(self) -> None:
        if self._review is None:
            return
        episode_id, serial = self._review.row.episode_id, self._device.value
        count = len(self._review.opened.episode.steps)

        def work(progress: Progress, cancelled: Cancelled) -> ReplayEvidence:
            def report_step(step: StepResult) -> None:
                verdict = step.comparison.verdict.value
                progress((step.number + 1) / count, f"Step {step_number(step.number)} of {count}: {verdict}")
                self._reached.emit(episode_id, step.number, verdict)

            return self._reviewing.replay(episode_id, serial, report_step, cancelled)

        self._replayed, self._results = episode_id, {}
        self.badges_cleared.emit()
        self._outcome.setText("")
        job = self._background.start(
            f"Replaying on {self._device.currentText()}", work, lambda evidence: self._take(episode_id, evidence)
        )
        job.ended.connect(self._end)
        self._job.follow(job)
        self._offer()

    def _take_step(self, episode_id: str, number: int, verdict: str) -> None:
        self._results[number] = verdict
        if self._review is not None and self._review.row.episode_id == episode_id:
            self.step_replayed.emit(number, verdict)

    def _take(self, episode_id: str, evidence: ReplayEvidence) -> None:
        if self._review is not None and self._review.row.episode_id == episode_id:
            self._show_evidence(evidence)

    def _end(self) -> None:
        self._replayed = ""
        if not self._outcome.text():
            self._outcome.setText(_NEVER)
        self._offer()

    def _show_evidence(self, evidence: ReplayEvidence | None) -> None:
        self._outcome.setText(_NEVER if evidence is None else _outcome(evidence))
        for number, verdict in enumerate(evidence.steps if evidence else ()):
            self.step_replayed.emit(number, verdict)

    def _lay_out(self) -> None:
        choose = row((self._device, 1), self._refresh, spacing=4)
        replay = self._commands.button(ReviewCommand.REPLAY_EPISODE).set_wide()
        parts = (choose, replay, self._hint, self._job, self._outcome, None)
        fill_column(self, *parts, margins=(14, 10, 10, 10), spacing=6)


def _outcome(evidence: ReplayEvidence) -> str:
    """How a replay went, who ran it and when; a failed one names the failure."""
    counts = Counter(evidence.steps)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("match", "drift", "diverged") if counts[verdict])
    steps = f"all {len(evidence.steps)} steps match" if evidence.outcome == "match" else summary
    failed = "failed" if evidence.outcome == "failed" else ""
    went = ": ".join(filter(None, (failed, steps)))
    why = evidence.problem or (LEFTOVERS if evidence.outcome == "diverged" else "")
    problem = f" {why}" if why else ""
    return (
        f"Replayed on {evidence.serial}: {went}. By {evidence.by}, {evidence.at.astimezone():%Y-%m-%d %H:%M}.{problem}"
    )
