"""Answers of a model to prompts with screenshots, by greedy decoding."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from safetensors import SafetensorError
from transformers import AutoTokenizer

from odyssey_recorder.errors import TrainingError
from odyssey_recorder.training.collator import Collator, Encoder
from odyssey_recorder.training.recipe import encoder, load_model, read_mark
from odyssey_recorder.training.samples import TrainingSample, Turn

_LONGEST = 256
"""Tokens of an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`is_cut`: it reached the token limit."""

    text: str
    tokens_in: int
    tokens_out: int
    is_cut: bool


def answer(model: Any, encoding: Encoder, sample: TrainingSample) -> Answer:
    """Raises TrainingError for a screenshot that cannot be read."""
    return answer_to(model, encoding, sample.prompt, encoding.images(sample))


def answer_to(
    model: Any, encoding: Encoder, prompt: Sequence[Turn], images: Sequence[Image.Image], most: int = _LONGEST
) -> Answer:
    """Raises TrainingError for a prompt that is too long."""
    batch = Collator(encoding).batch([encoding.question(prompt, images)])
    batch.pop("labels")
    device = next(model.parameters()).device
    tokenizer = encoding.tokenizer
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    with torch.no_grad():
        ids = model.generate(
            **{name: tensor.to(device) for name, tensor in batch.items()},
            max_new_tokens=min(most, _LONGEST),
            do_sample=False,
            eos_token_id=end,
            pad_token_id=end,
        )
    prompt_length = batch["input_ids"].shape[1]
    tokens = ids[0, prompt_length:]
    words = str(tokenizer.decode(tokens[tokens != end], skip_special_tokens=True))
    return Answer(words, prompt_length, len(tokens), is_cut=end not in tokens)


def load_trained(folder: Path) -> tuple[Any, Encoder]:
    """The model with its adapter, ready to answer. Raises TrainingError."""
    recipe = read_mark(folder).model
    is_adapter = (folder / "adapter_config.json").is_file()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    precision = "bf16" if torch.cuda.is_available() else "fp32"
    base = recipe if is_adapter else recipe.model_copy(update={"base": str(folder)})
    model: Any = load_model(base, tokenizer, precision)
    if is_adapter:
        from peft import PeftModel

        try:
            model = PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise TrainingError(f"The adapter {folder} does not fit {recipe.base}: {error}") from error
    if torch.cuda.is_available():
        model = model.cuda()
    vision = model.config.vision_config
    return model.eval(), encoder(recipe, tokenizer, vision.patch_size, vision.spatial_merge_size)
