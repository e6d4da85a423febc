"""Training runs: adapters, kills, several processes, and what is refused."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate.commands.config.config_args import load_config_from_file
from peft import PeftModel
from safetensors.torch import load_file, save_file

from odyssey_recorder.errors import TrainingError
from odyssey_recorder.training.collator import Collator
from odyssey_recorder.training.generating import answer, load_trained
from odyssey_recorder.training.model import OdysseyAgent
from odyssey_recorder.training.recipe import TrainingRecipe, encoder, load_model, load_tokenizer, read_recipe
from odyssey_recorder.training.samples import Content, TrainingSample, Turn, read_samples
from odyssey_recorder.training.train import train
from train_tests import tiny
from train_tests.conftest import Recipes

ROOT = Path(__file__).parent.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny.write_export(tmp_path / "data", tiny.first_image)


def as_toml(recipe: TrainingRecipe) -> str:
    tree = recipe.model_dump(mode="json", exclude_none=True)
    model = tree.pop("model")
    lines = [f"{key} = {json.dumps(value)}" for key, value in tree.items()]
    return "\n".join([*lines, "[model]", *(f"{key} = {json.dumps(value)}" for key, value in model.items())])


def command(recipe: TrainingRecipe, folder: Path, *before: str) -> list[str]:
    config = folder / f"{recipe.out.name}.toml"
    config.write_text(as_toml(recipe))
    return [sys.executable, "-m", *before, "odyssey_recorder", "train", "--config", str(config)]


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "CUDA_VISIBLE_DEVICES": "",
    }


def losses(out: Path) -> dict[int, float]:
    entries = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    return {one["step"]: one["loss"] for one in entries if "loss" in one}


def logits(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.no_grad():
        return model.eval()(**batch).logits


def test_saved_loaded_and_merged_adapter_gives_equal_logits(recipes: Recipes, data: Path) -> None:
    recipe = recipes(data, lora_rank=4, lora_dropout=0.0, most_steps=5)
    trained = train(recipe)
    assert sum(path.stat().st_size for path in trained.glob("adapter_model*")) < 500_000
    tokenizer = load_tokenizer(recipe.model.base)
    plain = load_model(recipe.model, tokenizer, "fp32")
    vision = plain.config.vision_config
    encoding = encoder(recipe.model, tokenizer, vision.patch_size, vision.spatial_merge_size)
    batch = Collator(encoding)(read_samples(data, "test")[:4])
    batch.pop("labels")
    before = logits(plain, batch)
    loaded = PeftModel.from_pretrained(plain, str(trained))
    merged, _ = load_trained(trained)
    assert torch.allclose(logits(loaded, batch), logits(merged, batch), atol=1e-4)
    assert not torch.allclose(before, logits(merged, batch), atol=1e-3)


def test_killed_and_resumed_run_equals_an_undisturbed_one(recipes: Recipes, data: Path, tmp_path: Path) -> None:
    common = {"most_steps": 8, "save_steps": 3, "global_batch": 4}
    whole = train(recipes(data, **common, out=tmp_path / "whole"))
    recipe = recipes(data, **common, out=tmp_path / "killed")
    with subprocess.Popen(
        command(recipe, tmp_path), stdout=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if (recipe.out / "checkpoint-3/odyssey.json").is_file() and "loss" in line:
                break
        run.kill()
    assert not (recipe.out / "final").exists()
    (recipe.out / "checkpoint-6").mkdir(exist_ok=True)  # as a kill leaves it: without the mark
    (recipe.out / "checkpoint-6/odyssey.json").unlink(missing_ok=True)
    ended = subprocess.run(
        command(recipe, tmp_path), capture_output=True, text=True, env=environment(), cwd=tmp_path, check=False
    )
    assert ended.returncode == 0, ended.stderr
    one, other = (load_file(folder / "model.safetensors") for folder in (whole, recipe.out / "final"))
    assert one.keys() == other.keys()
    assert [name for name in one if not torch.equal(one[name], other[name])] == []
    assert losses(recipe.out) == losses(tmp_path / "whole")
    steps = [json.loads(line)["step"] for line in (recipe.out / "metrics.jsonl").read_text().splitlines()]
    assert steps == [*range(1, 9), 8], "and the summary"


def test_two_processes_have_the_losses_of_one(recipes: Recipes, data: Path, tmp_path: Path) -> None:
    train(recipes(data, most_steps=4, save_steps=9, out=tmp_path / "one"))
    two = recipes(data, most_steps=4, save_steps=9, out=tmp_path / "two")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    launch = (
        "torch.distributed.run",
        "--nproc-per-node",
        "2",
        "--master-addr",
        "127.0.0.1",
        "--master-port",
        port,
        "-m",
    )
    ended = subprocess.run(
        command(two, tmp_path, *launch), capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**environment(), "ACCELERATE_USE_CPU": "true"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert losses(tmp_path / "two") == pytest.approx(losses(tmp_path / "one"), rel=1e-4)


@pytest.mark.parametrize(
    ("name", "kind"), [("one-gpu", "NO"), ("ddp", "MULTI_GPU"), ("fsdp2", "FSDP"), ("deepspeed", "DEEPSPEED")]
)
def test_accelerate_reads_the_configurations(name: str, kind: str) -> None:
    found = load_config_from_file(str(ROOT / "docs" / "accelerate" / f"{name}.yaml"))
    assert found.distributed_type == kind
    wrapped = found.fsdp_config.get("fsdp_transformer_layer_cls_to_wrap", "") if kind == "FSDP" else ""
    assert set(filter(None, wrapped.split(","))) <= set(OdysseyAgent._no_split_modules)


def test_metrics_count_exactly_answered_test_samples(recipes: Recipes, data: Path) -> None:
    recipe = recipes(data, most_steps=-1, epochs=1, test_samples=3)
    train(recipe)
    entries = [json.loads(line) for line in (recipe.out / "metrics.jsonl").read_text().splitlines()]
    [tested] = [one for one in entries if "test_exact" in one]
    assert (tested["test_samples"], tested["epoch"], 0 <= tested["test_exact"] <= 1) == (3, 1.0, True)
    assert (tested["protocol"], 0 <= tested["ams"] <= 100) == ("official", True)
    assert list((recipe.out / "runs").rglob("events.out.tfevents.*")), "TensorBoard's"


def part_of(name: str) -> str:
    if "history_resampler" in name:
        return "resampler"
    return "llm" if "visual" not in name else "adapter" if "merger" in name else "vision"


@pytest.mark.parametrize(
    "values",
    [
        {"trained": ("adapter", "resampler", "llm")},
        {"trained": ("adapter", "resampler", "llm"), "lora_rank": 4, "precision": "bf16"},
        {"trained": ("adapter",)},
        {"trained": ("resampler",), "gradient_checkpointing": True},
        {"trained": ("llm", "resampler"), "lora_rank": 4},
        {"trained": ("vision", "llm")},
    ],
)
def test_only_the_parts_of_the_recipe_change(recipes: Recipes, data: Path, values: dict[str, Any]) -> None:
    recipe = recipes(data, **{"most_steps": 2, **values})
    torch.manual_seed(recipe.seed)
    before = load_model(recipe.model, load_tokenizer(recipe.model.base), "fp32").state_dict()
    after = load_trained(train(recipe))[0].state_dict()
    assert before.keys() == after.keys()
    changed = {part_of(name) for name, one in before.items() if not torch.equal(one, after[name])}
    assert changed == set(values["trained"])


def test_weights_are_also_read_by_their_published_names(recipes: Recipes, data: Path, tmp_path: Path) -> None:
    recipe = recipes(data)
    base, published = Path(recipe.model.base), tmp_path / "published"
    shutil.copytree(base, published)
    weights = load_file(base / "model.safetensors")
    renamed = {
        name.replace("model.visual.", "visual.").replace("model.language_model.", "model."): one
        for name, one in weights.items()
    }
    assert {name.partition(".")[0] for name in renamed} == {"lm_head", "model", "visual"}
    save_file(renamed, published / "model.safetensors", {"format": "pt"})
    told = recipe.model.model_copy(update={"base": str(published), "history": "text"})
    found = load_model(told, load_tokenizer(str(published)), "fp32").state_dict()
    assert [name for name, one in weights.items() if not torch.equal(found[name], one)] == []


def test_steps_without_history_do_not_train_the_resampler(recipes: Recipes, data: Path) -> None:
    recipe = recipes(data)
    tokenizer = load_tokenizer(recipe.model.base)
    model = load_model(recipe.model, tokenizer, "fp32").train()
    encoding = encoder(recipe.model, tokenizer, 14, 2)
    first = TrainingSample(
        "x", data, ("screenshots/grey.png",), (Turn(role="user", content=(Content(type="image"),)),), "a"
    )
    model(**Collator(encoding)([first])).loss.backward()
    gradients = [one.grad for one in model.history_resampler.parameters()]
    assert all(one is not None and not one.any() for one in gradients)


def test_parts_beside_lora_learn_in_small_steps_with_bf16(recipes: Recipes, data: Path) -> None:
    parts = ("adapter", "resampler", "llm")
    recipe = recipes(data, trained=parts, precision="bf16", lora_rank=4, most_steps=3, learning_rate=2e-5)
    trained = load_file(train(recipe) / "adapter_model.safetensors")
    whole = {name: one for name, one in trained.items() if "lora" not in name}
    assert {part_of(name) for name in whole} == {"adapter", "resampler"}
    assert {one.dtype for one in whole.values()} == {torch.float32}
    fresh = load_model(recipe.model, load_tokenizer(recipe.model.base), "bf16").history_resampler
    assert {one.dtype for one in fresh.parameters()} == {torch.float32}


# What is refused.


def test_missing_base_weights_are_reported(recipes: Recipes, data: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    shutil.copytree(recipes(data).model.base, base)
    weights = load_file(base / "model.safetensors")
    fewer = {name: one for name, one in weights.items() if "layers.1." not in name}
    save_file(fewer, base / "model.safetensors", {"format": "pt"})
    with pytest.raises(TrainingError, match=r"has no weights for .*layers\.1\."):
        train(recipes(data, {"base": str(base)}))


def test_truncated_adapter_is_reported(recipes: Recipes, data: Path) -> None:
    trained = train(recipes(data, lora_rank=4, most_steps=1))
    file = trained / "adapter_model.safetensors"
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(TrainingError, match=f"The adapter {trained} does not fit"):
        load_trained(trained)


def test_checkpoint_of_another_model_is_rejected(recipes: Recipes, data: Path) -> None:
    train(recipes(data, most_steps=2, save_steps=1))
    with pytest.raises(TrainingError, match="checkpoint-2 is of another run: history_queries differs"):
        train(recipes(data, {"history_queries": 4}, most_steps=2, save_steps=1))
    with pytest.raises(TrainingError, match="checkpoint-2 is of another run: most_steps, learning_rate differs"):
        train(recipes(data, most_steps=3, save_steps=1, learning_rate=1.0))


@pytest.mark.parametrize("workers", [0, 1])
def test_damaged_screenshot_is_reported(recipes: Recipes, data: Path, workers: int) -> None:
    (data / "screenshots/red.png").write_bytes((data / "screenshots/red.png").read_bytes()[:60])
    with pytest.raises(TrainingError, match=r"^The screenshot .*screenshots/red\.png cannot be read.*$"):
        train(recipes(data, workers=workers))


def test_path_outside_the_export_is_rejected(recipes: Recipes, data: Path) -> None:
    line = tiny.row("x", ["../../etc"], "a")
    (data / "data/train/00000.jsonl").write_text(json.dumps(line))
    with pytest.raises(TrainingError, match="leads out of"):
        train(recipes(data))


def test_export_without_history_is_rejected(recipes: Recipes, data: Path) -> None:
    (data / "data/train/00000.jsonl").write_text(json.dumps(tiny.row("x", [], "a")))
    with pytest.raises(TrainingError, match="no earlier screenshots"):
        train(recipes(data))


def test_folder_without_samples_is_reported_with_its_contents(recipes: Recipes, data: Path) -> None:
    with pytest.raises(TrainingError, match=r"has no samples\. The export has test and train"):
        train(recipes(data, part="all"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("data = 'd'\nout = 'o'\nlerning_rate = 1.0\n[model]\nbase = 'b'", "lerning_rate"),
        ("data = 'd'\nout = 'o'\nbatch = 0\n[model]\nbase = 'b'", "batch"),
        ("data = 'd'\nout = 'o'\nsemantic = ['XX']\n[model]\nbase = 'b'", "semantic"),
        ("data = 'd'\nout = 'o'", "model"),
        ("data = ", "not TOML"),
    ],
)
def test_invalid_recipe_is_rejected_by_name(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    with pytest.raises(TrainingError, match=re.escape(told)):
        read_recipe(tmp_path / "recipe.toml")


def test_base_that_is_not_a_model_is_reported(recipes: Recipes, data: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="nowhere"):
        train(recipes(data, {"base": str(tmp_path / "nowhere")}))


def test_too_long_sample_is_reported(recipes: Recipes, data: Path) -> None:
    with pytest.raises(TrainingError, match=r"train_\d+ has \d+ tokens, more than most_tokens, 40"):
        train(recipes(data, {"most_tokens": 40}))


def test_memory_is_trained_on_beside_actions(data: Path, recipes: Recipes) -> None:
    """An action result shows three screenshots, a core none; of a served model both can be asked."""
    result, core = tiny.row("1_action_result", ("red", "blue"), "It is on."), tiny.row("1_core", (), "Nothing.")
    core["images"], core["prompt"] = [], [{"role": "user", "content": [{"type": "text", "text": "What?"}]}]
    del result["gold"], core["gold"]
    file = data / "data" / "train" / "00000.jsonl"
    file.write_text(file.read_text() + f"{json.dumps(result)}\n{json.dumps(core)}\n")
    with pytest.raises(TrainingError, match='Set history = "images"'):
        train(recipes(data, most_steps=1))
    recipe = recipes(data, {"history": "images"}, most_steps=2, semantic=("AR", "CM"))
    model, encoding = load_trained(train(recipe))
    samples = read_samples(data, "train")[-2:]
    assert [sample.semantic for sample in samples] == ["AR", "CM"]
    rows = [encoding.sample(sample) for sample in samples]
    assert [len(row.get("image_grid_thw", ())) for row in rows] == [3, 0]
    assert all(answer(model, encoding, sample).tokens_in > 0 for sample in samples)
