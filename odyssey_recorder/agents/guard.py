"""What an agent may only do with permission: devices, apps, risky elements, and its own doubts."""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unicodedata import normalize

from odyssey_recorder.device.view_hierarchy import ViewNode, hit_at, labels_of
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, Type
from odyssey_recorder.model.geometry import Point, to_pixel
from odyssey_recorder.recording.step_writer import ShownScreen

_ACCENTS = re.compile("[\u0300-\u036f\u0640\u064b-\u0655]")
"""Of Latin, Cyrillic and Arabic letters, with which a label may be written or not."""
_LETTER = r"[^\W\d_]|[\u0900-\u0963]"
"""Python counts no vowel sign of Devanagari as a letter."""
_DOUBT = re.compile(r"\bcall_user\b|\bneed_feedback\b|\"interrupt\"")
"""How UI-TARS and AgentCPM-GUI ask for their user."""
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
        """Why a person must be asked before `action` is carried out; empty if nobody must."""
        return next(self._concerns(action, shown, raw), "")

    def _concerns(self, action: Action, shown: ShownScreen, raw: str) -> Iterator[str]:
        if _DOUBT.search(raw):
            yield "the model asks for its user"
        match action:
            case Complete() | Impossible() if self.asks_before_end:
                yield "this ends the episode and publishes it"
                return
            case Complete() | Impossible() | Press():
                return
            case Scroll():
                pass  # it presses nothing
            case Click(point) | LongPress(point):
                yield from _under(point, shown)
            case Type():
                if not shown.nodes:
                    yield "it is unknown which field has the focus"
                elif any(node.password and node.focused for node in shown.nodes):
                    yield "the focused field is for a password"
        package = "" if shown.state is None else shown.state.package
        if self.packages and package not in self.packages:
            yield f"the app {package or '(unknown)'} is not allowed"


def _under(point: Point, shown: ShownScreen) -> Iterator[str]:
    """What is risky under the finger."""
    if not shown.nodes:
        yield "it is unknown what is under the finger"
        return
    size = shown.kept.frame.size
    place = hit_at(shown.nodes, to_pixel(point, size), size)
    if place is None:
        return
    for words in (*_named(shown.nodes[place]), *labels_of(shown.nodes, place)):
        if risk := risky_word(words):
            yield f"{risk!r} is under the finger: {words:.60}"
            return


def risky_word(text: str) -> str:
    """The first word of `risky_words.toml` in `text`, in any language; empty if there is none."""
    pattern, words = _risky()
    found = (match["word"] for match in pattern.finditer(_folded(text)))
    return next((words[word] for word in found if word), "")


@cache
def _risky() -> tuple[re.Pattern[str], dict[str, str]]:
    """The pattern also matches what is innocent, without a `word`; and how the words are spelled, by their match."""
    languages = tomllib.loads(Path(__file__).with_name("risky_words.toml").read_text("utf-8")).values()
    words, parts, innocent = (
        {_folded(word): word for language in languages for word in language.get(kind, ())}
        for kind in ("words", "parts", "innocent")
    )
    pattern = rf"{_any_of(innocent)}|(?P<word>(?<!{_LETTER})(?:{_any_of(words)})(?!{_LETTER})|{_any_of(parts)})"
    return re.compile(pattern), words | parts


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _folded(text: str) -> str:
    return normalize("NFKC", _ACCENTS.sub("", normalize("NFKD", text.casefold())))


def _named(node: ViewNode) -> tuple[str, ...]:
    words = node.text, node.description, node.hint, node.resource_id.rpartition("/")[2]
    return (*words, "password") if node.password else words
