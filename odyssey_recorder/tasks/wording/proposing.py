"""New templates from a language model: what the prompt shows, and which proposals are new."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel
from rapidfuzz.distance import Indel

from odyssey_recorder.errors import LanguageModelError, TaskError
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelRequest
from odyssey_recorder.llm.prompts import read_prompt
from odyssey_recorder.model.episode import Category, Json, TaskInfo
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.templates.filling import fill
from odyssey_recorder.tasks.templates.template import Catalogue, Items, Role, Template, TemplateLibrary
from odyssey_recorder.tasks.templates.template_rules import LONGEST_ID, faults_of, players
from odyssey_recorder.tasks.wording.equivalence import rule_faults

PROPOSE = "propose/1"

_TOKENS, _TOKENS_OF_EACH = 6_000, 1_500
"""For reasoning, and for each template."""
_WORDS_OF_ID = 6
TOO_ALIKE = 0.7
"""Templates at least this alike count as duplicates (Wang et al. 2023, Self-Instruct)."""

_WORD = re.compile(r"\{\w+\}|\w+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed template that has not been approved yet.

    `faults` say why it is unusable as it is. `nearest` is the id of the most similar template, `likeness` their ROUGE-L
    from 0 to 1.
    """

    template: Template
    faults: tuple[str, ...]
    nearest: str
    likeness: float


class _Slot(BaseModel):
    name: str
    items: list[str]


class _Proposed(BaseModel):
    meta_task: str
    slots: list[_Slot]
    roles: list[str]
    phrasings: list[str]
    named_phrasings: list[str]
    notes: str


class _Proposals(BaseModel):
    """What a model answers."""

    templates: list[_Proposed]


class Proposing:
    """Raises TaskError if the library has no such catalogue."""

    def __init__(self, batch: Batch, library: TemplateLibrary, catalogue: str = "android") -> None:
        found = library.catalogues.get(catalogue)
        if found is None:
            raise TaskError(f"No catalogue is named {catalogue!r}.")
        self._batch = batch
        self._library = library
        self._catalogue = found
        self._prompt = read_prompt(PROPOSE)

    def propose(
        self, category: Category, count: int, *, again: int = 0, cancelled: Callable[[], bool] = lambda: False
    ) -> list[Proposal]:
        """About `count` new templates, without those too similar to an existing or an earlier proposed one.

        `again` counts repeated requests for other proposals, from 0. Blocks. Raises LanguageModelError, and
        CancelledError once `cancelled` returns True.
        """
        (answer,) = self._batch.ask_all([self.question(category, count, again)], cancelled=cancelled)
        if isinstance(answer, LanguageModelError):
            raise answer
        thought_of = _Proposals.model_validate(answer.data).templates
        return list(self._new_ones(category, thought_of))

    def question(self, category: Category, count: int, again: int = 0) -> ModelRequest:
        roles = {role for app in self._catalogue.apps for role in app.roles if app.name not in self._catalogue.lacks}
        data: dict[str, Json] = {
            "category": category.value,
            "roles": [*sorted(roles)],
            "existing": [*self._known().values()],
            "count": count,
        }
        longest = _TOKENS + count * _TOKENS_OF_EACH
        return self._prompt.question(data, schema_name="templates", answer=_Proposals, longest=longest, candidate=again)

    def _new_ones(self, category: Category, thought_of: list[_Proposed]) -> Iterator[Proposal]:
        pool = self._known()
        ids = {known.template_id for known in self._library.templates}
        for proposed in thought_of:
            key, likeness = nearest(proposed.meta_task, pool)
            if likeness > TOO_ALIKE:
                continue
            template = self._template(category, proposed, ids)
            ids.add(template.template_id)
            pool[template.template_id] = template.meta_task
            yield Proposal(template, tuple(self._faults(template, proposed)), key, likeness)

    def _known(self) -> dict[str, str]:
        templates = (known for known in self._library.templates if known.catalogue == self._catalogue.name)
        return {known.template_id: known.meta_task for known in templates}

    def _template(self, category: Category, proposed: _Proposed, ids: Collection[str]) -> Template:
        return Template(
            template_id=_free_id(proposed.meta_task, ids),
            category=category,
            meta_task=_line(proposed.meta_task),
            slots={slot.name: Items(tuple(_line(item) for item in slot.items)) for slot in proposed.slots},
            roles=tuple(Role(name) for name in proposed.roles),
            phrasings=tuple(map(_line, proposed.phrasings)),
            named_phrasings=tuple(map(_line, proposed.named_phrasings)),
            catalogue=self._catalogue.name,
            notes=_line(proposed.notes),
        )

    def _faults(self, template: Template, proposed: _Proposed) -> Iterator[str]:
        names = [slot.name for slot in proposed.slots]
        if len(set(names)) < len(names) or len(set(proposed.roles)) < len(proposed.roles):
            yield "a slot or a role is listed twice"
            return
        found = [
            f"{'.'.join(map(str, fault.place))}: {fault.message}" for fault in faults_of(template, self._catalogue)
        ]
        yield from found or _faults_of_words(template, self._catalogue)


def _faults_of_words(template: Template, catalogue: Catalogue) -> Iterator[str]:
    items = {name: slot.texts[0] for name, slot in template.slots.items() if isinstance(slot, Items)}
    roles = _cast(template, catalogue)
    info = TaskInfo(
        template.category.value, tuple(roles.values()), template.meta_task, fill(template.meta_task, items), ""
    )
    task = ListedTask(template.template_id, info, slots=items, roles=roles)
    for key, texts in (("phrasings", template.phrasings), ("named_phrasings", template.named_phrasings)):
        for number, text in enumerate(texts):
            words = fill(text, items | roles)
            for fault in rule_faults(task, words, names_apps=texts is template.named_phrasings, catalogue=catalogue):
                yield f"{key}.{number}: {fault}"


def _cast(template: Template, catalogue: Catalogue) -> dict[str, str]:
    cast: dict[str, str] = {}
    for role in template.roles:
        names = [app.name for app in players(role, catalogue)]
        cast[role.name] = next((name for name in names if name not in cast.values()), names[0])
    return cast


def _line(text: str) -> str:
    return " ".join(text.split())


def _free_id(meta_task: str, ids: Collection[str]) -> str:
    words = re.findall(r"[a-z0-9]+", re.sub(r"\{[^{}]*\}", " ", meta_task.casefold()))
    stem = "_".join(words[:_WORDS_OF_ID])[: LONGEST_ID - 4].strip("_") or "template"
    number, name = 1, stem
    while name in ids:
        number += 1
        name = f"{stem}_{number}"
    return name


def likeness(one: str, other: str) -> float:
    """ROUGE-L, 0 to 1: the F-measure of the longest common subsequence of words; any gap is one word."""
    return float(Indel.normalized_similarity(_words(one), _words(other)))


def nearest(text: str, others: Mapping[str, str]) -> tuple[str, float]:
    ranked: Iterable[tuple[float, str]] = ((likeness(text, other), key) for key, other in others.items())
    best, key = max(ranked, default=(0.0, ""))
    return key, best


def _words(text: str) -> list[str]:
    return ["{}" if word.startswith("{") else word for word in _WORD.findall(text.casefold())]
