"""The configuration of a training run, and the model that it names."""

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, ValidationError

from odyssey_recorder.annotation.text_kinds import Semantic
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.files import Largest, read_file, write_durably
from odyssey_recorder.training.collator import HISTORY_TOKEN, Encoder, History
from odyssey_recorder.training.model import OdysseyAgent, OdysseyConfig
from odyssey_recorder.training.pixels import Patches
from odyssey_recorder.validation import ClosedModel, FrozenModel, first_fault

MARK = "odyssey.json"
"""The file of a Mark."""

TrainedPart = Literal["vision", "adapter", "resampler", "llm"]
"""The vision tower, its merger (which connects it to the language model), the history resampler, the language model."""


class ModelRecipe(ClosedModel):
    """`base` is a folder or a name on the Hub. Images have at most so many tokens, each of 28x28 pixels.

    `history_frames` 0: the resampler cannot tell the order of the screenshots, as in the paper.
    """

    base: str
    history: History = "resampler"
    history_queries: int = Field(default=256, ge=1)
    history_heads: int = Field(default=28, ge=1)
    history_frames: int = Field(default=0, ge=0)
    image_tokens: int = Field(default=1280, ge=4)
    history_image_tokens: int = Field(default=256, ge=4)
    most_tokens: int = Field(default=8192, ge=16)


class OtherExport(ClosedModel):
    """Samples that are mixed in: `weight` 2 uses each of them twice, 0.5 half of them, drawn once with the seed."""

    data: Path
    part: Literal["train", "all"] = "train"
    weight: float = Field(default=1.0, gt=0)


class TrainingRecipe(ClosedModel):
    """The defaults are the paper's where it says something; docs/training.md compares them one by one.

    A step of the optimizer takes `global_batch` samples, on any number of processes; each process takes at most
    `batch` of them at once. With `lora_rank`, "llm" in `trained` is trained by LoRA. `part`: that of the export; with
    "train", "test" is answered after each epoch. `semantic`: which texts are trained on; None for all of the export.
    """

    data: Path
    out: Path
    model: ModelRecipe
    part: Literal["train", "all"] = "train"
    semantic: tuple[Semantic, ...] | None = None
    mix: tuple[OtherExport, ...] = ()
    trained: tuple[TrainedPart, ...] = Field(default=("adapter", "resampler", "llm"), min_length=1)
    epochs: float = Field(default=1.0, gt=0)
    most_steps: int = -1
    global_batch: int = Field(default=128, ge=1)
    batch: int = Field(default=8, ge=1)
    learning_rate: float = Field(default=2e-5, gt=0)
    weight_decay: float = Field(default=0.1, ge=0)
    beta1: float = Field(default=0.9, gt=0, lt=1)
    beta2: float = Field(default=0.95, gt=0, lt=1)
    warmup: float = Field(default=0.01, ge=0, lt=1)
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    lora_rank: int = Field(default=0, ge=0)
    lora_alpha: int = Field(default=16, ge=1)
    lora_dropout: float = Field(default=0.05, ge=0, lt=1)
    precision: Literal["bf16", "fp32"] = "bf16"
    gradient_checkpointing: bool = True
    save_steps: int = Field(default=200, ge=1)
    keep_checkpoints: int = Field(default=2, ge=2)
    test_samples: int = Field(default=200, ge=0)
    workers: int = Field(default=2, ge=0)
    seed: int = 42

    def batches(self, devices: int) -> tuple[int, int]:
        """Samples on each device at once, and how often before a step of the optimizer. At once are the most up to
        `batch` that divide the device's share. Raises TrainingError if the share is no whole number.
        """
        share, rest = divmod(self.global_batch, devices)
        if rest:
            raise TrainingError(
                f"global_batch: {self.global_batch} samples cannot be divided among {devices} devices. Set a multiple "
                f"of {devices}."
            )
        at_once = next(count for count in range(min(self.batch, share), 0, -1) if share % count == 0)
        return at_once, share // at_once

    @property
    def learned(self) -> dict[str, JsonValue]:
        """What must not change within a run."""
        return self.model_dump(mode="json", include=_LEARNED)


_LEARNED = {
    "semantic", "trained", "epochs", "most_steps", "global_batch", "batch", "learning_rate", "weight_decay", "beta1",
    "beta2", "warmup", "schedule", "lora_rank", "lora_alpha", "lora_dropout", "precision", "seed",
}  # fmt: skip


class TrainingMark(FrozenModel):
    """In each complete checkpoint and beside a trained model."""

    model: ModelRecipe
    learned: dict[str, JsonValue]

    @classmethod
    def of(cls, recipe: TrainingRecipe) -> "TrainingMark":
        return cls(model=recipe.model, learned=recipe.learned)

    def differences(self, other: "TrainingMark") -> list[str]:
        """The names of the keys that differ."""
        ours, theirs = ({**recipe.model.model_dump(), **recipe.learned} for recipe in (self, other))
        return [name for name in ours if ours[name] != theirs.get(name)]


def read_recipe(path: Path) -> TrainingRecipe:
    """Of a TOML file; its relative paths are from its folder. Raises TrainingError."""
    try:
        tree = tomllib.loads(read_file(path, Largest.WRITTEN_BY_HAND).decode())
        recipe = TrainingRecipe.model_validate(tree)
    except OSError as error:
        raise TrainingError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise TrainingError(f"{path}: {first_fault(error)}. See docs/training.md.") from error
    except ValueError as error:
        raise TrainingError(f"{path} is not TOML: {error}.") from error
    folder = path.parent
    mix = tuple(other.model_copy(update={"data": folder / other.data}) for other in recipe.mix)
    return recipe.model_copy(update={"data": folder / recipe.data, "out": folder / recipe.out, "mix": mix})


def read_mark(folder: Path) -> TrainingMark:
    """Raises TrainingError."""
    try:
        return TrainingMark.model_validate_json((folder / MARK).read_bytes())
    except (OSError, ValueError) as error:
        raise TrainingError(f"{folder} is not a trained model: {MARK} cannot be read.") from error


def write_mark(folder: Path, mark: TrainingMark) -> None:
    write_durably(folder / MARK, mark.model_dump_json(indent=2).encode() + b"\n")


def load_tokenizer(base: str) -> Any:
    """With the history's token. Raises TrainingError."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise TrainingError(f"The tokenizer of {base} cannot be loaded: {_first_line(error)}") from error
    tokenizer.add_special_tokens({"additional_special_tokens": [HISTORY_TOKEN]}, replace_extra_special_tokens=False)
    return tokenizer


def load_model(recipe: ModelRecipe, tokenizer: Any, precision: str) -> OdysseyAgent:
    """The base with a resampler, if wanted: as it was saved, or new. Raises TrainingError.

    The resampler has full precision, because steps of the optimizer are too small for its weights in bf16.
    """
    import torch
    from safetensors import SafetensorError

    token = tokenizer.convert_tokens_to_ids(HISTORY_TOKEN)
    try:
        base = OdysseyConfig.from_pretrained(recipe.base)
        base.history_token_id = token
        base.history_queries = recipe.history_queries if recipe.history == "resampler" else 0
        base.history_heads, base.history_frames = recipe.history_heads, recipe.history_frames
        if base.history_queries and base.text_config.hidden_size % base.history_heads:
            raise TrainingError(
                f"history_heads: the width of {recipe.base}, {base.text_config.hidden_size}, is no multiple of "
                f"{recipe.history_heads}."
            )
        kind = torch.bfloat16 if precision == "bf16" else torch.float32
        model, loaded = OdysseyAgent.from_pretrained(recipe.base, config=base, dtype=kind, output_loading_info=True)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise TrainingError(
            f"{recipe.base} is not a Qwen2.5-VL model that can be loaded: {_first_line(error)}"
        ) from error
    if missing := sorted(name for name in loaded["missing_keys"] if not name.startswith("history_resampler.")):
        raise TrainingError(f"{recipe.base} has no weights for {missing[0]}, and {len(missing) - 1} more.")
    if base.history_queries:
        model.history_resampler.float()
    if token >= model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(token + 1)
    return model  # type: ignore[no-any-return]


def encoder(recipe: ModelRecipe, tokenizer: Any, patch: int, merge: int) -> Encoder:
    return Encoder(
        tokenizer,
        Patches(patch, merge, recipe.image_tokens),
        Patches(patch, merge, recipe.history_image_tokens, quick=True),
        recipe.history,
        recipe.history_queries,
        recipe.most_tokens,
    )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
