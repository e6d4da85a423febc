"""New templates by a language model: what it is shown, and which of its proposals say what no template says yet."""

from dataclasses import dataclass

from odyssey_recorder.task.template import Template


@dataclass(frozen=True, slots=True)
class Proposal:
    """A template that a model thought of; nobody approved it yet.

    `faults` say why it cannot be used as it is. `nearest` is the id of the template most like it, `likeness` their
    ROUGE-L, 0 to 1.
    """

    template: Template
    faults: tuple[str, ...]
    nearest: str
    likeness: float
