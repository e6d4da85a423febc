"""What an exported folder needs so that the published tools read it: files, hashes, and the released spelling."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from odyssey_recorder.checking.evidence import FactsSource
from odyssey_recorder.checking.finding_text import listed
from odyssey_recorder.dataset.layout import PROVENANCE, annotation_path, episode_ids, read_dataset_file, screenshot_path
from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.files import Largest, open_file, read_file, storage_errors
from odyssey_recorder.model.episode import Json
from odyssey_recorder.model.finding import Criterion, Finding, NotChecked, Severity
from odyssey_recorder.model.plain_text import counted, step_number

MANIFESTS = ("SHA256SUMS", "manifest.sha256")
KEYS = frozenset({"KEY_HOME", "KEY_BACK", "KEY_APPSELECT"})
SECOND_RELEASE = ("low_level_instruction", "sam2_bbox")
"""Keys without which the converter of the second release stops; that of the first does not know them."""
_LINE = re.compile(r"(?P<sha256>[0-9a-fA-F]{64}) [ *](?P<name>.+)")


def is_exported(root: Path) -> bool:
    """Whether the dataset was made from another: recorded ones have provenance."""
    return not (root / PROVENANCE).is_dir()


def export_findings(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    """EXP01: every screenshot is there, the manifest of SHA-256 sums is right, and every annotation is spelled as the
    published converter reads it.

    The converter itself is not run. SPL01 and SPL02 check that the splits name existing episodes, and keep train and
    test apart. Raises DatasetError.
    """
    if not is_exported(root):
        yield NotChecked("EXP01", "This is a recorded dataset with provenance, not an exported folder.")
        return
    yield from _screenshots(source)
    yield from _manifest(root, source)
    yield from spelling_findings(root)


def _screenshots(source: FactsSource) -> Iterator[Finding]:
    lacking = sorted(facts.episode_id for facts in source() if not all(facts.screenshots))
    if lacking:
        yield _error(
            f"Screenshots of {counted(len(lacking), 'episode')} are missing: {listed(lacking)}.",
            "Add the screenshots, or leave the episodes out.",
        )


# The manifest.


def _manifest(root: Path, source: FactsSource) -> Iterator[Finding | NotChecked]:
    name = next((name for name in MANIFESTS if (root / name).is_file()), None)
    if name is None:
        yield NotChecked("EXP01", f"There is no manifest of hashes ({' or '.join(MANIFESTS)}).")
        return
    hashes: dict[str, bytes] = {}
    for number, line in enumerate(_lines(root / name), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            yield _error(f"{name}, line {number}: expected a SHA-256 sum and a file's name.", _REBUILD)
            return
        hashes[match["name"].removeprefix("./")] = bytes.fromhex(match["sha256"])
    wrong = sorted({*_wrong_screenshots(hashes, source), *_wrong_files(root, hashes)})
    if wrong:
        words = f"{name} does not match or does not list {counted(len(wrong), 'file')}: {listed(wrong)}."
        yield _error(words, "Export again, or restore the changed files.")


_REBUILD = "Rebuild the manifest from the files."


def _lines(path: Path) -> list[str]:
    with storage_errors(path, "read"):
        text = read_file(path, Largest.INDEX, within=path.parent).decode(errors="backslashreplace")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _wrong_screenshots(hashes: dict[str, bytes], source: FactsSource) -> Iterator[str]:
    """Screenshots whose known hash differs from the manifest; removes all of their entries from `hashes`."""
    for facts in source():
        for step, sha256 in enumerate(facts.screenshots):
            name = screenshot_path(facts.episode_id, step)
            expected = hashes.pop(name, None)
            if sha256 and (expected is None or expected.hex() != sha256):
                yield name


def _wrong_files(root: Path, hashes: Mapping[str, bytes]) -> Iterator[str]:
    yield from {annotation_path(episode_id) for episode_id in episode_ids(root)} - hashes.keys()
    for name, expected in hashes.items():
        place = PurePosixPath(name)
        inside = not place.is_absolute() and ".." not in place.parts
        if not inside or _sha256(root / place, root) != expected:
            yield name


def _sha256(path: Path, root: Path) -> bytes | None:
    try:
        with open_file(path, Largest.INDEX, within=root) as file:
            return hashlib.file_digest(file, "sha256").digest()
    except (OSError, ValueError):
        return None


# The spelling.


def spelling_findings(root: Path) -> Iterator[Finding]:
    lacking: list[str] = []
    ids = sorted(episode_ids(root))
    for episode_id in ids:
        steps = _steps(root / annotation_path(episode_id))
        problem = _first_problem(steps)
        if problem:
            yield _error(problem, _RESPELL, episode_id)
        elif any(key not in step for step in steps for key in SECOND_RELEASE):
            lacking.append(episode_id)
    if lacking:
        yield _unannotated(lacking, of=len(ids))


_RESPELL = "Write it with: odyssey-recorder convert --dialect release."


def _unannotated(lacking: list[str], *, of: int) -> Finding:
    """If no episode is annotated, the data are as in the first release; if some are, tools stop half way."""
    partly = len(lacking) < of
    return Finding(
        "EXP01", Severity.ERROR if partly else Severity.WARNING, None, "", None,
        f"{len(lacking)} of {counted(of, 'episode')} have steps without {' or '.join(SECOND_RELEASE)}: the converter "
        "of the first release reads them; that of the second fails on them.",
        "Annotate the steps, or leave those episodes out." if partly else "Tell the people who receive the data.",
    )  # fmt: skip


def _steps(path: Path) -> list[dict[str, Json]]:
    try:
        tree = parse(read_dataset_file(path, Largest.ANNOTATION))
    except NotPlainJsonError:
        return []
    steps = tree.get("steps") if isinstance(tree, dict) else None
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def _first_problem(steps: list[dict[str, Json]]) -> str:
    """Why the published converter would stop at the episode or score it wrong; empty if it would not."""
    for number, step in enumerate(steps):
        problem = _problem(step)
        if problem:
            return f"Step {step_number(number)} is not in the form that the published tools read: {problem}."
    return ""


def _problem(step: Mapping[str, Json]) -> str:
    action, info = step.get("action"), step.get("info")
    match action:
        case "CLICK" if isinstance(info, str):
            return "" if info in KEYS else f"CLICK with {shown(info)}"
        case "CLICK" | "LONG_PRESS":
            if step.get("sam2_bbox") == []:
                return "an empty sam2_bbox at a point makes every prediction count as wrong"
            return "" if _points(info) >= 1 else f"{action} without a point"
        case "SCROLL":
            return "" if _points(info) == 2 else "SCROLL without two points"
        case "TEXT":
            return "" if isinstance(info, str) else "TEXT without a text"
        case "COMPLETE" | "INCOMPLETE":
            return ""
        case _:
            return f"action {shown(action)}"


def _points(info: Json) -> int:
    if not isinstance(info, list):
        return 0
    pairs = [
        pair for pair in info if isinstance(pair, list) and len(pair) == 2 and all(type(axis) is int for axis in pair)
    ]
    return len(pairs) if len(pairs) == len(info) else 0


def _error(found: str, todo: str, episode_id: str = "") -> Finding:
    return Finding("EXP01", Severity.ERROR, Criterion.SCREENSHOTS, episode_id, None, found, todo)
