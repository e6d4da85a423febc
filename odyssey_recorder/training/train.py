"""A training run: checkpoints that can be resumed, metrics in a file, and answers to test samples after each epoch."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.integrations import is_tensorboard_available

from odyssey_recorder.errors import TrainingError
from odyssey_recorder.files import write_durably
from odyssey_recorder.progress import Progress, untold
from odyssey_recorder.training.collator import Collator, Encoder
from odyssey_recorder.training.generating import answer
from odyssey_recorder.training.recipe import (
    MARK,
    TrainingMark,
    TrainingRecipe,
    encoder,
    load_model,
    load_tokenizer,
    read_mark,
    write_mark,
)
from odyssey_recorder.training.samples import TrainingSample, chosen, read_samples, weighted
from odyssey_recorder.training.scoring import official_right

_METRICS = "metrics.jsonl"
_TRAINED = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def train(recipe: TrainingRecipe, progress: Progress = untold) -> Path:
    """Returns the folder of the trained model: an adapter, or all weights. Raises TrainingError.

    A run that was interrupted goes on from its last complete checkpoint.
    """
    set_seed(recipe.seed)
    samples = chosen(read_samples(recipe.data, recipe.part), recipe.semantic)
    for other in recipe.mix:
        samples += weighted(read_samples(other.data, other.part), other.weight, recipe.seed)
    tests = chosen(read_samples(recipe.data, "test"), ())[: recipe.test_samples] if recipe.part == "train" else []
    _refuse_without_history(recipe, samples)
    last = _last_checkpoint(recipe)
    tokenizer = load_tokenizer(recipe.model.base)
    model = load_model(recipe.model, tokenizer, recipe.precision if recipe.lora_rank else "fp32")
    vision = model.config.vision_config
    encoding = encoder(recipe.model, tokenizer, vision.patch_size, vision.spatial_merge_size)
    metrics = _Metrics(recipe.out / _METRICS, tests, encoding, progress)
    metrics.forget_after(_step(last) if last else 0)
    with _explained(recipe):
        trainer = Trainer(
            model=_trainable(model, recipe),
            args=_arguments(recipe),
            data_collator=Collator(encoding),
            train_dataset=samples,
            callbacks=[_Marks(TrainingMark.of(recipe)), metrics],
        )
        trainer.train(resume_from_checkpoint=str(last) if last else None)
    final = recipe.out / "final"
    trainer.save_model(str(final))
    if trainer.is_world_process_zero():
        tokenizer.save_pretrained(final)
        write_mark(final, TrainingMark.of(recipe))
    return final


def _refuse_without_history(recipe: TrainingRecipe, samples: Sequence[TrainingSample]) -> None:
    if recipe.model.history != "images" and any(sample.semantic == "AR" for sample in samples):
        raise TrainingError('history: an action result (AR) compares screenshots. Set history = "images".')
    if recipe.model.history != "text" and all(len(sample.images) == 1 for sample in samples):
        raise TrainingError(
            f"{recipe.data} has no earlier screenshots. Export it with --history screenshots:N, or set history = "
            '"text".'
        )


def _trainable(model: Any, recipe: TrainingRecipe) -> Any:
    """With only the wanted parts trained. Raises TrainingError if LoRA is wanted for a part that is not trained."""
    visual = model.model.visual
    parts = {"vision": visual, "adapter": visual.merger, "resampler": getattr(model, "history_resampler", None)}
    if recipe.gradient_checkpointing:
        model.enable_input_require_grads()
    model.requires_grad_("llm" in recipe.trained)
    for name, part in parts.items():  # the merger is part of the vision tower, and comes after it
        if part is not None:
            part.requires_grad_(name in recipe.trained)
    if not recipe.lora_rank:
        return model
    from peft import LoraConfig, get_peft_model

    if not {"llm"} <= set(recipe.trained) <= {"adapter", "resampler", "llm"}:
        raise TrainingError("lora_rank: LoRA trains the language model. Have llm, and no vision, in trained; or set 0.")
    if "adapter" in recipe.trained:
        visual.merger.float()  # steps of the optimizer are too small for weights in bf16
    whole = {"adapter": "visual.merger", "resampler": "history_resampler"}
    lora = LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,
        lora_dropout=recipe.lora_dropout,
        target_modules=rf".*language_model.*\.({'|'.join(_TRAINED)})",
        modules_to_save=[name for part, name in whole.items() if part in recipe.trained and parts[part]] or None,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, lora)


def _arguments(recipe: TrainingRecipe) -> TrainingArguments:
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    devices = processes if processes > 1 else max(1, torch.cuda.device_count())  # a single process uses all
    at_once, accumulated = recipe.batches(devices)
    return TrainingArguments(
        output_dir=str(recipe.out),
        num_train_epochs=recipe.epochs,
        max_steps=recipe.most_steps,
        per_device_train_batch_size=at_once,
        gradient_accumulation_steps=accumulated,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        adam_beta1=recipe.beta1,
        adam_beta2=recipe.beta2,
        warmup_steps=recipe.warmup,
        lr_scheduler_type=recipe.schedule,
        bf16=recipe.precision == "bf16",
        use_cpu=not torch.accelerator.is_available(),
        gradient_checkpointing=recipe.gradient_checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False} if recipe.gradient_checkpointing else None,
        save_steps=recipe.save_steps,
        save_total_limit=recipe.keep_checkpoints,
        logging_steps=1 if recipe.save_steps < 10 else 10,
        dataloader_num_workers=recipe.workers,
        remove_unused_columns=False,
        report_to="tensorboard" if is_tensorboard_available() else "none",
        seed=recipe.seed,
        data_seed=recipe.seed,
        disable_tqdm=True,
    )


# Checkpoints.


def _last_checkpoint(recipe: TrainingRecipe) -> Path | None:
    """The newest complete one; those that a kill cut short are removed. Raises TrainingError for another model's."""
    is_first_process = os.environ.get("RANK", "0") == "0"
    found = sorted(recipe.out.glob("checkpoint-*"), key=_step, reverse=True)
    for path in found:
        if (path / MARK).is_file():
            _refuse_other(path, recipe)
            return path
        if is_first_process:
            shutil.rmtree(path)
    return None


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _refuse_other(path: Path, recipe: TrainingRecipe) -> None:
    if different := TrainingMark.of(recipe).differences(read_mark(path)):
        raise TrainingError(
            f"{path} is of another run: {', '.join(different)} differs. Choose another out, or move it away."
        )


class _Marks(TrainerCallback):
    """Marks each checkpoint as complete once all of it is written."""

    def __init__(self, mark: TrainingMark) -> None:
        self._mark = mark

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            write_mark(Path(args.output_dir) / f"checkpoint-{state.global_step}", self._mark)


# Metrics.


class _Metrics(TrainerCallback):
    """Writes what the trainer logs, and after each epoch how the test samples are answered: exactly, and the AMS.

    Not with weights that are divided among processes: the first process answers alone.
    """

    def __init__(
        self, path: Path, tests: Sequence[TrainingSample], encoding: Encoder, progress: Progress = untold
    ) -> None:
        self._path = path
        self._tests = tests
        self._encoding = encoding
        self._progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        text = f"Training: step {state.global_step:,} of {state.max_steps:,}"
        self._progress(state.global_step / max(1, state.max_steps), text)

    def forget_after(self, step: int) -> None:
        """Remove what an interrupted run wrote after its last checkpoint."""
        if os.environ.get("RANK", "0") == "0" and self._path.is_file():
            lines = self._path.read_text().splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
            write_durably(self._path, "".join(kept).encode())

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if state.is_world_process_zero:
            self._write({"step": state.global_step, **(logs or {})})

    def on_epoch_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        is_divided = bool(args.fsdp or args.deepspeed)
        if self._tests and state.is_world_process_zero and not is_divided:
            self._write({"step": state.global_step, "epoch": state.epoch, **self._tested(model)})

    def _tested(self, model: Any) -> dict[str, Any]:
        was_training = model.training
        model.eval()
        answers = [answer(model, self._encoding, sample).text for sample in self._tests]
        model.train(was_training)
        right = sum(text == sample.answer for text, sample in zip(answers, self._tests, strict=True))
        metrics = {"test_samples": len(self._tests), "test_exact": right / len(self._tests)}
        scored = official_right(
            (sample.gold, text) for sample, text in zip(self._tests, answers, strict=True) if sample.gold
        )
        return {**metrics, "protocol": "official", "ams": 100 * sum(scored) / len(scored)} if scored else metrics

    def _write(self, entry: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


@contextmanager
def _explained(recipe: TrainingRecipe) -> Iterator[None]:
    try:
        yield
    except TrainingError as error:  # a process that reads screenshots adds its whole stack
        raise TrainingError(str(error).rpartition("TrainingError: ")[2].strip()) from error
    except RuntimeError as error:
        if not isinstance(error, torch.OutOfMemoryError) and "allocate memory" not in str(error):
            raise
        raise TrainingError(
            f"The memory is not enough for batch = {recipe.batch} with image_tokens = {recipe.model.image_tokens}. "
            "Make either smaller, set gradient_checkpointing = true, or train with LoRA: lora_rank = 64."
        ) from error
