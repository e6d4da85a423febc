"""Many questions to one model: how many at once, what is kept, what it costs, when it must stop."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking would take, before it is done.

    `kept` questions were answered before and cost nothing. `cost` is in US dollars by the price table of `priced_on`,
    None where the model has no price there. `warnings` are sentences, such as that the model is to be shut down.
    """

    calls: int
    kept: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    priced_on: date | None
    model: str
    host: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is: questions answered, of them kept ones, failed, of how many; what it cost so far, in US dollars."""

    done: int
    kept: int
    failed: int
    of: int
    cost: float | None
