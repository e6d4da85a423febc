"""What a check of a device has found, and its report to save."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from odyssey_recorder.device_check.found import WHERE_TO_SEND, CheckLine, DeviceReport, Outcome
from odyssey_recorder.gui.frame.background import Background, error_text
from odyssey_recorder.gui.kit.banner import Banner, Tone
from odyssey_recorder.gui.kit.dialogs import Dialog, ask_where_to_save
from odyssey_recorder.gui.kit.fix_list import entry
from odyssey_recorder.gui.kit.icons import icon
from odyssey_recorder.gui.kit.layouts import pile, scroll_area
from odyssey_recorder.gui.kit.parts import breakable, push_button, row, text_label
from odyssey_recorder.gui.kit.theme import Theme

_WORST_FIRST = (Outcome.DIFFERENT, Outcome.NOT_POSSIBLE, Outcome.EXPECTED)


class CheckDialog(Dialog):
    def __init__(self, report: DeviceReport, background: Background, parent: QWidget) -> None:
        super().__init__("Device check", parent)
        self._report = report
        self._background = background
        self._list = scroll_area(name="Results")
        self._list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._message = Banner()
        save = push_button("Save report…", "Save the results as a web page", call=self._ask_where_to_save)
        close = push_button("Close", "Close the results (Esc)", "primary", call=self.accept)
        summary, send = text_label(f"{report.summary}.", "title"), text_label(WHERE_TO_SEND, "hint")
        self.fill(summary, self._message, self._list, send, row(None, save, close), stretch=self._list)
        self.repaint_icons()
        self.resize(680, 560)

    def repaint_icons(self) -> None:
        lines = sorted(self._report.lines, key=lambda line: _WORST_FIRST.index(line.outcome))
        self._list.setWidget(pile(*map(_entry, lines), right=8, spacing=14))

    def _ask_where_to_save(self) -> None:
        ask_where_to_save(self, "Save report", "device-check.html", self._save_to)

    def _save_to(self, file: Path) -> None:
        show = self._message.show_message
        self._background.run(
            partial(self._report.write, file),
            lambda _: show(Tone.SUCCESS, "The report is saved.", str(file)),
            lambda error: show(Tone.DANGER, "Couldn't save the report.", error_text(error)),
            of=self,
        )


def _entry(line: CheckLine) -> QWidget:
    theme = Theme.current()
    icons = {
        Outcome.EXPECTED: ("check_circle", theme.success),
        Outcome.DIFFERENT: ("alert", theme.warning),
        Outcome.NOT_POSSIBLE: ("help_circle_outline", theme.muted),
    }
    texts = breakable(f"{line.what}: {line.found}"), breakable(line.todo)
    return entry(icon(*icons[line.outcome]), texts, (), name=line.outcome.value)
