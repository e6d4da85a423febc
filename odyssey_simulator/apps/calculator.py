"""Calculator: arithmetic with brackets and percent, a live result, and a history."""

import re
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, InvalidOperation, Overflow, localcontext
from functools import partial

from odyssey_simulator.apps.app import App, Page, System
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View

PLUS, MINUS, TIMES, DIVIDED = "+", "\u2212", "\u00d7", "\u00f7"
SIGNS = (PLUS, MINUS, TIMES, DIVIDED)
_TOKEN = re.compile(rf"\d+\.?\d*|\.\d+|[{''.join(SIGNS)}()%]")
_DIGITS = 15


class NotASumError(Exception):
    """The message is shown on the display."""


def result_of(typed: str) -> str:
    """Up to 15 digits; open brackets are closed. Raises NotASumError if the expression has no value."""
    with localcontext(Context(prec=28)):
        try:
            return _written(_Reader(_TOKEN.findall(typed)).total())
        except (InvalidOperation, Overflow) as error:
            raise NotASumError("Format error") from error


def _written(value: Decimal) -> str:
    rounded = Context(prec=_DIGITS).plus(value).normalize()
    if rounded and not -_DIGITS <= rounded.adjusted() < _DIGITS:
        return f"{rounded:E}".replace("-", MINUS)
    return f"{rounded + 0:f}".replace("-", MINUS)


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens

    def total(self) -> Decimal:
        value = self._sum()
        if self._tokens:
            raise NotASumError("Format error")
        return value

    def _next(self, *expected: str) -> str:
        return self._tokens.pop(0) if self._tokens and self._tokens[0] in expected else ""

    def _sum(self) -> Decimal:
        value = self._product()
        while sign := self._next(PLUS, MINUS):
            term = self._product()
            value = value + term if sign == PLUS else value - term
        return value

    def _product(self) -> Decimal:
        value = self._part()
        while sign := self._next(TIMES, DIVIDED):
            factor = self._part()
            if sign == DIVIDED and not factor:
                raise NotASumError("Can't divide by 0")
            value = value * factor if sign == TIMES else value / factor
        return value

    def _part(self) -> Decimal:
        if self._next(MINUS):
            return -self._part()
        value = self._number()
        while self._next("%"):
            value /= 100
        while self._tokens[:1] == ["("]:
            value *= self._number()
        return value

    def _number(self) -> Decimal:
        if self._next("("):
            value = self._sum()
            if self._tokens and not self._next(")"):
                raise NotASumError("Format error")
            return value
        figures = self._tokens.pop(0) if self._tokens else ""
        if not figures.replace(".", "").isdecimal():
            raise NotASumError("Format error")
        return Decimal(figures)


_KEYS = (("AC", "(", ")", DIVIDED), "789" + TIMES, "456" + MINUS, "123" + PLUS, "0.%=")
_NAMES = {
    "AC": "Clear",
    "(": "Left bracket",
    ")": "Right bracket",
    DIVIDED: "Divide",
    TIMES: "Multiply",
    MINUS: "Minus",
    PLUS: "Plus",
    ".": "Point",
    "%": "Percent",
    "=": "Equals",
}


class Calculator(App):
    label = "Calculator"
    package = "com.odyssey.calculator"
    icon = "calculator-variant"
    color = "#0f766e"
    category = "General_Tool"

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.history: list[tuple[str, str]] = []

    def first_page(self) -> Page:
        return CalculatorPage(self)


class CalculatorPage(Page):
    app: Calculator
    status_color = "surface_container"
    typed = ""
    is_result = False
    error = ""

    def build(self, look: Look) -> View:
        is_wide = look.wide
        actions = (
            () if is_wide else (ui.icon_button("history", "History", lambda: self.go(HistoryPage(self.app, self))),)
        )
        bar = ui.app_bar("Calculator", *actions, color="surface_container")
        keys = column(*(self._row(keys, 26 if look.height_dp > 420 else 17) for keys in _KEYS), gap=8, pad=12, flex=5)
        if is_wide:
            past = Surface(_past(self.app, partial(self.put, is_result=True)), flex=2, color="surface_low")
            right = column(self._display(look), keys, flex=3)
            return ui.page_frame(bar, row(past, right, across="stretch"))
        return ui.page_frame(bar, column(self._display(look), keys))

    def _display(self, look: Look) -> View:
        size = 52 if len(self.typed) < 9 else 38 if len(self.typed) < 14 else 26
        preview = self.error or ("" if self.is_result else _preview(self.typed))
        erase = ui.icon_button("backspace-outline", "Delete", self._erase)
        line = row(
            Spacer(flex=1),
            Text(preview, 24, color="error" if self.error else "on_surface_variant", lines=1),
            erase,
            gap=12,
        )
        shown = Surface(
            Text(self.typed or "0", size, align="end", lines=2),
            pad=(0, 0, 12, 0),
            fill=True,
            on_long_press=lambda: self.system.copy(self.typed or "0"),
        )
        return Surface(
            column(shown, line, along="end", gap=6, pad=(20, 12, 8, 12)), color="surface_container", flex=2, fill=True
        )

    def _row(self, labels: Sequence[str], size: float) -> View:
        return row(*(self._key(label, size) for label in labels), gap=8, across="stretch", flex=1)

    def _key(self, label: str, size: float) -> View:
        paper, ink = "surface_high", "on_surface"
        if label == "=":
            paper, ink = "primary", "on_primary"
        elif label == "AC":
            paper, ink = "primary_container", "on_primary_container"
        elif label not in "0123456789.":
            paper, ink = "secondary_container", "on_primary_container"
        return Surface(
            Text(label, size, color=ink),
            color=paper,
            radius=24,
            align="center",
            flex=1,
            desc=_NAMES.get(label, ""),
            on_tap=self._act(label),
        )

    def _act(self, label: str) -> Action:
        actions: dict[str, Action] = {"AC": partial(self.put, ""), "=": self._equals}
        return actions.get(label, partial(self._press, label))

    def _press(self, label: str) -> None:
        self.error = ""
        if self.is_result and label not in (*SIGNS, "%"):
            self.typed = ""
        self.is_result = False
        if label in (DIVIDED, TIMES, PLUS) and not self.typed:
            return
        if label in SIGNS and self.typed[-1:] in SIGNS:
            self.typed = self.typed[:-1]
        self.typed += label

    def put(self, typed: str, *, is_result: bool = False) -> None:
        self.typed, self.error, self.is_result = typed, "", is_result

    def _erase(self) -> None:
        self.put("" if self.is_result else self.typed[:-1])

    def _equals(self) -> None:
        if not self.typed:
            return
        try:
            result = result_of(self.typed)
        except NotASumError as error:
            self.error = str(error)
            return
        self.app.history.insert(0, (self.typed, result))
        self.put(result, is_result=True)


class HistoryPage(Page):
    app: Calculator

    def __init__(self, app: Calculator, calculator: CalculatorPage) -> None:
        super().__init__(app)
        self.calculator = calculator

    def build(self, look: Look) -> View:
        clear = ui.icon_button("trash-can-outline", "Clear history", self.app.history.clear)
        actions = (clear,) if self.app.history else ()
        return ui.page_frame(ui.app_bar("History", *actions, on_up=self.close), _past(self.app, self._take))

    def _take(self, result: str) -> None:
        self.calculator.put(result, is_result=True)
        self.close()


def _past(app: Calculator, take: Callable[[str], None]) -> View:
    if not app.history:
        return ui.empty_page("history", "Nothing calculated yet")
    rows = [
        ui.list_item(f"= {result}", typed, on_tap=partial(take, result), on_long_press=partial(app.system.copy, result))
        for typed, result in app.history
    ]
    return ui.scroll_page(*rows, key="history")


def _preview(typed: str) -> str:
    if not any(sign in typed[1:] for sign in (*SIGNS, "%", "(")):
        return ""
    try:
        return result_of(typed)
    except NotASumError:
        return ""
