"""The spelling of review files, which version control can merge line by line; see docs/reviews.md."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256

from pydantic import TypeAdapter, ValidationError

from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.episode import Json
from odyssey_recorder.quality.reviewing.review import FORMAT, Entry, ReviewFile
from odyssey_recorder.validation import faults

_HEAD = ("format", "episode_id", "entries")
_FOOT = "null]}\n"
"""Follows the comma of the last entry, so that every entry has a line of the same form."""

_ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
_DECODER = json.JSONDecoder()


def union(one: ReviewFile, other: ReviewFile) -> ReviewFile:
    if one.episode_id != other.episode_id:
        raise ReviewError(f"The reviews of {one.episode_id} and {other.episode_id} belong to different episodes.")
    extra = dict(one.extra)
    for key, value in other.extra.items():
        extra[key] = max(value, extra.get(key, value), key=_canonical)
    problems = tuple(sorted({*one.problems, *other.problems}))
    return ReviewFile(one.episode_id, in_order((*one.entries, *other.entries)), extra, problems)


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    lines: dict[str, Entry] = {}
    for entry in entries:
        lines.setdefault(_canonical(entry.model_dump(mode="json")), entry)
    return tuple(entry for _, entry in sorted(lines.items(), key=lambda item: (item[1].at, item[1].id, item[0])))


def spell(file: ReviewFile) -> bytes:
    """Equal contents give equal bytes. Raises ReviewError if the file has problems or a text a lone surrogate."""
    refuse_problems(file)
    head = json.dumps({"format": FORMAT, "episode_id": file.episode_id})[:-1]
    extra = "".join(f"{_json(key)}: {_json(file.extra[key])},\n" for key in sorted(file.extra))
    entries = "".join(f"{_json(entry.model_dump(mode='json'))},\n" for entry in file.entries)
    try:
        return f'{head},\n{extra}"entries": [\n{entries}{_FOOT}'.encode()
    except UnicodeEncodeError as error:
        raise ReviewError(f"The review of {file.episode_id} contains an invalid character. Enter it again.") from error


def refuse_problems(file: ReviewFile) -> None:
    """Raise ReviewError with every unreadable place of the file, if there is any."""
    if file.problems:
        raise ReviewError(f"{' '.join(file.problems)} Fix it by hand. Nothing is written to it until then.")


def read_reviews(data: bytes, *, episode_id: str, source: str) -> ReviewFile:
    """Any order and layout; of a broken file all readable entries. Problems name `source`, entry and key."""
    try:
        tree = parse(data)
    except NotPlainJsonError as error:
        return _rescued(data, f"{source}: {error}.", episode_id=episode_id, source=source)
    if not isinstance(tree, dict):
        return ReviewFile(episode_id, problems=(f"{source}: expected an object, found {shown(tree)}.",))
    misfit = _misfit(tree, episode_id)
    if misfit:
        return ReviewFile(episode_id, problems=(f"{source}: {misfit}.",))
    extra = {key: value for key, value in tree.items() if key not in _HEAD}
    listed = tree["entries"]
    assert isinstance(listed, list)
    entries, problems = _read_all([one for one in listed if one is not None], source=source)
    return ReviewFile(episode_id, entries, extra, problems)


def read_entry(tree: Json, *, place: str) -> Entry:
    """Raises ReviewError naming `place` and unreadable keys. An entry without an id gets that of its content."""
    if not isinstance(tree, dict):
        raise ReviewError(f"{place}: expected an object, found {shown(tree)}.")
    try:
        return _ENTRY.validate_json(_json(completed(tree)))
    except ValidationError as error:
        raise ReviewError(f"{place}: {'; '.join(_faults(error))}.") from error


def completed(tree: dict[str, Json]) -> dict[str, Json]:
    full = dict(tree)
    if "kind" not in full and "decision" in full:
        full["kind"] = "verdict"
    if "judgements" not in full and isinstance(full.get("answers"), dict):
        answers = full.pop("answers")
        assert isinstance(answers, dict)
        full["judgements"] = [
            {"criterion": criterion, **(said if isinstance(said, dict) else {"answer": said})}
            for criterion, said in answers.items()
        ]
    if "id" not in full:
        full["id"] = sha256(_canonical(full).encode()).hexdigest()[:32]
    return full


def _read_all(trees: Iterable[Json], *, source: str) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    entries: list[Entry] = []
    problems: list[str] = []
    for number, tree in enumerate(trees, 1):
        try:
            entries.append(read_entry(tree, place=f"{source}, entry {number}"))
        except ReviewError as error:
            problems.append(str(error))
    return in_order(entries), tuple(problems)


def _misfit(tree: Mapping[str, Json], episode_id: str) -> str:
    number = tree.get("format", FORMAT)
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return f"format: expected {FORMAT}, found {shown(number)}"
    if number > FORMAT:
        return f"format {number} is from a newer version of Odyssey Recorder. Update this one"
    if tree.get("episode_id", episode_id) != episode_id:
        return f"it contains the reviews of {shown(tree['episode_id'])}; expected those of {episode_id}"
    if not isinstance(tree.get("entries"), list):
        return f"entries: expected a list, found {shown(tree.get('entries'))}"
    return ""


def _rescued(data: bytes, problem: str, *, episode_id: str, source: str) -> ReviewFile:
    text = data.decode(errors="replace")
    whole: list[Json] = []
    at = text.find("{")
    while at >= 0:
        beyond = at + 1
        with suppress(ValueError, RecursionError, NotPlainJsonError):
            tree, end = _DECODER.raw_decode(text, at)
            if "by" in tree:
                whole.append(parse(text[at:end]))
                beyond = end
        at = text.find("{", beyond)
    entries, problems = _read_all(whole, source=source)
    return ReviewFile(episode_id, entries, problems=(problem, *problems))


def _faults(error: ValidationError) -> Iterator[str]:
    for fault in faults(error):
        _, _, key = fault.key.partition(".")  # the first part is the kind
        found = "" if fault.type == "missing" else f"; found {shown(fault.found)}"
        yield f"{key or 'kind'}: {fault.words[:1].lower()}{fault.words[1:]}{found}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)
