"""The Settings page: how changes are checked, saved and reverted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QItemSelectionModel, QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QListView, QWidget

from odyssey_recorder.errors import OdysseyError
from odyssey_recorder.gui.frame.application import use_text_size, use_theme
from odyssey_recorder.gui.frame.background import Background
from odyssey_recorder.gui.frame.command import CommonCommand
from odyssey_recorder.gui.frame.commands import Commands
from odyssey_recorder.gui.frame.page import MainPage
from odyssey_recorder.gui.frame.shortcuts import Shortcuts
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import scroll_area
from odyssey_recorder.gui.kit.parts import Card, fill_column, fill_row, fix_width, named, push_button, row, text_label
from odyssey_recorder.gui.kit.theme import text_scale
from odyssey_recorder.gui.settings.commands import SettingsCommand
from odyssey_recorder.gui.settings.key_field import KeyField, LogField
from odyssey_recorder.gui.settings.server_field import ModelTest, ServerField
from odyssey_recorder.gui.settings.setting_fields import Setting, SettingField, button_row, titled_row
from odyssey_recorder.gui.settings.setting_groups import GROUPS
from odyssey_recorder.gui.settings.shortcut_card import ShortcutCard
from odyssey_recorder.settings import Role, Settings, SettingsStore

_SPACE = 16
_SECTIONS_PX = 190
_WIDEST_PX = 1080
_BESIDE_SCROLL_BAR_PX = 18
_PAUSE_MS = 250
"""Changes are checked after a pause in typing this long."""


@dataclass(frozen=True, slots=True)
class _Reading:
    settings: Settings
    set_by: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Remark:
    note: str = ""
    refusal: str = ""


class SettingsPage(MainPage):
    role_saved = Signal(str)

    def __init__(
        self, service: SettingsStore, shortcuts: Shortcuts, background: Background, commands: Commands
    ) -> None:
        super().__init__()
        self._service = service
        self._background = background
        self._in_order = background.in_order()  # what is read before a change does not undo it
        self._commands = commands
        self._shortcuts = shortcuts
        self._fields = {setting.name: SettingField(setting) for group in GROUPS.values() for setting in group}
        self._key = KeyField(background, commands)
        self._server = ServerField(background)
        self._model_test = ModelTest(background, commands, self._shown_model)
        self._log = LogField(commands)
        self._shortcut_card = ShortcutCard(shortcuts, background, commands)
        self._message = Banner(can_dismiss=True)
        self._check_timer = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._area = scroll_area()
        self._content = QWidget()
        self._column = fill_column(self._content, margins=(0, 0, 8, 0), spacing=_SPACE)
        self._cards: dict[str, QFrame] = {}
        self._role: Role = ""
        self._sections = _Sections(list(GROUPS))
        self._home = self._sections
        self._consent = _consent(commands)
        self._extras: Mapping[str, tuple[QWidget, ...]] = {
            "You": (self._consent,),
            "Language model": (self._key, self._model_test),
            "Log": (self._log,),
        }
        self._park_fields()
        self._lay_out()
        self._connect()
        self._offer_save()

    def show_for(self, role: Role) -> None:
        self._role = role
        for field in self._fields.values():
            field.setVisible(role in field.setting.seen_by)
        self._consent.setVisible(self._commands[CommonCommand.READ_CONSENT].isVisible())
        self._shortcut_card.show_for(role)
        for title in GROUPS:
            is_seen = self._is_seen(title)
            self._sections.show_title(title, on=is_seen)
            if title in self._cards:
                self._cards[title].setVisible(is_seen)

    def _is_seen(self, title: str) -> bool:
        group = GROUPS[title]
        return not group or any(self._role in setting.seen_by for setting in group)

    def fill(self) -> Iterator[None]:
        for title, group in GROUPS.items():
            if title not in self._cards:
                self._cards[title] = self._card(title, group)
                self._column.addWidget(self._cards[title])
                self._cards[title].setVisible(self._is_seen(title))
                yield

    def enter(self) -> None:
        for _ in self.fill():
            pass
        if not self._changes:
            self._in_order.run(self._read, self._show_read, self._fail)
            self._key.look()
            if self._is_seen("Language model"):
                self._server.look()
            self._area.verticalScrollBar().setValue(0)

    def asks_before_closing(self, close: Callable[[], object]) -> bool:
        if not self._changes:
            return False
        self._commands[CommonCommand.SETTINGS_PAGE].trigger()
        dialog = UnsavedDialog([self._fields[name].setting.title for name in self._changes], self)
        dialog.save_asked.connect(lambda: self._save(close))
        dialog.discard_asked.connect(self._revert)
        dialog.discard_asked.connect(close)
        dialog.open()
        return True

    def close_down(self) -> None:
        self._check_timer.stop()
        self._shortcuts.keep()

    # Changes and their checks.

    @property
    def _changes(self) -> dict[str, object]:
        return {name: field.value for name, field in self._fields.items() if field.is_changed}

    def _read(self) -> _Reading:
        return _Reading(self._service.read(), self._service.overrides())

    def _show_read(self, reading: _Reading) -> None:
        if not self._changes:
            self._show(reading)

    def _show(self, reading: _Reading) -> None:
        for name, field in self._fields.items():
            field.show_value(getattr(reading.settings, name), set_by=reading.set_by.get(name, ""))
        self._show_server()
        self._offer_save()

    def _show_server(self) -> None:
        address = self._fields["model_url"]
        self._server.show_url(str(address.value or ""), can_change=address.can_change)

    def _use_server(self, url: str, model: str) -> None:
        self._fields["model_url"].enter(url)
        if model:
            self._fields["model"].enter(model)

    def _shown_model(self) -> tuple[str, str]:
        return str(self._fields["model"].value or ""), str(self._fields["model_url"].value or "")

    def _note_change(self) -> None:
        self._message.hide()
        self._offer_save()
        self._check_timer.start()

    def _check(self) -> None:
        changes = self._changes
        self._background.run(
            lambda: self._remarks(changes), lambda remarks: self._show_remarks(changes, remarks), self._fail
        )

    def _remarks(self, changes: Mapping[str, object]) -> dict[str, _Remark]:
        return {name: self._remark(name, value) for name, value in changes.items()}

    def _remark(self, name: str, value: object) -> _Remark:
        try:
            return _Remark(self._service.check(name, value))
        except OdysseyError as error:
            return _Remark(refusal=str(error))

    def _show_remarks(self, of: Mapping[str, object], remarks: Mapping[str, _Remark]) -> None:
        if of == self._changes:  # the newer text is checked soon
            for name, remark in remarks.items():
                self._fields[name].show_remark(remark.note, refusal=remark.refusal)

    def _save(self, then: Callable[[], object] = lambda: None) -> None:
        changes = self._changes
        self._check_timer.stop()
        self._commands.enable(SettingsCommand.SAVE_SETTINGS, on=False)
        self._in_order.run(
            lambda: self._checked_and_saved(changes), lambda outcome: self._on_saved(changes, outcome, then), self._fail
        )

    def _checked_and_saved(self, changes: Mapping[str, object]) -> _Reading | dict[str, _Remark]:
        remarks = self._remarks(changes)
        if any(remark.refusal for remark in remarks.values()):
            return remarks
        return _Reading(self._service.save(changes), self._service.overrides())

    def _on_saved(
        self, changes: Mapping[str, object], outcome: _Reading | dict[str, _Remark], then: Callable[[], object]
    ) -> None:
        self._offer_save()
        if isinstance(outcome, _Reading):
            later = [self._fields[name].setting.title for name in changes if not self._fields[name].setting.is_at_once]
            self._show(outcome)
            if "role" in changes:
                self.role_saved.emit(outcome.settings.role)
            text = f"Takes effect after a restart: {', '.join(later)}." if later else ""
            self._message.show_message(Tone.SUCCESS, "Saved.", text)
            then()
            return
        self._show_remarks(changes, outcome)
        refused = next(self._fields[name] for name, remark in outcome.items() if remark.refusal)
        self._area.ensureWidgetVisible(refused)
        self._message.show_message(
            Tone.DANGER, "Nothing was saved.", f"See the message under “{refused.setting.title}”."
        )

    def _revert(self) -> None:
        for field in self._fields.values():
            field.revert()
        self._message.hide()
        self._offer_save()

    def _fail(self, error: Exception) -> None:
        self._offer_save()
        self._message.show_message(Tone.DANGER, str(error))

    def _report_refusal(self, text: str) -> None:
        self._message.show_message(Tone.WARNING, text)
        self._message.setVisible(bool(text))

    def _offer_save(self) -> None:
        self._commands.enable(SettingsCommand.SAVE_SETTINGS, SettingsCommand.REVERT_SETTINGS, on=bool(self._changes))

    def _use_theme(self) -> None:
        name = self._fields["theme"].value
        if name == "system" or name == "light" or name == "dark":
            use_theme(name)

    def _use_text_size(self) -> None:
        field, before = self._fields["text_size"], text_scale()
        size = field.value
        if size == "small" or size == "normal" or size == "large" or size == "extra large":
            use_text_size(size)
            if text_scale() != before:  # what is above the field has grown
                QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(field))

    # Wiring.

    def _connect(self) -> None:
        commands = self._commands
        commands.bind(self, {SettingsCommand.SAVE_SETTINGS: self._save, SettingsCommand.REVERT_SETTINGS: self._revert})
        self._check_timer.timeout.connect(self._check)
        for field in self._fields.values():
            field.changed.connect(self._note_change)
        self._fields["theme"].changed.connect(self._use_theme)
        self._fields["text_size"].changed.connect(self._use_text_size)
        self._fields["model_url"].changed.connect(self._show_server)
        self._server.chosen.connect(self._use_server)
        self._key.failed.connect(lambda text: self._message.show_message(Tone.DANGER, text))
        self._log.failed.connect(lambda text: self._message.show_message(Tone.DANGER, text))
        self._shortcut_card.refused.connect(self._report_refusal)
        self._shortcut_card.part_entered.connect(self._scroll_to)
        bar = self._area.verticalScrollBar()
        self._sections.section_chosen.connect(lambda section: bar.setValue(self._cards[section].y()))
        bar.valueChanged.connect(self._follow_scrolling)

    def _scroll_to(self, part: QWidget, top: int, bottom: int) -> None:
        content_y = part.mapTo(self._content, part.rect().topLeft()).y()
        for y in (bottom, top):
            self._area.ensureVisible(0, content_y + y, 0, _SPACE)

    def _follow_scrolling(self, top: int) -> None:
        if top == self._area.verticalScrollBar().maximum():
            self._sections.show_section(list(self._cards)[-1])
            return
        seen = {section: card for section, card in self._cards.items() if not card.isHidden()}
        reached = [section for section, card in seen.items() if card.y() <= top + _SPACE]
        self._sections.show_section(reached[-1] if reached else next(iter(seen)))

    def _lay_out(self) -> None:
        fix_width(self._sections, _SECTIONS_PX)
        right = QWidget()
        right.setMaximumWidth(_WIDEST_PX)
        buttons = self._commands.buttons(SettingsCommand.REVERT_SETTINGS, SettingsCommand.SAVE_SETTINGS)
        bottom = row((self._message, 1), None, *buttons)
        bottom.setContentsMargins(0, 0, _BESIDE_SCROLL_BAR_PX, 0)
        fill_column(right, (self._area, 1), bottom, spacing=12)
        fill_row(self, self._sections, (right, 100), margins=_SPACE, spacing=_SPACE).addStretch(1)
        next(self.fill())
        self._area.setWidget(self._content)

    def _park_fields(self) -> None:
        """Give widgets without a card a hidden parent, so that they are destroyed if the window closes before."""
        waiting = QWidget(self)
        waiting.hide()
        for part in (*self._fields.values(), *sum(self._extras.values(), ()), self._server, self._shortcut_card):
            part.setParent(waiting)

    def _card(self, title: str, group: tuple[Setting, ...]) -> QFrame:
        if title == "Shortcuts":
            return self._shortcut_card
        card = Card()
        fields: list[QWidget] = [self._fields[setting.name] for setting in group]
        if title == "Language model":
            fields.insert(0, self._server)
        parts = (text_label(title, "title"), *fields, *self._extras.get(title, ()))
        fill_column(card, *parts, margins=(20, 16, 20, 20), spacing=18)
        return card


def _consent(commands: Commands) -> QWidget:
    place, button = QWidget(), commands.button(CommonCommand.READ_CONSENT)
    place.setLayout(titled_row("Consent", "The text you agreed to at first use.", button_row(button)))
    return place


class _Sections(QListView):
    section_chosen = Signal(str)

    def __init__(self, titles: list[str]) -> None:
        super().__init__()
        named(self, "Sections")
        self.setProperty("kind", "sections")
        self._titles = QStringListModel(titles, self)
        self.setModel(self._titles)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_section(titles[0])
        self.clicked.connect(lambda index: self.section_chosen.emit(index.data()))
        self.activated.connect(lambda index: self.section_chosen.emit(index.data()))

    def show_title(self, title: str, *, on: bool) -> None:
        self.setRowHidden(self._titles.stringList().index(title), not on)

    def show_section(self, title: str) -> None:
        place = self._titles.index(self._titles.stringList().index(title))
        self.selectionModel().setCurrentIndex(place, QItemSelectionModel.SelectionFlag.ClearAndSelect)


class UnsavedDialog(Dialog):
    """Names unsaved settings; rejecting it keeps the window open."""

    save_asked = Signal()
    discard_asked = Signal()

    def __init__(self, titles: Sequence[str], parent: QWidget) -> None:
        super().__init__("Unsaved settings", parent)
        save = push_button("Save", "Save the settings and close the window (Enter)", "primary", call=self.accept)
        discard = push_button("Discard", "Close the window and discard the changes", call=self.accept)
        stay = push_button("Stay", "Keep the window open (Esc)", call=self.reject)
        save.clicked.connect(self.save_asked)
        discard.clicked.connect(self.discard_asked)
        question = text_label("Save the settings before the window closes?", "title")
        hint = text_label(f"Unsaved changes: {', '.join(titles)}.", "hint")
        self.fill(question, hint, row(None, stay, discard, save))
