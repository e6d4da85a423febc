"""Pydantic's models with our settings, and its validation errors with text for messages."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError


class FrozenModel(BaseModel):
    """Immutable; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ClosedModel(BaseModel):
    """Immutable; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class ValidationFault:
    """`place` is the path of keys and indexes, `type` is pydantic's."""

    place: tuple[int | str, ...]
    type: str
    message: str
    found: object

    @property
    def key(self) -> str:
        return ".".join(map(str, self.place))

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.place else self.message


def faults(error: ValidationError) -> Iterator[ValidationFault]:
    for detail in error.errors(include_url=False, include_context=False):
        yield ValidationFault(
            detail["loc"], detail["type"], detail["msg"].removeprefix("Value error, "), detail["input"]
        )


def first_fault(error: ValidationError) -> ValidationFault:
    return next(faults(error))
