"""SAM2 by ONNX Runtime: the masks around a press, from the files of an encoder and a decoder in the user's folder.

The names of inputs and outputs are those of `Sam2Model` of the transformers library, as it is usually exported; see
docs/annotation.md. Nothing is ever downloaded, and only files whose hashes are in the folder's SHA256SUMS are loaded.
Needs the extra `boxes`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from PIL import Image

from odyssey_recorder.annotation.boxes import iou
from odyssey_recorder.dataset.amending import box_refusal
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.files import Largest, read_file, write_durably
from odyssey_recorder.model.geometry import Box, Pixel, Size

try:
    import numpy as np
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as _state
except ImportError as error:  # pragma: no cover - the tests have the extra
    raise SettingsError(
        f"SAM2 needs the package {error.name}. Install it: pip install 'odyssey-recorder[boxes]'"
    ) from error

SOURCE = (
    "the folder onnx of onnx-community/sam2.1-hiera-tiny-ONNX on the Hugging Face Hub, revision "
    "814a066640debee5a91e70aa401fb8e17e030503"
)
"""Of the published files. Their hashes (Git LFS) are those below; several public projects state the same."""
PUBLISHED: Mapping[str, tuple[int, str]] = {
    "vision_encoder.onnx": (354_238, "4f30aacd3aaefbca81a0b7fe4c1fc96345570ea0a6f80ced599493d1b3be2e8c"),
    "vision_encoder.onnx_data": (134_084_864, "e83df9866a5afe68ea7f0f721f18f65137fc3acbf0da1c74e946d363e09c69cc"),
    "prompt_encoder_mask_decoder.onnx": (213_114, "874414704c5d686db7d206a35f6e15d26563d50c8c4468fccc6739bd7e491dcf"),
    "prompt_encoder_mask_decoder.onnx_data": (
        20_958_208,
        "e9874d900dd4134ed60eab1e97910327c2419e0b2954485d8fd6e7f1a1470f47",
    ),
}
"""The sizes in bytes and the SHA-256 of the files."""
SUMS = "SHA256SUMS"

LARGEST_FILE = 2**31 - 1
"""In bytes; what protobuf allows."""
SMALLEST = 0.0002
"""Share of the screen below which a mask is noise; a dot of 4x4 pixels on the largest device."""
SAME_NODE = 0.7
"""IoU from which a mask is that of a view, and so wins over masks with better scores."""

_SIDE = 1024
"""Of the encoder's image, if the file leaves it open."""
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_PIXELS, _POINTS, _LABELS, _BOXES = "pixel_values", "input_points", "input_labels", "input_boxes"
_MASKS, _SCORES, _EMBEDDING = "pred_masks", "iou_scores", "image_embeddings"
_FAILURES: tuple[type[Exception], ...] = (
    MemoryError,
    *(item for item in vars(_state).values() if isinstance(item, type) and issubclass(item, Exception)),
)
_NO_MEMORY = re.compile(r"failed to allocate|bad[ _]alloc", re.IGNORECASE)

_ENCODERS, _DECODERS = ("vision_encoder.onnx", "encoder.onnx"), ("prompt_encoder_mask_decoder.onnx", "decoder.onnx")
_Arrays = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MaskBox:
    """The extent of a mask in pixels of the screenshot, and the model's own estimate of the mask's IoU, about 0..1."""

    box: Box
    score: float


class Sam2:
    """Reads the files. Raises SettingsError for one that is missing, not the one that was recorded, or no SAM2."""

    def __init__(self, folder: Path) -> None:
        sums = recorded(folder)
        self.models = tuple(sums.values())
        self._encoder = _Model("encoder", _found(folder, _ENCODERS), sums, takes=(_PIXELS,), gives=())
        self._decoder = _Model(
            "decoder", _found(folder, _DECODERS), sums, takes=(_POINTS, _LABELS), gives=(_MASKS, _SCORES)
        )
        known = {_POINTS, _LABELS, _BOXES, *self._encoder.gives}
        if strange := sorted(self._decoder.takes.keys() - known):
            raise SettingsError(
                f"The SAM2 decoder in {folder} needs {', '.join(strange)}, which the encoder does not give. Export "
                "both from the same model."
            )

    def boxes(self, image: Image.Image, at: Pixel) -> list[MaskBox]:
        """The extents of the masks that contain the press. Raises SettingsError."""
        size, side = Size(*image.size), self._side
        found = self._encoder.run({_PIXELS: pixels(image, side)})
        prompt: dict[str, Any] = {
            _POINTS: point(at, size, side),
            _LABELS: np.ones((1, 1, 1), np.int64),
            _BOXES: np.zeros((1, 0, 4), np.float32),
        }
        whole = {**found, **prompt}
        answer = self._decoder.run({name: whole[name] for name in self._decoder.takes})
        masks, scores = answer[_MASKS], answer[_SCORES].reshape(-1)
        if masks.ndim < 3 or masks[..., 0, 0].size != scores.size:
            raise SettingsError(f"The SAM2 decoder gives masks of shape {masks.shape} for {scores.size} scores.")
        return list(mask_boxes(masks.reshape(-1, *masks.shape[-2:]), scores, at, size))

    @property
    def _side(self) -> Size:
        height, width = self._encoder.takes[_PIXELS][-2:]
        return Size(*(side if isinstance(side, int) else _SIDE for side in (width, height)))


def best(masks: Iterable[MaskBox], views: Iterable[Box]) -> MaskBox | None:
    """The mask with the best score, but before it one whose box is nearly that of a view; None without masks."""
    edges = tuple(views)
    ranked = sorted(masks, key=lambda mask: -mask.score)
    of_view = (mask for mask in ranked if any(iou(mask.box, view) >= SAME_NODE for view in edges))
    return next(of_view, next(iter(ranked), None))


# Before and after the model.


def pixels(image: Image.Image, side: Size) -> Any:
    """The screenshot squashed to `side` and normalised as ImageNet: float32 of shape (1, 3, height, width)."""
    small = image.convert("RGB").resize((side.width, side.height), Image.Resampling.BILINEAR)
    rgb = np.asarray(small, np.float32) / 255
    normal = (rgb - np.array(_MEAN, np.float32)) / np.array(_DEVIATION, np.float32)
    return np.ascontiguousarray(normal.transpose(2, 0, 1)[None])


def point(at: Pixel, size: Size, side: Size) -> Any:
    """The middle of the pressed pixel in the encoder's image: float32 of shape (1, 1, 1, 2), x before y."""
    x, y = (at.x + 0.5) * side.width / size.width, (at.y + 0.5) * side.height / size.height
    return np.array([[[[x, y]]]], np.float32)


def mask_boxes(masks: Any, scores: Any, at: Pixel, size: Size) -> Iterator[MaskBox]:
    """Of `masks`, logits of shape (count, height, width), those above 0 at the press and as large as elements are."""
    _, height, width = masks.shape
    row, column = at.y * height // size.height, at.x * width // size.width
    for mask, score in zip(masks > 0, scores, strict=True):
        if not mask[row, column] or not np.isfinite(score):
            continue
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        box = Box(
            int(columns[0]) * size.width // width,
            int(rows[0]) * size.height // height,
            -(-(int(columns[-1]) + 1) * size.width // width),
            -(-(int(rows[-1]) + 1) * size.height // height),
        )
        if box.area >= SMALLEST * size.width * size.height and not box_refusal(box, at, size):
            yield MaskBox(box, float(score))


# The files.


def _found(folder: Path, names: Sequence[str]) -> Path:
    """The first of the files that is there. Raises SettingsError."""
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise SettingsError(f"SAM2 needs {' or '.join(names)} in {folder}. `annotate sam2` lists the files.")
    return path


def record(folder: Path) -> dict[str, str]:
    """Compares SAM2's files with SHA256SUMS, or else with the published hashes, and then writes it.

    Returns the hashes by name. Raises SettingsError for a file that is missing or another one; an own export, whose
    names are not the published ones, may have any hash the first time.
    """
    paths = [_found(folder, names) for names in (_ENCODERS, _DECODERS)]
    paths += [weights for path in paths if (weights := _weights_of(path)).is_file()]
    sums = {path.name: sha256(_read(path)).hexdigest() for path in paths}
    is_known = (folder / SUMS).is_file()
    wanted = recorded(folder) if is_known else {name: digest for name, (_, digest) in PUBLISHED.items()}
    for name, digest in sums.items():
        _refuse_other(folder / name, digest, wanted.get(name, "none" if is_known else digest))
    if not is_known:
        write_durably(folder / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode())
    return sums


def recorded(folder: Path) -> dict[str, str]:
    """The hashes by name. Raises SettingsError."""
    try:
        lines = read_file(folder / SUMS, Largest.WRITTEN_BY_HAND).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{folder} has no readable {SUMS}. Run `annotate sam2 {folder} PICTURE`: it tries the files and writes it."
        ) from error
    return {name: digest.lower() for digest, _, name in (line.partition("  ") for line in lines) if name}


def _weights_of(model: Path) -> Path:
    """Where the weights are, if they are not in the model's own file."""
    return model.with_name(f"{model.name}_data")


def _verified(path: Path, sums: Mapping[str, str]) -> bytes:
    data = _read(path)
    _refuse_other(path, sha256(data).hexdigest(), sums.get(path.name, "none"))
    return data


def _read(path: Path) -> bytes:
    try:
        return read_file(path, LARGEST_FILE)
    except OSError as error:
        raise SettingsError(f"Couldn't read {path}: {error.strerror}.") from error


def _refuse_other(path: Path, seen: str, wanted: str) -> None:
    if seen != wanted:
        raise SettingsError(
            f"{path} has the SHA-256 {seen}; expected {wanted}. It was not loaded. If you replaced it on purpose, "
            f"delete {path.with_name(SUMS)} and run `annotate sam2` again."
        )


class _Model:
    """An ONNX model in memory; `takes` are the shapes of its inputs by name, `gives` the names of its outputs."""

    def __init__(
        self, role: str, path: Path, sums: Mapping[str, str], *, takes: Sequence[str], gives: Sequence[str]
    ) -> None:
        self._what = f"The SAM2 {role} {path}"
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        model, weights = _verified(path, sums), _weights_of(path)
        self._weights = _verified(weights, sums) if weights.is_file() else b""  # the session may use this memory
        if self._weights:
            options.add_external_initializers_from_files_in_memory(
                [weights.name], [self._weights], [len(self._weights)]
            )
        try:
            self._session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
        except _FAILURES as error:
            raise self._failure(error, "cannot be loaded") from error
        self.takes = {tensor.name: tensor.shape for tensor in self._session.get_inputs()}
        self.gives = [output.name for output in self._session.get_outputs()]
        lacking = [
            *(name for name in takes if name not in self.takes),
            *(name for name in gives if name not in self.gives),
        ]
        if role == "encoder" and not any(name.startswith(_EMBEDDING) for name in self.gives):
            lacking.append(_EMBEDDING)
        if lacking:
            raise SettingsError(
                f"{self._what} has no {', '.join(lacking)}. It takes {', '.join(self.takes)} and gives "
                f"{', '.join(self.gives)}. Export it as docs/annotation.md says."
            )

    def run(self, inputs: _Arrays) -> _Arrays:
        try:
            return dict(zip(self.gives, self._session.run(None, dict(inputs)), strict=True))
        except _FAILURES as error:
            raise self._failure(error, "failed") from error

    def _failure(self, error: Exception, what: str) -> SettingsError:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            return SettingsError(f"{self._what} needs more memory than is free. Use a smaller model.")
        return SettingsError(f"{self._what} {what}: {' '.join(str(error).split())[:300]}")
