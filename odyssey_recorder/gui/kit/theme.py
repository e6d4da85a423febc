"""Colours and proportions of the window, derived from the system's palette and font."""

from dataclasses import dataclass, fields
from functools import cache

from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

MARK = QColor("#ff2d6f")
"""The colour of actions on screenshots and frames, in every theme."""

PREDICTED = QColor("#1f6bff")
"""The colour of actions that a model predicted, beside those that were recorded."""

RECORDING_RED = QColor("#d32f2f")
"""White is readable on it, in every theme."""

READABLE = 4.5
"""The contrast of text that WCAG 2 requires."""

_TEXT_SCALE = "text scale"


def set_text_scale(scale: float) -> None:
    """Set the size of all text, as a multiple of the system's own."""
    before, app = text_scale(), QApplication.instance()
    if app is None or scale == before:
        return
    font = QApplication.font()
    font.setPointSizeF(font.pointSizeF() * scale / before)
    app.setProperty(_TEXT_SCALE, scale)
    QApplication.setFont(font)  # notifies all windows


def text_scale() -> float:
    app = QApplication.instance()
    return float(app.property(_TEXT_SCALE) or 1.0) if app is not None else 1.0


def grown(px: int) -> int:
    """`px` scaled from the system's text size to the chosen one."""
    return round(px * text_scale())


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the window, light or dark."""

    window: QColor
    card: QColor
    field: QColor
    outline: QColor
    text: QColor
    muted: QColor
    off: QColor
    tint: QColor
    accent: QColor
    on_accent: QColor
    success: QColor
    warning: QColor
    danger: QColor

    @classmethod
    def of(cls, palette: QPalette) -> "Theme":
        window, text, accent = palette.window(), palette.windowText(), palette.accent()
        return _derive(window.color().rgb(), text.color().rgb(), accent.color().rgb())

    @classmethod
    def current(cls) -> "Theme":
        """The theme of the application's palette; a style sheet may change a widget's own palette."""
        return cls.of(QGuiApplication.palette())


@cache
def _derive(window_rgb: int, text_rgb: int, accent_rgb: int) -> Theme:
    window, text = QColor(window_rgb), QColor(text_rgb)
    white = QColor("white")
    is_dark = window.lightnessF() < 0.5
    card = _mixed(window, white, 0.06 if is_dark else 0.75)
    accent = _readable(QColor(accent_rgb), on=white, darker=True)
    return Theme(
        window=window,
        card=card,
        field=_mixed(window, QColor("black"), 0.18) if is_dark else white,
        outline=_mixed(window, text, 0.16),
        text=text,
        muted=_readable(_mixed(card, text, 0.62), on=card, darker=not is_dark),
        off=_mixed(card, text, 0.38),
        tint=_mixed(card, accent, 0.14),
        accent=accent,
        on_accent=white,
        success=_readable(QColor("#2e9e5b"), on=card, darker=not is_dark),
        warning=_readable(QColor("#c77700"), on=card, darker=not is_dark),
        danger=_readable(QColor("#d93a3a"), on=card, darker=not is_dark),
    )


def _mixed(first: QColor, second: QColor, share: float) -> QColor:
    return QColor(
        *(
            round(a + (b - a) * share)
            for a, b in zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)  # type: ignore[index]
        )
    )


def _readable(colour: QColor, *, on: QColor, darker: bool) -> QColor:
    target = QColor("black" if darker else "white")
    for percent in range(0, 100, 4):
        candidate = _mixed(colour, target, percent / 100)
        if contrast(candidate, on) >= READABLE:
            return candidate
    return target


def contrast(first: QColor, second: QColor) -> float:
    """The WCAG 2 contrast ratio, 1 to 21."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def style_sheet(theme: Theme, *, font_pt: float) -> str:
    """`font_pt` is the system's font size, which sets the type scale."""
    colours = {field.name: getattr(theme, field.name).name() for field in fields(theme)}
    return _SHEET.format(
        **colours,
        accent_hover=theme.accent.lighter(112).name(),
        accent_down=theme.accent.darker(112).name(),
        hover=_mixed(theme.card, theme.text, 0.06).name(),
        down=_mixed(theme.card, theme.text, 0.12).name(),
        small=f"{font_pt * 0.9:.1f}",
        base=f"{font_pt:.1f}",
        large=f"{font_pt * 1.25:.1f}",
        title=f"{font_pt * 1.1:.1f}",
        recording=RECORDING_RED.name(),
    )


_SHEET = """
QMainWindow, QDialog {{ background: {window}; }}
QWidget {{ color: {text}; font-size: {base}pt; }}
QLabel {{ background: transparent; }}
QRadioButton {{
    background: transparent; spacing: 8px; padding: 1px 4px 1px 1px; border: 1px solid transparent; border-radius: 6px;
}}
QRadioButton:focus {{ border-color: {accent}; }}
QRadioButton::indicator {{
    width: 14px; height: 14px; border: 1px solid {muted}; border-radius: 8px; background: {field};
}}
QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 5px solid {accent}; background: {on_accent}; }}
QFrame[kind="card"] {{ background: {card}; border: 1px solid {outline}; border-radius: 12px; }}
QFrame[kind="chosen"] {{ background: {card}; border: 2px solid {accent}; border-radius: 12px; }}
QFrame[kind="rail"] {{ background: {card}; border: none; border-right: 1px solid {outline}; }}
QFrame[kind="tools"] {{ background: {card}; border: none; border-left: 1px solid {outline}; }}
QLabel[kind="title"] {{ font-size: {title}pt; font-weight: 600; }}
QLabel[kind="field"], QLabel[kind="hint"] {{ color: {muted}; font-size: {small}pt; }}
QLabel[kind="warning"] {{ color: {warning}; font-size: {small}pt; }}
QLabel[kind="danger"] {{ color: {danger}; font-size: {small}pt; }}
QLabel[kind="instruction"] {{ font-size: {large}pt; }}

QLineEdit, QPlainTextEdit, QComboBox, QSpinBox {{
    background: {field}; border: 1px solid {outline}; border-radius: 8px; padding: 6px 10px;
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit, QComboBox, QSpinBox {{ min-height: 20px; }}
QPlainTextEdit {{ padding: 4px 6px; }}
QPlainTextEdit[kind="instruction"] {{ font-size: {large}pt; }}
QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QSpinBox:focus {{ border: 1px solid {accent}; }}
QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{
    color: {off}; background: transparent;
}}
QSpinBox::up-button, QSpinBox::down-button {{ width: 0; border: none; }}
QSpinBox QLineEdit, QSpinBox QLineEdit:focus, QSpinBox QLineEdit:disabled {{
    border: none; padding: 0; min-height: 0; background: transparent;
}}
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{ image: none; }}
QComboBox QAbstractItemView {{
    background: {field}; border: 1px solid {outline}; padding: 4px; outline: none;
    selection-background-color: {tint}; selection-color: {text};
}}

QComboBox QAbstractItemView::item {{ min-height: 28px; padding: 0 6px; }}

QToolButton, QPushButton {{
    background: transparent; border: 1px solid {outline}; border-radius: 8px; padding: 6px 10px; min-height: 20px;
}}
QToolButton:hover, QPushButton:hover {{ background: {hover}; }}
QToolButton:pressed, QPushButton:pressed {{ background: {down}; }}
QToolButton:focus, QPushButton:focus {{ border-color: {accent}; }}
QToolButton:disabled, QPushButton:disabled {{ color: {off}; }}
QPushButton[kind="primary"] {{ background: {accent}; border-color: {accent}; color: {on_accent}; font-weight: 600; }}
QPushButton[kind="primary"]:hover {{ background: {accent_hover}; }}
QPushButton[kind="primary"]:pressed {{ background: {accent_down}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {text}; padding: 5px 9px; }}
QPushButton[kind="primary"]:disabled {{ background: {down}; border-color: {down}; color: {off}; }}
QPushButton[kind="quiet"] {{ border-color: transparent; }}
QPushButton[kind="compact"] {{ padding: 6px 4px; }}
QPushButton[kind="low"] {{ padding: 2px 8px; }}
QPushButton[kind="quiet"]:focus, QToolButton[kind="tab"]:focus, QToolButton[kind="fold"]:focus,
QToolButton[kind="rail"]:focus {{ border-color: {accent}; }}
QPushButton[kind="quiet"]:checked {{ background: {tint}; border-color: {accent}; }}
QPushButton[kind="answer"][tone="success"]:checked {{ border-color: {success}; color: {success}; font-weight: 600; }}
QPushButton[kind="answer"][tone="danger"]:checked {{ border-color: {danger}; color: {danger}; font-weight: 600; }}
QPushButton[kind="answer"][tone="warning"]:checked {{ border-color: {warning}; color: {warning}; font-weight: 600; }}
QPushButton[kind="flag"] {{
    background: {card}; border-color: {warning}; color: {warning}; padding: 1px 8px; min-height: 18px;
    font-size: {small}pt;
}}
QToolButton[kind="tab"] {{ border-color: transparent; color: {muted}; padding: 4px 6px; }}
QToolButton[kind="tab"]:checked {{ background: {tint}; color: {text}; }}
QToolButton[kind="fold"] {{ border-color: transparent; color: {muted}; padding: 2px 0; font-size: {small}pt; }}
QToolButton[kind="fold"]:hover {{ background: transparent; color: {text}; }}
QToolButton[kind="rail"] {{ border-color: transparent; border-radius: 10px; padding: 8px 4px; font-size: {small}pt; }}
QToolButton[kind="rail"]:checked {{ background: {tint}; }}

QFrame[kind="banner"] {{ background: {card}; border: 1px solid {outline}; border-radius: 10px; }}
QFrame[kind="banner"][tone="success"] {{ border-color: {success}; }}
QFrame[kind="banner"][tone="warning"] {{ border-color: {warning}; }}
QFrame[kind="banner"][tone="danger"] {{ border-color: {danger}; }}
QDialog[kind="docked"] {{ background: {card}; border: 2px solid {accent}; border-radius: 12px; }}
QLabel[kind="plain"], QLabel[kind="recording"], QLabel[kind="paused"] {{
    border: 1px solid {outline}; border-radius: 14px; padding: 4px 12px; font-size: {large}pt; font-weight: 700;
}}
QLabel[kind="recording"] {{ background: {recording}; color: white; }}
QLabel[kind="paused"] {{ background: {warning}; color: {card}; }}
QLabel[kind="refusal"] {{ background: {warning}; color: {card}; border-radius: 8px; }}

QProgressBar {{
    background: {down}; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; text-align: center;
}}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QListView {{ background: transparent; border: none; outline: none; }}
QListView[kind="sections"]::item {{ padding: 7px 10px; border-radius: 8px; color: {text}; }}
QListView[kind="sections"]::item:hover, QListView[kind="reasons"]::item:hover {{ background: {hover}; }}
QListView[kind="sections"]::item:selected, QListView[kind="reasons"]::item:selected,
QListView[kind="rows"]::item:selected, QListView[kind="card"]::item:selected {{ background: {tint}; color: {text}; }}
QListView[kind="sections"]:focus {{ border: none; }}
QListView[kind="sections"]::item:selected:focus {{ border: 1px solid {accent}; padding: 6px 9px; }}
QListView[kind="card"] {{ background: {card}; border: 1px solid {outline}; border-radius: 12px; padding: 4px; }}
QListView[kind="card"]:focus, QListView[kind="reasons"]:focus, QTableView:focus, QScrollArea[kind="reading"]:focus,
QScrollArea[kind="keyed"]:focus {{ border-color: {accent}; }}
QListView[kind="reasons"] {{ border: 1px solid transparent; border-radius: 6px; }}
QListView[kind="reasons"]::item {{ padding: 3px 8px; border-radius: 6px; color: {text}; }}
QTableView QLineEdit {{ border-radius: 4px; padding: 0 6px; border: 1px solid {accent}; }}
QTableView {{
    background: {card}; border: 1px solid {outline}; border-radius: 10px; outline: none; padding: 2px;
    selection-background-color: {tint}; selection-color: {text};
}}
QTableView::item {{ padding: 0 8px; border: none; }}
QTableView::item:selected {{ background: {tint}; }}
QHeaderView {{ background: transparent; border: none; }}
QTableCornerButton::section {{ background: transparent; border: none; }}
QHeaderView::section {{
    background: transparent; color: {muted}; border: none; border-bottom: 1px solid {outline};
    padding: 6px 11px; font-size: {small}pt;
}}
QHeaderView::section:vertical {{ border-bottom: none; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QScrollArea[kind="reading"] {{ background: {field}; border: 1px solid {outline}; border-radius: 8px; }}
QScrollArea[kind="keyed"] {{ border: 1px solid transparent; border-radius: 6px; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {outline}; border-radius: 3px; min-height: 32px; margin: 0 2px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {outline}; border-radius: 3px; min-width: 32px; margin: 2px 0; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; height: 0; width: 0;
}}
QListView[kind="rows"] {{ background: {field}; border: 1px solid {outline}; border-radius: 8px; padding: 4px; }}
QListView::indicator {{ width: 12px; height: 12px; border: 1px solid {muted}; border-radius: 3px; }}
QListView::indicator:checked {{ background: {accent}; border-color: {accent}; }}
QListView[kind="rows"]::item {{ padding: 8px 10px; border-radius: 6px; color: {text}; }}
QToolTip {{ background: {card}; color: {text}; border: 1px solid {outline}; padding: 4px 6px; }}
"""
