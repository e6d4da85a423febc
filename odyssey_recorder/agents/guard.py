"""What an agent may only do with permission: devices, apps, risky and unknown elements, and its own doubts."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from unicodedata import category

from odyssey_recorder.agents.guarded_touch import GuardedTouch, belongs_elsewhere
from odyssey_recorder.agents.label_folding import folded_name
from odyssey_recorder.agents.risky_words import risky_word
from odyssey_recorder.control.inputs import input_for
from odyssey_recorder.device.view_hierarchy import focused_field
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.gesture.recognizer import recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, Type
from odyssey_recorder.recording.step_writer import ShownScreen

_DOUBT = re.compile(r"\bcall_user\b|\bneed_feedback\b|\"interrupt\"|\"pending_safety_checks\"|\brequire_confirmation\b")
"""How UI-TARS and AgentCPM-GUI, and the servers of OpenAI and Gemini, ask for their user."""
_EMULATOR = re.compile(r"emulator-\d+")


@dataclass(frozen=True, slots=True)
class Guard:
    """Agents act on emulators and on the `devices` named; with `packages`, they touch other apps only when allowed.

    `asks_before_end`: a person must agree that the episode ends.
    """

    devices: Collection[str] = ()
    packages: Collection[str] = ()
    asks_before_end: bool = False

    def admit(self, serial: str) -> None:
        """Raises SettingsError."""
        if serial not in self.devices and _EMULATOR.fullmatch(serial) is None:
            raise SettingsError(
                f"{serial} is not an emulator, and an agent may change anything on it. To let it, use "
                f"agent run --allow-device {serial}."
            )

    def concern(self, action: Action, shown: ShownScreen, raw: str) -> str:
        """Why a person must be asked before `action` is carried out; empty if nobody must.

        The finger that would be sent counts, not what the model calls it: a drag that ends where it began is a press.
        """
        return next(self._concerns(action, shown, raw), "")

    def _concerns(self, action: Action, shown: ShownScreen, raw: str) -> Iterator[str]:
        if _DOUBT.search(raw):
            yield "the model or its server asks for a person"
        match action:
            case Complete() | Impossible() if self.asks_before_end:
                yield "this ends the episode and publishes it"
                return
            case Complete() | Impossible() | Press():
                return
            case Type(text):
                yield from _typed(text, shown)
            case _:
                if (stroke := _stroke_of(action, shown)) is not None:
                    yield from GuardedTouch(stroke, shown, raw, self.packages).concerns()
        package = "" if shown.state is None else shown.state.package
        if self.packages and package not in self.packages:
            yield f"the app {package or '(unknown)'} is not allowed"


def recorded_as(action: Action, shown: ShownScreen) -> Action:
    """What the recorder will make of `action`: a drag that does not move is a click or a long press."""
    stroke = _stroke_of(action, shown)
    made = action if stroke is None else recognize(stroke, shown.rules, shown.kept.frame.size)
    return action if isinstance(made, type(action)) else made


def _stroke_of(action: Action, shown: ShownScreen) -> TouchStroke | None:
    sent = input_for(action, shown.kept.frame.size, long_press_ms=shown.rules.long_press_us // 1000)
    return sent if isinstance(sent, TouchStroke) else None


def _typed(text: str, shown: ShownScreen) -> Iterator[str]:
    field = focused_field(shown.nodes)
    name = "" if field is None else folded_name(field.resource_id)
    if not shown.nodes:
        yield "it is unknown which field has the focus"
    elif any(node.password and node.focused for node in shown.nodes):
        yield "the focused field is for a password"
    elif field is None:
        yield "no field has the focus, so it is unknown where the text goes"
    elif risk := risky_word(f"{field.hint}. {field.description}") or risky_word(name, is_label=False):
        yield f"the focused field is for {risk!r}"
    elif elsewhere := belongs_elsewhere(field, shown):
        yield elsewhere
    if any(category(letter) in ("Cc", "Zl", "Zp") for letter in text):
        yield "a line break or tab in the text may submit it, or lead to another field"
