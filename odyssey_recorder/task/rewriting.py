"""How filled tasks become the words of a person by a language model, and who finds that they still ask for the same."""

from dataclasses import dataclass

from odyssey_recorder.task.listing import ListedTask


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of one task: with its new words, or as it was where none could be had, and `trouble` says why.

    The words of a model against which a rule or the judge speaks are there, too: `task.text.equivalence` has what they
    lack, and a person decides.
    """

    task: ListedTask
    trouble: str = ""
