"""Files in a dataset's folders that belong to no episode, and lists of episodes that disagree with the files."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from odyssey_recorder.checking.evidence import FactsSource
from odyssey_recorder.checking.finding_text import listed
from odyssey_recorder.checking.thresholds import NAMED_AT_MOST
from odyssey_recorder.dataset.layout import FILE_NAMES, INDEXES, PROVENANCE, REVIEWS, SEMANTICS, episode_ids, names_in
from odyssey_recorder.dataset.trash import Trash
from odyssey_recorder.files import Largest, read_file, storage_error
from odyssey_recorder.model.episode import is_episode_id
from odyssey_recorder.model.finding import Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import counted


def folder_findings(root: Path) -> Iterator[Finding]:
    """SET01: a file of an episode that does not exist. SET02: a file that does not belong in a dataset.

    The reviews and texts of an episode in the trash are no finding. Raises DatasetError.
    """
    episodes = episode_ids(root)
    rejected = {episode.episode_id for episode in Trash(root).episodes()}
    for folder, form in FILE_NAMES.items():
        orphans: Counter[str] = Counter()
        strays: list[str] = []
        known = episodes | rejected | {"policy", "controls"} if folder in (REVIEWS, SEMANTICS) else episodes
        for name in names_in(root / folder):
            match = form.fullmatch(name)
            if match is None:
                strays.append(name)
            elif match[1] not in known:
                orphans[match[1]] += 1
        yield from _orphans(folder, orphans)
        yield from _strays(folder, strays)


def _orphans(folder: str, orphans: Counter[str]) -> Iterator[Finding]:
    if orphans:
        yield Finding(
            "SET01", Severity.WARNING, None, "", None,
            f"{folder}/ has {counted(orphans.total(), 'file')} of {counted(len(orphans), 'episode')} without an "
            f"annotation: {listed(sorted(orphans))}.",
            "Restore the annotations if they are lost; otherwise move the files away.",
            tuple(sorted(orphans)[:NAMED_AT_MOST]),
        )  # fmt: skip


def _strays(folder: str, strays: Sequence[str]) -> Iterator[Finding]:
    if strays:
        torn = sum(name.endswith(".part") for name in strays)
        parts = f", {torn} of them left by an interrupted write" if torn else ""
        yield Finding(
            "SET02", Severity.NOTE, None, "", None,
            f"{folder}/ has {counted(len(strays), 'file')} without an episode{parts}: {listed(sorted(strays))}.",
            "Move away what does not belong there.",
        )  # fmt: skip


def list_findings(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    """SET03: rows of `all_anno.json` or `all_annot.json` differ from the annotation files or their step counts.

    SET04: some recordings have provenance and others do not. Raises DatasetError.
    """
    episodes = episode_ids(root)
    indexes = [name for name in INDEXES if (root / name).is_file()]
    if not indexes:
        yield NotChecked("SET03", f"There is no list of all episodes ({' or '.join(INDEXES)}).")
    for name in indexes:
        yield from _index_findings(root / name, episodes, source)
    proved = {match[1] for match in map(FILE_NAMES[PROVENANCE].fullmatch, names_in(root / PROVENANCE)) if match}
    if not proved:
        yield NotChecked("SET04", "No episode has provenance, as in released data.")
    elif episodes - proved:
        yield Finding(
            "SET04", Severity.WARNING, None, "", None,
            f"{len(episodes - proved)} of {counted(len(episodes), 'episode')} have no provenance: "
            f"{listed(sorted(episodes - proved))}.",
            "Restore the files; without them the screenshots cannot be verified.",
            tuple(sorted(episodes - proved)[:NAMED_AT_MOST]),
        )  # fmt: skip


def _index_findings(path: Path, episodes: frozenset[str], source: FactsSource) -> Iterator[Finding]:
    rows = _rows(path)
    if rows is None:
        yield _index_finding(f"{path.name} is not a JSON list of episodes.", ())
        return
    times = Counter(episode_id for episode_id, _ in rows)
    twice = sorted(episode_id for episode_id, count in times.items() if count > 1)
    steps = dict(rows)
    other = sorted(
        facts.episode_id for facts in source() if steps.get(facts.episode_id) not in (None, len(facts.actions))
    )
    for phrase, ids in (
        ("name {} without a file", sorted(times.keys() - episodes)),
        ("lack {} that has a file", sorted(episodes - times.keys())),
        ("name {} more than once", twice),
        ("differ from the file in the number of steps for {}", other),
    ):
        if ids:
            words = phrase.format(counted(len(ids), "episode"))
            yield _index_finding(f"The rows of {path.name} {words}: {listed(ids)}.", ids)


def _index_finding(found: str, ids: Sequence[str]) -> Finding:
    shown_ids = tuple(name for name in ids[:NAMED_AT_MOST] if is_episode_id(name))
    return Finding("SET03", Severity.WARNING, None, "", None, found, "Rebuild the list from the files.", shown_ids)


def _rows(path: Path) -> list[tuple[str, int | None]] | None:
    try:
        tree = json.loads(
            read_file(path, Largest.INDEX, within=path.parent), object_hook=_row
        )  # row by row: the list may have many thousands
    except OSError as error:
        raise storage_error(error, path, "read") from error
    except (ValueError, RecursionError):
        return None
    return tree if isinstance(tree, list) and all(isinstance(row, tuple) for row in tree) else None


def _row(pairs: dict[str, object]) -> tuple[str, int | None]:
    steps = pairs.get("step_length")
    return str(pairs.get("episode_id", "")), steps if isinstance(steps, int) else None
