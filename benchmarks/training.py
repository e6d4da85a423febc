"""`make bench ARGS=--train`: cost of the batches, relative to decoding their screenshots; tokens and memory of the
history, relative to all screenshots as images of the prompt. The language model is tiny, the pictures are not.
"""

import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image
from rich.console import Console

from benchmarks.figure import Figure, medians_in_turn, table_of
from odyssey_recorder.training.collator import Collator, History
from odyssey_recorder.training.recipe import ModelRecipe, encoder, load_model, load_tokenizer
from odyssey_recorder.training.samples import TrainingSample, read_samples
from train_tests import tiny

SIZE = (1080, 2400)
EARLIER = 4
_ROUNDS = 5
_IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = tiny.write_base(folder / "base")
        sample = _sample(folder)
        figures = [*_batches(base, sample), *_histories(base, folder)]
    Console().print(table_of(figures))


def _sample(folder: Path) -> TrainingSample:
    """A step with earlier screenshots, made of pictures of this project."""
    (folder / "screenshots").mkdir()
    names = [f"screenshots/{number}.png" for number in range(EARLIER + 1)]
    for name, path in zip(names, sorted(_IMAGES.glob("*.png")), strict=False):
        with Image.open(path) as image:
            image.convert("RGB").resize(SIZE).save(folder / name)
    row = {**tiny.row("bench", ["red"] * EARLIER, "CLICK: (500, 500)"), "images": names}
    (folder / "data" / "all").mkdir(parents=True)
    (folder / "data" / "all" / "0.jsonl").write_text(json.dumps(row))
    return read_samples(folder, "all")[0]


def _collator(base: Path, history: History) -> Collator:
    recipe = ModelRecipe(base=str(base), history=history, history_heads=4)
    return Collator(encoder(recipe, load_tokenizer(str(base)), patch=14, merge=2))


def _batches(base: Path, sample: TrainingSample) -> list[Figure]:
    collate = _collator(base, "resampler")
    decoded, batched = medians_in_turn(
        [
            lambda: _cpu(lambda: [sample.image(number) for number in range(EARLIER + 1)]),
            lambda: _cpu(lambda: collate([sample])),
        ],
        rounds=_ROUNDS,
    )
    name = f"a sample with {EARLIER} earlier screenshots of {SIZE[0]}x{SIZE[1]}, CPU"
    return [Figure(name, batched, "ms", "decoding alone", decoded, "<= 1.3")]


def _histories(base: Path, folder: Path) -> list[Figure]:
    tokens, memory = _alone(partial(_trained, base, folder, "resampler"))
    all_tokens, all_memory = _alone(partial(_trained, base, folder, "images"))
    return [
        Figure("tokens of the same sample with the resampler", tokens, "", "all as images", all_tokens),
        Figure("memory of one training step with it", memory, "MB", "all as images", all_memory),
    ]


def _trained(base: Path, folder: Path, history: History) -> tuple[float, float]:
    """Tokens, and the megabytes that a forward and a backward pass add at their peak."""
    batch = _collator(base, history)([read_samples(folder, "all")[0]])
    recipe = ModelRecipe(base=str(base), history=history, history_heads=4)
    model = load_model(recipe, load_tokenizer(str(base)), "fp32").train()
    model.model.visual.requires_grad_(False)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _kilobytes("VmRSS")
    model(**batch).loss.backward()
    return batch["input_ids"].shape[1], (_kilobytes("VmHWM") - before) / 1024


def _kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def _alone(call: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    """In a process of its own, whose peak of memory is the call's."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call)


def _cpu(call: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.process_time()
    call()
    return 1000 * (time.process_time() - started)


if __name__ == "__main__":
    main()
