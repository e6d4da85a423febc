"""Text input to the focused field: focus, typing, selection, and the clipboard toolbar."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from odyssey_simulator.ui.controls import TextField
from odyssey_simulator.ui.text import word_around
from odyssey_simulator.ui.view import Memory, Selection


@dataclass(frozen=True, slots=True)
class TextDraft:
    """`anchor` is the other end of the selection, equal to the cursor without one."""

    text: str
    cursor: int
    anchor: int

    @property
    def span(self) -> tuple[int, int]:
        return min(self.cursor, self.anchor), max(self.cursor, self.anchor)

    @property
    def selected(self) -> str:
        start, end = self.span
        return self.text[start:end]

    def inserted(self, text: str) -> "TextDraft":
        start, end = self.span
        place = start + len(text)
        return TextDraft(self.text[:start] + text + self.text[end:], place, place)

    def deleted(self, *, forward: bool = False) -> "TextDraft":
        start, end = self.span
        if start == end:
            start, end = (start, min(end + 1, len(self.text))) if forward else (max(0, start - 1), end)
        return TextDraft(self.text[:start] + self.text[end:], start, start)

    def moved(self, place: int) -> "TextDraft":
        place = max(0, min(place, len(self.text)))
        return TextDraft(self.text, place, place)

    def all_selected(self) -> "TextDraft":
        return TextDraft(self.text, len(self.text), 0)


Layer = Literal["letters", "symbols", "more"]


@dataclass(slots=True)
class SoftKeyboard:
    shown: bool = False
    layer: Layer = "letters"
    shift: bool = False


HOST = "android"
"""The owner of a clip that the emulator's host has set: the package of uid system."""


@dataclass(slots=True)
class Clip:
    """`owner` is the package that set it, `readers` are those that have read it."""

    text: str = ""
    owner: str = HOST
    readers: set[str] = field(default_factory=set)


class TextEntry:
    """Edits the focused field of the front page.

    `field` finds the focused text field among the current views, `memory` is the front page's. `toolbar` says whether
    Cut, Copy, Paste and Select all are offered. Only the first `paste_limit` letters of the clipboard are pasted, and
    no field holds more than `field_limit` letters.
    """

    def __init__(
        self,
        field: Callable[[], TextField | None],
        memory: Callable[[], Memory],
        app: Callable[[], tuple[str, str]],
        offers_stylus: Callable[[], bool],
    ) -> None:
        """`app` is the package and the label of the app in front."""
        self._field = field
        self._memory = memory
        self._app = app
        self._offers_stylus = offers_stylus
        self.keyboard = SoftKeyboard()
        self.clip = Clip()
        self.pasted_by = ""
        """The label of an app that has just read the clip for the first time; Android tells the user so."""
        self.stylus_offered = False
        """While "Try out your stylus" is over the app, which then gets no text."""
        self._stylus_known = False
        self.toolbar = False
        self.reveal = False
        self.paste_limit: int | None = None
        self.field_limit: int | None = None

    @property
    def field(self) -> TextField | None:
        return self._field()

    @property
    def draft(self) -> TextDraft | None:
        """None without focus."""
        field, focus = self._field(), self._memory().focus
        if field is None or focus is None:
            return None
        end = len(field.value)
        return TextDraft(field.value, min(focus.cursor, end), min(focus.anchor, end))

    def tap(self, field: TextField, cursor: int) -> None:
        """The first tap on a field makes the keyboard offer handwriting with a stylus."""
        self.focus(field, cursor)
        if not self._stylus_known and self._offers_stylus():
            self.stylus_offered = self._stylus_known = True

    def decline_stylus(self) -> None:
        self.stylus_offered = False

    def focus(self, field: TextField, cursor: int) -> None:
        self.toolbar = False
        self._memory().focus = Selection(field.key, cursor, cursor)
        self.reveal = True
        if not field.read_only:
            self._raise_keyboard(field)

    def select_word(self, field: TextField, index: int) -> None:
        start, end = word_around(field.value, index)
        self._memory().focus = Selection(field.key, end, start)
        self.toolbar = True
        if not field.read_only:
            self._raise_keyboard(field)

    def blur(self) -> None:
        self._memory().focus = None
        self.toolbar = self.stylus_offered = False
        self.keyboard.shown = False

    def dismiss(self) -> None:
        field = self._field()
        self.toolbar = False
        if field is not None and field.read_only:
            self._memory().focus = None

    def hide_keyboard(self) -> None:
        self.keyboard.shown = False
        self.toolbar = False

    def insert(self, text: str) -> None:
        field = self._field()
        fitting = text if field is None or field.multiline else text.replace("\n", " ")
        self._change(lambda draft: draft.inserted(fitting))

    def press(self, character: str) -> None:
        self.insert(character)
        self.keyboard.shift = False

    def delete(self, *, forward: bool = False) -> None:
        self._change(lambda draft: draft.deleted(forward=forward))

    def enter(self) -> None:
        field = self._field()
        if field is not None and field.multiline and not field.read_only:
            self.insert("\n")
        else:
            self.act()

    def act(self) -> None:
        field = self._field()
        if field is None or field.read_only or self.stylus_offered:
            return
        self.hide_keyboard()
        if field.on_action:
            field.on_action()

    def clear(self) -> None:
        self._change(lambda draft: draft.all_selected().inserted(""))

    def move(self, step: int) -> None:
        draft = self.draft
        if draft is not None:
            self._put(draft.moved(draft.cursor + step))

    def move_to(self, place: int) -> None:
        draft = self.draft
        if draft is not None:
            self._put(draft.moved(place))

    def select_all(self) -> None:
        draft = self.draft
        if draft is not None:
            self._put(draft.all_selected())
            self.toolbar = True

    def copy(self) -> None:
        draft = self.draft
        if draft is not None and draft.selected:
            self.copy_text(draft.selected)
            self._put(draft.moved(draft.span[1]))
        self.toolbar = False

    def cut(self) -> None:
        draft = self.draft
        if draft is not None and draft.selected:
            self.copy_text(draft.selected)
            self.delete()
        self.toolbar = False

    def copy_text(self, text: str) -> None:
        self.clip = Clip(text, self._app()[0])

    def paste(self) -> None:
        package, label = self._app()
        if self.clip.text and not self.stylus_offered and package not in {self.clip.owner, *self.clip.readers}:
            self.clip.readers.add(package)
            self.pasted_by = label
        self.insert(self.clip.text[: self.paste_limit])

    def _change(self, step: Callable[[TextDraft], TextDraft]) -> None:
        field, draft = self._field(), self.draft
        self.toolbar = False
        if field is None or draft is None or field.read_only or self.stylus_offered:
            return
        after = step(draft)
        if self.field_limit is not None and len(after.text) > self.field_limit:
            after = replace(after, text=after.text[: self.field_limit])
        self._put(after)
        if after.text != draft.text:
            field.on_change(after.text)

    def _put(self, draft: TextDraft) -> None:
        focus = self._memory().focus
        if focus is not None:
            focus.cursor, focus.anchor = draft.cursor, draft.anchor
        self.reveal = True

    def _raise_keyboard(self, field: TextField) -> None:
        starts_sentence = not field.value and field.action == "done" and not field.password
        self.keyboard = SoftKeyboard(shown=True, shift=starts_sentence)
