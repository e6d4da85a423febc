"""What a pocket calculator makes of the signs on its display: decimal sums with brackets and percents."""

import re
from decimal import Context, Decimal, InvalidOperation, Overflow, localcontext

PLUS, MINUS, TIMES, DIVIDED = "+", "\u2212", "\u00d7", "\u00f7"
SIGNS = (PLUS, MINUS, TIMES, DIVIDED)
_TOKEN = re.compile(rf"\d+\.?\d*|\.\d+|[{''.join(SIGNS)}()%]")
_DIGITS = 15


class NotASumError(Exception):
    """What stands on the display has no value; the message is what the display says of it."""


def result_of(typed: str) -> str:
    """The value of a sum in figures, fifteen digits at most; brackets left open are closed.

    Raises NotASumError for a sum that is not finished or has no value.
    """
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
    """Reads tokens from left to right: sums of products of signed numbers and brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens

    def total(self) -> Decimal:
        value = self._sum()
        if self._tokens:
            raise NotASumError("Format error")
        return value

    def _next(self, *wanted: str) -> str:
        """Take the next token if it is one of these; "" otherwise."""
        return self._tokens.pop(0) if self._tokens and self._tokens[0] in wanted else ""

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
