"""Short forms of verdicts for tests."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import md5

from odyssey_recorder.model.finding import Criterion
from odyssey_recorder.review.review import Decision, Judgement, Rating, Subject, Verdict

BEGIN = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PRESENT = "a" * 64

_REASONS = {Criterion.SCREENSHOTS: "stale", Criterion.SEQUENCE: "unfinished", Criterion.INSTRUCTION: "lost"}


def judgements(answers: str, *, step: int | None = None) -> tuple[Judgement, Judgement, Judgement]:
    """The three answers, each a letter: p(ass), f(ail), u(nsure), as in ``pfp``."""
    spelled = {"p": Rating.PASS, "f": Rating.FAIL, "u": Rating.UNSURE}
    screenshots, sequence, instruction = (
        Judgement(criterion=criterion, answer=spelled[letter], reason="" if letter == "p" else reason, step=step)
        for letter, (criterion, reason) in zip(answers, _REASONS.items(), strict=True)
    )
    return screenshots, sequence, instruction


def verdict(  # noqa: PLR0913 - what a verdict may differ in
    by: str,
    answers: str = "ppp",
    decision: Decision | None = None,
    *,
    minute: int = 0,
    revision: str = PRESENT,
    recorder: str = "Ada",
    step: int | None = None,
) -> Verdict:
    """A verdict at BEGIN plus `minute`; by default with the decision that the answers support."""
    return Verdict(
        id=md5(f"{by}{answers}{minute}{revision}{decision}{recorder}".encode(), usedforsecurity=False).hexdigest(),
        at=BEGIN + timedelta(minutes=minute),
        by=by,
        decision=decision or (Decision.ACCEPT if answers == "ppp" else Decision.SEND_BACK),
        judgements=judgements(answers, step=step),
        revision=revision,
        seconds=20.0,
        subject=Subject(recorder=recorder, category="Web_Shopping", device="Pixel 8 Pro", template="Buy {}", steps=9),
    )


def reference_kappa(firsts: Iterable[object], seconds: Iterable[object]) -> float:
    """Cohen's kappa by scikit-learn, which takes seconds to import."""
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score([*firsts], [*seconds]))
