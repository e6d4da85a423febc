"""What requests have cost so far, and whether another one fits the budget."""

import math
from threading import Lock

from odyssey_recorder.errors import BudgetError
from odyssey_recorder.llm.model import ModelRequest, Usage
from odyssey_recorder.llm.prices import ModelFacts, Prices
from odyssey_recorder.llm.tokens import USUAL_ANSWER, estimated_usage

_LEARNS_FROM = 5
"""Answers to a prompt."""


class Budget:
    """Counts US dollars; `budget` is the most to spend on `model`, None for no limit.

    `share` is what is paid of the usual price. A question's estimate is reserved before it is sent, so that concurrent
    requests, also of several threads, cannot overdraw together. Raises BudgetError if there is a budget and no price.
    """

    def __init__(self, prices: Prices, model: str, budget: float | None = None, *, share: float = 1.0) -> None:
        self._prices = prices
        self._model = model
        self._budget = budget
        self._share = share
        self.tokens = 0
        self.uncounted = 0
        """Requests of which the server did not say all tokens."""
        self._spent = 0.0
        self._reserved = 0.0
        self._longest_answer = 0
        self._answers = self._written = 0
        self._learned: dict[str, tuple[int, int, int]] = {}
        self._facts: dict[str, ModelFacts] = {}
        self._lock = Lock()
        self._is_priced = self.cost(Usage(0, 0)) is not None
        if budget is not None and not self._is_priced:
            raise BudgetError(
                f"The price of {model!r} is unknown, so a budget cannot be kept. Add it to your own price "
                "table (0 for your own server), or run without a budget."
            )

    @property
    def spent(self) -> float | None:
        """US dollars so far; None if the model has no price."""
        return self._spent if self._is_priced else None

    def cost(self, usage: Usage, model_answered: str = "") -> float | None:
        """US dollars by the table, which may have the exact model that answered rather than the one requested."""
        if model_answered not in self._facts:
            self._facts[model_answered] = self._prices.of(model_answered or self._model, self._model)
        cost = self._facts[model_answered].cost(usage)
        return None if cost is None else cost * self._share

    def estimated(self, question: ModelRequest) -> Usage:
        """Assumes the longest answer so far, and as many tokens more or less as the first answers took."""
        usual = max(USUAL_ANSWER, self._longest_answer)
        plain = estimated_usage(question, self._prices.of(self._model), usual)
        expected, used, _ = self._learned.get(question.prompt, (1, 1, 0))
        return Usage(math.ceil(plain.tokens_in * used / expected), plain.tokens_out)

    def lost(self, question: ModelRequest) -> Usage:
        """The likely tokens of a request whose answer never came: an answer like the others so far."""
        usual = self.estimated(question)
        written = self._written // self._answers if self._answers else usual.tokens_out
        return Usage(usual.tokens_in, written, is_estimated=True)

    def learn(self, question: ModelRequest, usage: Usage) -> None:
        """Correct the estimates for a prompt by the tokens of its first answers."""
        self._answers += 1
        self._written += usage.tokens_out
        expected, used, count = self._learned.get(question.prompt, (0, 0, 0))
        if count < _LEARNS_FROM and usage.tokens_in:
            plain = estimated_usage(question, self._prices.of(self._model))
            self._learned[question.prompt] = (expected + plain.tokens_in, used + usage.tokens_in, count + 1)

    def reserve(self, question: ModelRequest) -> float:
        """Returns the estimated cost. Raises BudgetError if that exceeds what is left."""
        price = self.cost(self.estimated(question)) or 0.0
        with self._lock:
            if self._budget is not None and self._spent + self._reserved + price > self._budget:
                raise BudgetError(
                    f"Stopped: the budget of ${self._budget:.2f} would be exceeded (${self._spent:.4f} "
                    "spent). Answers so far are kept. Continue with a higher budget."
                )
            self._reserved += price
        return price

    def lay_aside(self, price: float) -> None:
        """Reserve money for requests sent earlier and not paid yet."""
        self._reserved += price

    def free(self, price: float) -> None:
        with self._lock:
            self._reserved -= price

    def pay(self, usage: Usage, model_answered: str = "") -> None:
        with self._lock:
            self._longest_answer = max(self._longest_answer, usage.tokens_out)
            self.tokens += usage.tokens_in + usage.tokens_out
            self.uncounted += usage.is_estimated
            self._spent += self.cost(usage, model_answered) or 0.0
