"""Prices and shutdown dates of models, from a dated table."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from odyssey_recorder.errors import LanguageModelError
from odyssey_recorder.files import Largest, read_text
from odyssey_recorder.llm.model import Usage
from odyssey_recorder.validation import ClosedModel, first_fault

_SHIPPED = Path(__file__).with_name("prices.toml")
_DAY_AT_END = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")
_MILLION = 1_000_000

ImageCount = Literal["tiles", "patches"]
"""How a model counts images: in tiles of 512 px or patches of 32 px."""

_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ModelFacts(ClosedModel):
    """US dollars per million input and output tokens, None if unknown; the usual `images` are tiles.

    `patch_factor` is the tokens of a patch; images of more than `patches_at_most` are made smaller by the server.
    """

    name: str
    input: _Dollars | None = None
    output: _Dollars | None = None
    images: ImageCount = "tiles"
    patch_factor: float = Field(default=1.2, gt=0, allow_inf_nan=False)
    patches_at_most: int | None = Field(default=None, gt=0)
    ends: date | None = None

    def cost(self, usage: Usage) -> float | None:
        """In US dollars; None if there is no price."""
        if self.input is None or self.output is None:
            return None
        return (self.input * usage.tokens_in + self.output * usage.tokens_out) / _MILLION


class _Table(ClosedModel):
    date: date
    models: tuple[ModelFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class Prices:
    """The first of two entries for a model wins."""

    date: date
    models: tuple[ModelFacts, ...]

    def of(self, *names: str) -> ModelFacts:
        for name in names:
            for wanted in (name, _DAY_AT_END.sub("", name)):
                found = _among(self.models, wanted)
                if found is not None:
                    return found
        return ModelFacts(name=names[0])


def read_prices(own: Path | None = None) -> Prices:
    """`own` overrides the program's table and its date. Raises LanguageModelError with the file and the problem."""
    tables = [_read(path) for path in (own, _SHIPPED) if path is not None and path.exists()]
    return Prices(tables[0].date, tuple(model for table in tables for model in table.models))


def _read(path: Path) -> _Table:
    try:
        return _Table.model_validate(tomllib.loads(read_text(path, Largest.WRITTEN_BY_HAND)))
    except ValidationError as error:
        raise LanguageModelError(f"The prices in {path} cannot be used: {first_fault(error)}.") from error
    except (OSError, ValueError) as error:
        raise LanguageModelError(f"The prices in {path} cannot be read: {error}.") from error


def _among(models: Sequence[ModelFacts], name: str) -> ModelFacts | None:
    exact = (model for model in models if model.name == name)
    alike = (model for model in models if model.name.endswith("*") and name.startswith(model.name[:-1]))
    return next(exact, None) or next(alike, None)
