"""Training samples as an export in the layout `trl` has them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from PIL import Image
from pydantic import Field, JsonValue, ValidationError

from odyssey_recorder.annotation.text_kinds import SEMANTIC, Semantic
from odyssey_recorder.dataset.png import BrokenImageError, decode_png
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.files import Largest, check_within, read_file
from odyssey_recorder.validation import FrozenModel, first_fault

Part = Literal["train", "test", "all"]


class Content(FrozenModel):
    type: Literal["text", "image"]
    text: str = ""


class Turn(FrozenModel):
    role: Literal["system", "user", "assistant"]
    content: tuple[Content, ...]


class SampleGold(FrozenModel):
    """The true action and its box on the grid, spelled as by the official converter; the screenshot's `size`."""

    adapter: str
    size: tuple[int, int]
    answer: str
    box: JsonValue = None


class SampleRow(FrozenModel):
    """A line of the export; `images` are paths within it, those of earlier steps first."""

    id: str
    images: tuple[str, ...] = ()
    prompt: tuple[Turn, ...] = Field(min_length=1)
    completion: tuple[Turn, ...] = Field(min_length=1, max_length=1)
    gold: SampleGold | None = None


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """What is asked, with the current screenshot as its last image, if any; and the `answer`. Texts have no `gold`."""

    id: str
    folder: Path
    images: tuple[str, ...]
    prompt: tuple[Turn, ...]
    answer: str
    gold: SampleGold | None = None

    @property
    def semantic(self) -> Semantic | None:
        """Which text about the step is asked for, as the end of `id` says; None for an action."""
        return next((name for name, kind in SEMANTIC.items() if self.id.endswith(f"_{kind}")), None)

    def image(self, number: int) -> Image.Image:
        """In RGB. Raises TrainingError for a screenshot that is missing or damaged."""
        path = self.folder / self.images[number]
        try:
            check_within(path, self.folder)
            return decode_png(read_file(path, Largest.SCREENSHOT, within=self.folder)).convert("RGB")
        except (OSError, BrokenImageError) as error:
            raise TrainingError(f"The screenshot {path} cannot be read: {error}.") from error


def read_samples(folder: Path, part: Part) -> list[TrainingSample]:
    """All samples of a part, in the order of their files. Raises TrainingError."""
    files = sorted((folder / "data" / part).glob("*.jsonl"))
    if not files:
        parts = sorted(path.name for path in (folder / "data").glob("*") if path.is_dir())
        raise TrainingError(
            f"{folder / 'data' / part} has no samples. "
            + (f"The export has {' and '.join(parts)}." if parts else "Make them with export --as trl --split random.")
        )
    return [sample for file in files for sample in _samples(folder, file)]


def chosen(samples: Sequence[TrainingSample], semantic: Sequence[Semantic] | None) -> list[TrainingSample]:
    """The actions, and the texts of `semantic`; all if it is None. Raises TrainingError for texts that are missing."""
    if semantic is None:
        return list(samples)
    if missing := sorted({*semantic} - {sample.semantic for sample in samples}):
        raise TrainingError(
            f"semantic: the export has no samples of {' and '.join(missing)}. Export it with "
            f"--semantic {','.join(semantic)}."
        )
    return [sample for sample in samples if sample.semantic is None or sample.semantic in semantic]


def weighted(samples: Sequence[TrainingSample], weight: float, seed: int) -> list[TrainingSample]:
    """Each sample as often as `weight` says; what is left of it is the share that is drawn once more."""
    times = int(weight)
    rest = round((weight - times) * len(samples))
    return [*samples] * times + Random(seed).sample(samples, rest)


def _samples(folder: Path, file: Path) -> Iterator[TrainingSample]:
    try:
        lines = read_file(file, Largest.INDEX, within=folder).decode().removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"{file} cannot be read: {error}.") from error
    for number, line in enumerate(lines, 1):
        try:
            row = SampleRow.model_validate(json.loads(line))
        except ValidationError as error:
            raise TrainingError(f"{file}:{number}: {first_fault(error)}") from error
        except ValueError as error:
            raise TrainingError(f"{file}:{number} is not JSON: {error}.") from error
        shown = sum(part.type == "image" for turn in row.prompt for part in turn.content)
        if shown != len(row.images):
            raise TrainingError(f"{file}:{number}: {shown} places for {len(row.images)} images.")
        answer = "".join(part.text for part in row.completion[0].content)
        yield TrainingSample(row.id, folder, row.images, row.prompt, answer, row.gold)
