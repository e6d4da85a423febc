"""How the window tells where a recording stands: the word, the colour, and the veil for each phase and state."""

from dataclasses import dataclass

from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.record.status_line import Mood
from odyssey_recorder.gui.record.veil import Veil, Weight
from odyssey_recorder.model.action import Complete, Impossible
from odyssey_recorder.recording.state import State
from odyssey_recorder.recording.view import RecordingView


@dataclass(frozen=True, slots=True)
class StateText:
    """What status line and mirror say; without a veil the mirror takes input."""

    mood: Mood
    word: str
    message: str
    veil: Veil | None

    @property
    def is_ready(self) -> bool:
        """Whether an action may come now, wherever the annotator works."""
        return self.mood is Mood.READY and self.veil in (None, _LOOK_ONLY)

    @property
    def takes_input(self) -> bool:
        """Whether touches on the mirror, keys and text go to the device now, recorded or not."""
        return self.veil is None

    def paused(self) -> "StateText":
        """The same while the annotator takes a break: it takes no input, and trouble is told all the same."""
        veil = Veil(_PAUSED, Weight.HEAVY, "pause_circle_outline")
        return self if self.mood is Mood.LOST else StateText(Mood.IDLE, "Paused", "", veil)


_PAUSED = "Paused. Nothing is recorded until you press Resume."
_LOOK_ONLY = Veil("Work in the emulator's own window", Weight.CLEAR)


def tell_phase(phase: Phase, serial: str, *, practice: bool = False) -> StateText:
    """The words for a phase in which no recorder speaks; `practice`: what is recorded is never published."""
    match phase:
        case Phase.NO_DEVICE:
            words = "No device: start an emulator, or start the simulated one."
            return StateText(Mood.IDLE, "No device", "", Veil(words, Weight.HEAVY))
        case Phase.CONNECTING:
            words = f"Connecting to {serial}…" if serial else "Starting the simulated emulator…"
            return StateText(Mood.BUSY, "Connecting", "", Veil(words, Weight.HEAVY, "cellphone_link"))
        case Phase.WATCHING:
            veil = Veil("Live view, not recording", Weight.CLEAR)
            return StateText(Mood.IDLE, "Live view", "Nothing is recorded yet", veil)
        case Phase.STARTING | Phase.RECORDING:
            return StateText(Mood.BUSY, "Starting", "", Veil("Starting…"))
        case Phase.FINISHED if practice:
            veil = Veil("Practice episode recorded", Weight.HEAVY, "check_circle_outline")
            return StateText(Mood.READY, "Recorded", "", veil)
        case Phase.FINISHED:
            return StateText(
                Mood.READY, "Published", "", Veil("Episode published", Weight.HEAVY, "check_circle_outline")
            )


def tell_lost_while_watching(message: str) -> StateText:
    """The words for a device that does not answer while nothing is recorded."""
    return StateText(Mood.LOST, "Device lost", message, Veil(message, Weight.HEAVY, "cellphone_off"))


def tell_passive_view(view: RecordingView, *, practice: bool = False) -> StateText:
    """The words for what a recorder says of itself that listens to the emulator's own window."""
    match view.state:
        case State.READY:
            return StateText(Mood.READY, "Listening", "What you do on the device is recorded.", _LOOK_ONLY)
        case State.IDLE | State.SETTLING:
            return StateText(
                Mood.BUSY, "Starting", "Nothing is recorded yet: wait until it listens.", Veil("Starting…")
            )
        case State.LEADING_BACK:
            return StateText(Mood.BUSY, "Leading back", view.message, _LOOK_ONLY)
        case _:
            return tell_view(view, practice=practice)


def tell_view(view: RecordingView, *, touched: bool = False, practice: bool = False) -> StateText:
    """The words for what a recorder says of itself; `touched`: a finger is down on the mirror."""
    match view.state:
        case State.INJECTING if touched:
            return StateText(Mood.BUSY, "Touching", "The device follows your finger.", None)
        case State.READY:
            return StateText(Mood.READY, "Ready", view.message, None)
        case State.LEADING_BACK:
            return StateText(Mood.BUSY, "Leading back", view.message, None)
        case State.DEVICE_LOST:
            return StateText(Mood.LOST, "Device lost", view.message, Veil(view.message, Weight.HEAVY, "cellphone_off"))
        case State.STORAGE_LOST:
            return StateText(Mood.LOST, "Not saved", view.message, Veil(view.message, Weight.HEAVY, "alert_outline"))
        case State.FINISHED:
            return tell_phase(Phase.FINISHED, "", practice=practice)
        case State.ABANDONED:
            return StateText(Mood.IDLE, "Discarded", view.message, Veil("The draft is in the trash", Weight.HEAVY))
        case State.IDLE | State.SETTLING | State.CAPTURING | State.CHECKING | State.INJECTING | State.RETURNING as busy:
            ending = "Saving" if practice else "Publishing"
            word = ending if _is_over(view) else _BUSY_WORDS[busy]
            return StateText(Mood.BUSY, word, view.message, Veil(f"{word}…"))


_BUSY_WORDS = {
    State.IDLE: "Starting",
    State.SETTLING: "Settling",
    State.CAPTURING: "Saving",
    State.CHECKING: "Checking",
    State.INJECTING: "Sending",
    State.RETURNING: "Returning",
}


def _is_over(view: RecordingView) -> bool:
    return bool(view.steps) and isinstance(view.steps[-1].action, Complete | Impossible)
