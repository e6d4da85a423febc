"""A message of a recording for the annotator: how it ranks beside others, and how long it holds."""

from dataclasses import dataclass
from enum import Enum


class NoticeKind(Enum):
    NEWS = "news"
    """Something went well."""
    REFUSAL = "refusal"
    """An input was neither recorded nor sent; the annotator looks for this where the finger is."""
    WARNING = "warning"
    """Something to check, or to do, before the next step."""
    FAILURE = "failure"
    """Something did not work, and will not by itself."""

    @property
    def rank(self) -> int:
        """A message never replaces one of a higher rank that still holds."""
        return {NoticeKind.NEWS: 0, NoticeKind.REFUSAL: 1}.get(self, 2)


@dataclass(frozen=True, slots=True)
class Notice:
    """`after`: the key of the last step when it was made. It holds until another step is the last one."""

    text: str
    kind: NoticeKind = NoticeKind.WARNING
    after: int | None = None
