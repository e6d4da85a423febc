"""The dataset card (README.md with the Hub's header) and the Croissant description of an export."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

from odyssey_recorder import __version__
from odyssey_recorder.errors import DatasetError, MissingFileError
from odyssey_recorder.files import Largest, read_file, storage_errors
from odyssey_recorder.model.episode import Json
from odyssey_recorder.splits.drawing import KINDS

_FIELDS: Mapping[str, tuple[str, str]] = {
    "episode_id": ("Text", "The episode: 16 digits."),
    "step": ("Integer", "The number of the step, from 0."),
    "action": ("Text", "CLICK, LONG_PRESS, SCROLL, TEXT, COMPLETE or INCOMPLETE; a system key is a CLICK."),
    "info": ("Text", "The action's value as JSON; positions are 0..1000 of the screenshot's width and height."),
    "ps": ("Text", "The finger's path, or the reason why the task is impossible."),
    "instruction": ("Text", "What was asked of the person."),
    "category": ("Text", "One of the paper's six categories."),
    "device_name": ("Text", "The device of the emulator."),
}
_CITATION = "https://arxiv.org/abs/2406.08451"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True, slots=True)
class About:
    """What the card says. `figures` are lines of numbers, `limits` what a consumer will miss, `own` the section that
    people write, in Markdown, kept as it is. `published` is an ISO date, given so that the same input has the same
    bytes.
    """

    name: str
    episodes: int
    steps: int
    license: str = "cc-by-4.0"
    published: str = "1970-01-01"
    figures: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    own: str = ""


_CARD = "README.md"
_OWN_BEGINS, _OWN_ENDS = "<!-- your own section begins -->", "<!-- your own section ends -->"


def own_section(root: Path) -> str:
    """What people wrote in the README.md of the dataset, between the lines that each card has for it.

    Raises DatasetError if the file cannot be read or has one of these lines only.
    """
    path = root / _CARD
    try:
        with storage_errors(path, "read"):
            text = read_file(path, Largest.WRITTEN_BY_HAND, within=root).decode()
    except MissingFileError:
        return ""
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not UTF-8. Save it as UTF-8.") from error
    _, begins, after = text.replace("\r\n", "\n").partition(_OWN_BEGINS)
    own, ends, _ = after.rpartition(_OWN_ENDS)
    if begins and not ends:
        raise DatasetError(f"{path} has the line {_OWN_BEGINS} but not {_OWN_ENDS} after it. Add that line.")
    return own.strip()


def readme(layout: str, about: About, names: Sequence[str]) -> str:
    """Markdown with a YAML header; JSON strings are YAML strings, so that no name changes the structure."""
    size = next((words for most, words in _SIZES if about.steps < most), "1M<n<10M")
    header = [
        "---",
        f"license: {about.license}",
        f"pretty_name: {json.dumps(about.name)}",
        "language:\n- en",
        'tags:\n- "gui-agents"\n- "android"\n- "gui-odyssey"',
        "task_categories:\n- image-text-to-text",
        f"size_categories:\n- {json.dumps(size)}",
        *_configs(layout, names),
        "---",
    ]
    body = [
        f"# {_plain(about.name)}",
        f"{about.episodes:,} episodes with {about.steps:,} steps on Android emulators, recorded with Odyssey Recorder "
        f"{__version__}. Each screenshot was on the device when the finger came down.",
        *(["## Figures", "\n".join(f"- {_plain(figure)}" for figure in about.figures)] if about.figures else []),
        "## Fields",
        "\n".join(f"- `{name}`: {words}" for name, (_, words) in _FIELDS.items()),
        *(["## Limits", "\n".join(f"- {_plain(limit)}" for limit in about.limits)] if about.limits else []),
        "## Citation",
        f"The format and the tasks follow GUI-Odyssey: {_CITATION}",
        "## Notes",
        "\n".join(filter(None, (_OWN_BEGINS, about.own.strip(), _OWN_ENDS))),
    ]
    return "\n".join(header) + "\n\n" + "\n\n".join(body) + "\n"


def croissant(layout: str, about: About, hashes: Mapping[str, str]) -> dict[str, Json]:
    """Croissant 1.0 as JSON-LD: the files with their hashes, and the fields of a step."""
    encoding, pattern = _FORMATS.get(layout, _SAMPLES)
    data = {name: digest for name, digest in sorted(hashes.items()) if fnmatchcase(name, pattern)}
    listed = "".join(f"{digest}  {name}\n" for name, digest in data.items())
    repository: dict[str, Json] = {
        "@type": "cr:FileObject", "@id": "folder", "name": "folder", "contentUrl": ".",
        "encodingFormat": "git+https", "sha256": sha256(listed.encode()).hexdigest(),
        "description": "The folder of this file; its hash is that of the lines of SHA256SUMS for the data.",
    }  # fmt: skip
    shards: dict[str, Json] = {
        "@type": "cr:FileSet", "@id": "shards", "name": "shards", "containedIn": {"@id": "folder"},
        "encodingFormat": encoding, "includes": pattern, "description": f"{len(data)} files.",
    }  # fmt: skip
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about.name,
        "description": f"{about.episodes} episodes with {about.steps} steps on Android emulators.",
        "license": f"https://spdx.org/licenses/{about.license.upper()}",
        "url": _CITATION,
        "citeAs": _CITATION,
        "datePublished": about.published,
        "version": "1.0.0",
        "distribution": [repository, shards],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "steps",
                "name": "steps",
                "description": "A record for each step.",
                "field": [_field(name, kind, words) for name, (kind, words) in _FIELDS.items()],
            }
        ] if layout == "parquet" else [],
    }  # fmt: skip


_FORMATS = {
    "release": ("application/json", "annotations/*.json"),
    "parquet": ("application/x-parquet", "data/*.parquet"),
    "webdataset": ("application/x-tar", "data/*.tar"),
    "jsonl": ("application/jsonlines", "data/*.jsonl"),
    "official-chat": ("application/json", "t*_anno/*.json"),
}
_SAMPLES = ("application/jsonlines", "data/*/*.jsonl")
"""Of the other trainers' layouts."""

_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
    "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
_CONTEXT: dict[str, Json] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _TERMS},
}
"""The context that the standard prescribes, word for word."""


def _field(name: str, kind: str, words: str) -> Json:
    return {
        "@type": "cr:Field", "@id": f"steps/{name}", "name": name, "description": words, "dataType": f"sc:{kind}",
        "source": {"fileSet": {"@id": "shards"}, "extract": {"column": name}},
    }  # fmt: skip


def _configs(layout: str, names: Sequence[str]) -> list[str]:
    """A config for each split that has both parts; the shards lie in cells by side, so nothing is stored twice."""
    if layout != "parquet":
        return []
    cells = {name.removeprefix("data/").partition("-")[0] for name in names if name.startswith("data/")}
    configs: list[str] = []
    for place, kind in enumerate(KINDS):
        sides = {cell[2 * place + 1] for cell in cells}
        if {"0", "1"} <= sides:
            globs = {
                part: "data/" + "".join(f"{other[0]}{side if other == kind else '?'}" for other in KINDS) + "-*"
                for part, side in (("train", "0"), ("test", "1"))
            }
            configs.append(_config(kind, globs, default=not configs))
    if not configs:
        configs.append(_config("steps", {"train": "data/*"}, default=True))
    configs.append(_config("episodes", {"train": "episodes/*"}))
    return ["configs:", *configs]


def _config(name: str, globs: Mapping[str, str], *, default: bool = False) -> str:
    parts = "".join(f"\n  - split: {part}\n    path: {json.dumps(glob)}" for part, glob in globs.items())
    return f"- config_name: {name}" + ("\n  default: true" if default else "") + f"\n  data_files:{parts}"


def _plain(text: str) -> str:
    """Text as Markdown shows it: on one line, nothing in it is markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|" else letter for letter in " ".join(text.split()))
