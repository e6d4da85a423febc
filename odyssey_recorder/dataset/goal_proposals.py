"""Goals that an annotator may mark as proof of a task: what is on the last screen, and what changed on the device."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from odyssey_recorder.dataset.goals import Facts, TaskGoal, in_path

MOST = 60
"""Proposals for one recording: whoever has to choose from more chooses badly."""
_NAMING_KEYS = ("title", "name", "label", "display_name", "subject", "text", "body", "address", "number")
"""The keys by which an entry of a list is best recognised on another device, where its `_id` is another."""
_MOST_LEAVES = 8
"""Values proposed of one new entry: rows of a content provider have dozens of columns."""
_LONGEST = 300


def proposals(before: Facts, after: Facts, instruction: str = "") -> tuple[TaskGoal, ...]:
    """Each is met by `after` and not by `before`; those with the most words of the `instruction` come first."""
    candidates = (
        *_changes("", _without_screen(before), _without_screen(after)),
        *_of_screen(after.get("screen", [])),
    )
    asked = _words(instruction)
    found = {goal.model_dump_json(): goal for goal in candidates if proves(goal, before, after)}
    return tuple(sorted(found.values(), key=lambda goal: -len(asked & _words(goal.in_words)))[:MOST])


def proves(goal: TaskGoal, before: Facts, after: Facts) -> bool:
    """What was so at the start proves nothing."""
    return goal.is_met(before, after) and not goal.is_met(before, before)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 1}


def _without_screen(facts: Facts) -> Facts:
    return {name: value for name, value in facts.items() if name != "screen"}


def _of_screen(elements: Iterable[Mapping[str, str]]) -> Iterator[TaskGoal]:
    for element in elements:
        which = f"[id={in_path(element['id'])}]" if element["id"] else ""
        for key in ("text", "description"):
            if 0 < len(element[key].strip()) <= _LONGEST:
                yield TaskGoal(path=f"screen{which}.{key}", op="equals", value=element[key])


def _changes(path: str, before: Any, after: Any) -> Iterator[TaskGoal]:
    match before, after:
        case Mapping(), Mapping():
            for name in sorted(set(before) | set(after)):
                at = f"{path}.{in_path(name)}" if path else in_path(name)
                if name and name in after:
                    yield from _changes(at, before.get(name), after[name])
        case None | list(), list():
            yield from _changes_of_list(path, before or [], after)
        case None, Mapping():
            yield from _changes(path, {}, after)
        case _ if before != after:
            yield from _values(path, after)
        case _:
            pass


def _changes_of_list(path: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[TaskGoal]:
    """Entries are told apart by a text that only one of them has."""
    for entry in (entry for entry in after if entry not in before):
        if not isinstance(entry, Mapping):
            yield from _values(path, entry)
            continue
        for which, key in _names_of(entry, after):
            same = [earlier for earlier in before if isinstance(earlier, Mapping) and earlier.get(key) == entry[key]]
            if len(same) == 1:
                yield from _changes(f"{path}{which}", same[0], entry)
            else:
                yield TaskGoal(path=f"{path}{which}", op="any")
                yield from _values(f"{path}{which}", {name: entry[name] for name in entry if name != key})
            break
    for entry in (entry for entry in before if isinstance(entry, Mapping)):
        for which, key in _names_of(entry, before):
            if all(not isinstance(later, Mapping) or later.get(key) != entry[key] for later in after):
                yield TaskGoal(path=f"{path}{which}", op="count", value=0)
            break


def _names_of(entry: Mapping[str, Any], entries: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Conditions that select `entry` alone, and their keys; the best one first."""
    keys = [*(key for key in _NAMING_KEYS if key in entry), *(key for key in entry if key not in _NAMING_KEYS)]
    for key in keys:
        value = entry[key]
        if not _is_plain(value) or isinstance(value, bool) or not str(value).strip() or len(str(value)) > _LONGEST:
            continue
        named = [other for other in entries if isinstance(other, Mapping) and _folded(other.get(key)) == _folded(value)]
        if len(named) == 1 and key.replace("_", "").isalnum():
            yield f"[{key}={in_path(str(value))}]", key


def _values(path: str, value: Any) -> Iterator[TaskGoal]:
    """What is new, value by value."""
    match value:
        case Mapping():
            leaves = [(name, leaf) for name, leaf in value.items() if name and _is_plain(leaf) and str(leaf).strip()]
            for name, leaf in leaves[:_MOST_LEAVES]:
                yield from _values(f"{path}.{in_path(name)}", leaf)
            for name, inner in value.items():
                if name and isinstance(inner, list):
                    yield from _changes_of_list(f"{path}.{in_path(name)}", [], inner)
        case _ if _is_plain(value) and len(str(value)) <= _LONGEST:
            yield TaskGoal(path=path, op="equals", value=value)
        case list():
            for inner in value:
                yield from _values(path, inner)
        case _:
            pass


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _folded(value: object) -> str:
    return str(value).casefold()
