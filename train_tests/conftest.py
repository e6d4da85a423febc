"""Recipes for tiny models, made once; nothing is downloaded."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from odyssey_recorder.training.recipe import ModelRecipe, TrainingRecipe
from train_tests import tiny

os.environ["HF_HUB_OFFLINE"] = "1"
torch.set_num_threads(1)  # more are slower for models this small

Recipes = Callable[..., TrainingRecipe]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    return tiny.write_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def recipes(base: Path, tmp_path: Path) -> Recipes:
    """Quick to learn from, without an adapter that learns; `model` and the other arguments replace values."""

    def make(data: Path, model: dict[str, object] | None = None, **values: object) -> TrainingRecipe:
        return quick_recipe(base, data, tmp_path / "out", model).model_copy(update=values)

    return make


def quick_recipe(
    base: Path, data: Path, out: Path, model: dict[str, object] | None = None, **values: object
) -> TrainingRecipe:
    told = ModelRecipe(
        base=str(base),
        history_queries=8,
        history_heads=4,
        history_frames=8,
        image_tokens=4,
        history_image_tokens=4,
        most_tokens=1024,
    ).model_copy(update=model or {})
    return TrainingRecipe(
        data=data, out=out, model=told, epochs=1000, most_steps=300, global_batch=8, trained=("llm", "resampler"),
        learning_rate=3e-3, weight_decay=0, warmup=0, schedule="constant", lora_rank=0, precision="fp32",
        gradient_checkpointing=False, save_steps=10_000, test_samples=0, workers=0,
    ).model_copy(update=values)  # fmt: skip
