"""What a recipe means: its defaults beside the paper's, its batches, and the samples that it trains on."""

import json
import re
import tomllib
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch
from pydantic import BaseModel
from safetensors.torch import load_file

from odyssey_recorder.annotation.text_kinds import Semantic
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.exporting.export_plan import Options, Sampling
from odyssey_recorder.training.recipe import ModelRecipe, TrainingRecipe, load_model, load_tokenizer, read_recipe
from odyssey_recorder.training.samples import chosen, read_samples, weighted
from odyssey_recorder.training.train import train
from tests.exporting.sample import STEPS, Dataset, export, write_dataset
from train_tests import tiny
from train_tests.conftest import Recipes

_TEXTS: tuple[Semantic, ...] = ("SD", "CI", "DR")
_ROW = re.compile(r"^\| `([a-z0-9_.]+)` \| (.+?) \| (.+?) \|", re.MULTILINE)


def defaults(recipe: type[BaseModel], prefix: str = "") -> dict[str, Any]:
    fields = {f"{prefix}{name}": field for name, field in recipe.model_fields.items() if not field.is_required()}
    return {name: field.default for name, field in fields.items()}


def test_documented_defaults_are_those_of_the_recipe_and_differ_from_the_paper_only_where_said() -> None:
    text = (Path(__file__).parent.parent / "docs" / "training.md").read_text()
    known = {**defaults(TrainingRecipe), **defaults(ModelRecipe, "model.")}
    rows = {key: (default, paper) for key, default, paper in _ROW.findall(text)}
    assert rows.keys() == known.keys()
    for key, (default, paper) in rows.items():
        words = default.strip("`")
        value = {"all": None, "none": -1 if key == "most_steps" else ()}.get(words, words)
        if value is words:
            value = tomllib.loads(f"x = {words}")["x"]
        assert value == (list(known[key]) if isinstance(value, list) else known[key]), key
        assert paper == "the same" or paper.startswith(("not said", "`")), key
        assert paper != default, "say: the same"


@pytest.mark.parametrize(
    ("devices", "batch", "at_once"), [(1, 8, 8), (8, 8, 8), (8, 16, 16), (2, 7, 4), (64, 8, 2), (128, 8, 1)]
)
def test_global_batch_is_the_same_on_any_number_of_devices(devices: int, batch: int, at_once: int) -> None:
    recipe = TrainingRecipe(data=Path(), out=Path(), model=ModelRecipe(base="b"), batch=batch)
    found, accumulated = recipe.batches(devices)
    assert (found, found * accumulated * devices) == (at_once, 128)


def test_global_batch_that_cannot_be_divided_is_refused() -> None:
    with pytest.raises(TrainingError, match="128 samples cannot be divided among 3 devices"):
        TrainingRecipe(data=Path(), out=Path(), model=ModelRecipe(base="b")).batches(3)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes with all three texts, two of them in the train part."""
    folder = tmp_path_factory.mktemp("semantic")
    dataset = Dataset(folder / "data", write_dataset(folder / "data", 3, texts=True))
    samples = Sampling(history="screenshots:4", semantic=_TEXTS, split="random")
    return export(dataset, folder / "out", "trl", Options(samples=samples))


@pytest.mark.parametrize("texts", [texts for count in range(4) for texts in combinations(_TEXTS, count)])
def test_each_choice_of_semantic_annotations_trains(recipes: Recipes, exported: Path, texts: tuple[str, ...]) -> None:
    recipe = recipes(exported, {"most_tokens": 8192}, semantic=texts, most_steps=1, global_batch=STEPS)
    train(recipe)
    [*_, last] = map(json.loads, (recipe.out / "metrics.jsonl").read_text().splitlines())
    assert 1 / last["epoch"] == pytest.approx(2 * (1 + len(texts))), (
        "steps with as many samples as an episode has steps"
    )
    kinds = {one.semantic for one in chosen(read_samples(exported, "train"), recipe.semantic)}
    assert kinds == {None, *texts}


def test_texts_that_the_export_lacks_are_named(recipes: Recipes, tmp_path: Path) -> None:
    data = tiny.write_export(tmp_path / "data", tiny.order)
    with pytest.raises(TrainingError, match=r"no samples of CI and DR\. Export it with --semantic CI,DR"):
        train(recipes(data, semantic=("CI", "DR")))


def test_other_exports_are_mixed_in_by_weight_or_trained_on_before(recipes: Recipes, tmp_path: Path) -> None:
    for name, count in (("data", 4), ("other", 6)):
        tiny.write_export(tmp_path / name, tiny.order, train=count)
    (tmp_path / "recipe.toml").write_text(
        'data = "data"\nout = "out"\n[model]\nbase = "b"\n[[mix]]\ndata = "other"\nweight = 1.5\n'
    )
    mix = read_recipe(tmp_path / "recipe.toml").mix
    recipe = recipes(tmp_path / "data", mix=mix, most_steps=-1, epochs=1, global_batch=1)
    trained = train(recipe)
    last = (recipe.out / "metrics.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["step"] == 4 + 9
    found = [one.id for one in weighted(read_samples(tmp_path / "other", "train"), 1.5, seed=1)]
    assert sorted(map(found.count, set(found))) == [1, 1, 1, 2, 2, 2]
    second = recipe.model.model_copy(update={"base": str(trained)})
    begun = load_model(second, load_tokenizer(second.base), "fp32").state_dict()
    ended = load_file(trained / "model.safetensors")
    assert "history_resampler.out.weight" in ended
    assert [name for name, one in ended.items() if not torch.equal(begun[name], one)] == [], "a second run continues"
