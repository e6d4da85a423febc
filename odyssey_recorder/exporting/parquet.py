"""Parquet files that `datasets` loads with decoded images; needs the extra `hf`."""

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import Any

from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import ExportedEpisode, step_rows
from odyssey_recorder.exporting.export_plan import in_groups
from odyssey_recorder.exporting.hashed_files import HashedWriter

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:  # pragma: no cover - the tests have the extra
    raise DatasetError("Parquet needs pyarrow. Install it: pip install 'odyssey-recorder[hf]'") from error

_INT = pa.int32()
_TEXT = pa.string()
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_STEP = pa.schema(
    [
        ("episode_id", _TEXT), ("step", _INT), ("step_length", _INT), ("image", _IMAGE), ("action", _TEXT),
        ("x1", pa.int16()), ("y1", pa.int16()), ("x2", pa.int16()), ("y2", pa.int16()), ("key", _TEXT), ("text", _TEXT),
        ("info", _TEXT), ("ps", _TEXT), ("sam2_bbox", pa.list_(pa.int16())), ("bbox_source", _TEXT),
        ("low_level_instruction", _TEXT), ("description", _TEXT), ("intention", _TEXT), ("context", _TEXT),
        ("instruction", _TEXT), ("task", _TEXT), ("meta_task", _TEXT), ("category", _TEXT), ("app", pa.list_(_TEXT)),
        ("device_name", _TEXT), ("w", _INT), ("h", _INT), ("sha256", _TEXT),
    ]
)  # fmt: skip
_EPISODE = pa.schema(
    [
        ("episode_id", _TEXT), ("instruction", _TEXT), ("task", _TEXT), ("meta_task", _TEXT), ("category", _TEXT),
        ("app", pa.list_(_TEXT)), ("device_name", _TEXT), ("w", _INT), ("h", _INT), ("step_length", _INT),
        ("actions", pa.list_(_TEXT)), ("screenshots", pa.list_(_TEXT)),
    ]
)  # fmt: skip
_PAGE_ROWS = 4
"""The writer looks at a page's size after so many rows: without it a whole row group would be one page in memory."""

_VALUES = {pa.int16(): "int16", _INT: "int32", _TEXT: "string"}


def write_steps(file: HashedWriter, episodes: Iterable[ExportedEpisode], group_bytes: int) -> None:
    """A row per step with its screenshot; row groups of at most `group_bytes` of screenshots. Raises DatasetError."""
    groups = in_groups(_with_images(file, episodes), group_bytes)
    _write(file, _STEP, groups, uncompressed=("image.bytes",))


def write_episodes(file: HashedWriter, episodes: Iterable[ExportedEpisode], group_bytes: int) -> None:
    """A row per episode, without screenshots. Raises DatasetError."""
    _write(file, _EPISODE, in_groups(((_episode_row(episode), 4096) for episode in episodes), group_bytes))


def _with_images(file: HashedWriter, episodes: Iterable[ExportedEpisode]) -> Iterator[tuple[dict[str, Any], int]]:
    """Rows with their size in bytes."""
    for exported in episodes:
        for row in step_rows(exported):
            number, name = row["step"], row.pop("screenshot")
            assert isinstance(number, int)
            image = exported.screenshot(number)
            yield {**row, "image": {"bytes": image, "path": name}, "sha256": file.beside(image)}, len(image)


def _episode_row(exported: ExportedEpisode) -> dict[str, Any]:
    rows = list(step_rows(exported))
    named = {name: rows[0][name] for name in _EPISODE.names if name in rows[0]} if rows else {}
    return {
        **dict.fromkeys(_EPISODE.names),
        **named,
        "episode_id": exported.episode.episode_id,
        "actions": [row["action"] for row in rows],
        "screenshots": [row["screenshot"] for row in rows],
    }


def _write(
    file: HashedWriter, schema: pa.Schema, groups: Iterator[list[dict[str, Any]]], uncompressed: tuple[str, ...] = ()
) -> None:
    marked = schema.with_metadata({"huggingface": _features(schema)})
    columns = [".".join(path) for path in _leaves(schema)]
    compression = {name: "NONE" if name in uncompressed else "ZSTD" for name in columns}
    coded = [name for name in columns if name not in uncompressed]
    with pq.ParquetWriter(
        file, marked, compression=compression, use_dictionary=coded, write_statistics=coded, write_batch_size=_PAGE_ROWS
    ) as writer:
        for group in groups:
            for row in group:
                if isinstance(sha256 := row.get("sha256"), Future):
                    row["sha256"] = sha256.result()
            writer.write_table(pa.Table.from_pylist(group, schema=marked), row_group_size=len(group))
            group.clear()
            pa.default_memory_pool().release_unused()


def _leaves(schema: pa.Schema) -> Iterator[tuple[str, ...]]:
    """The columns as Parquet names them."""
    for field in schema:
        if pa.types.is_struct(field.type):
            yield from ((field.name, inner.name) for inner in field.type)
        elif pa.types.is_list(field.type):
            yield field.name, "list", "element"
        else:
            yield (field.name,)


def _features(schema: pa.Schema) -> str:
    """What `datasets` reads of the schema: above all which column holds images."""

    def feature(kind: pa.DataType) -> dict[str, object]:
        if kind == _IMAGE:
            return {"_type": "Image"}
        if pa.types.is_list(kind):
            return {"feature": feature(kind.value_type), "_type": "List"}
        return {"dtype": _VALUES[kind], "_type": "Value"}

    return json.dumps({"info": {"features": {field.name: feature(field.type) for field in schema}}})
