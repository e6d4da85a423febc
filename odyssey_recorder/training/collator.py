"""Makes batches: the prompt as Qwen's chat template writes it, the current screenshot, and its history."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch
from PIL import Image
from torch import Tensor

from odyssey_recorder.errors import TrainingError
from odyssey_recorder.training.pixels import Patches
from odyssey_recorder.training.samples import Content, TrainingSample, Turn

HISTORY_TOKEN = "<|history_pad|>"
_IMAGE = "<|image_pad|>"
_SYSTEM = "You are a helpful assistant."
_IGNORED = -100

History = Literal["resampler", "images", "text"]
"""Earlier screenshots as tokens of the resampler, as images of the prompt, or not at all: only in words."""


@dataclass(frozen=True)
class Encoder:
    """`patches` are those of the current screenshot, `small` those of a resampler's history."""

    tokenizer: Any
    patches: Patches
    small: Patches
    history: History
    queries: int
    most_tokens: int

    def question(self, prompt: Sequence[Turn], images: Sequence[Image.Image]) -> dict[str, Tensor]:
        """The tensors of one prompt, its last turn open for the answer; the current screenshot is the last image.

        Raises TrainingError if it is too long.
        """
        return self._tensors("the prompt", prompt, images, None)

    def sample(self, sample: TrainingSample) -> dict[str, Tensor]:
        """The same with the answer, and `labels` for it alone."""
        return self._tensors(sample.id, sample.prompt, self.images(sample), sample.answer)

    def images(self, sample: TrainingSample) -> list[Image.Image]:
        """Those that the model sees. Raises TrainingError."""
        first = max(0, len(sample.images) - 1) if self.history == "text" else 0
        return [sample.image(number) for number in range(first, len(sample.images))]

    def _tensors(
        self, name: str, prompt: Sequence[Turn], images: Sequence[Image.Image], answer: str | None
    ) -> dict[str, Tensor]:
        shown = images if self.history == "images" else images[-1:]
        earlier = images[:-1] if self.history == "resampler" else []
        pixels, grids = _patches(self.patches, shown) if shown else (None, ())
        merged = self.patches.merge**2
        ids = self._prompt(prompt, [int(grid.prod()) // merged for grid in grids], len(earlier))
        labels = [_IGNORED] * len(ids)
        if answer is not None:
            tokens = [*self._plain(answer), self._id("<|im_end|>")]
            ids, labels = ids + tokens, labels + tokens
        if len(ids) > self.most_tokens:
            raise TrainingError(f"{name} has {len(ids)} tokens, more than most_tokens, {self.most_tokens}.")
        row = torch.tensor(ids)
        tensors = {
            "input_ids": row,
            "labels": torch.tensor(labels),
            "mm_token_type_ids": (row == self._id(_IMAGE)).int(),
            "history_counts": torch.tensor([len(earlier)]),
        }
        if pixels is not None:
            tensors |= {"pixel_values": pixels, "image_grid_thw": grids}
        if earlier:
            tensors["history_pixel_values"], tensors["history_grid_thw"] = _patches(self.small, earlier)
        return tensors

    def _prompt(self, prompt: Sequence[Turn], tokens: Sequence[int], earlier: int) -> list[int]:
        """As the chat template writes it, with as many image tokens as each image has."""
        turns = list(prompt)
        if turns[0].role != "system":
            turns.insert(0, Turn(role="system", content=(Content(type="text", text=_SYSTEM),)))
        if self.history != "images":
            turns = _without_earlier(turns)
        counts = iter(tokens)
        ids: list[int] = []
        for turn in turns:
            ids += [self._id("<|im_start|>"), *self._plain(f"{turn.role}\n")]
            if turn is turns[-1] and earlier:
                ids += [self._id(HISTORY_TOKEN)] * self.queries
            for part in turn.content:
                ids += self._plain(part.text) if part.type == "text" else self._image(next(counts))
            ids += [self._id("<|im_end|>"), *self._plain("\n")]
        if next(counts, None) is not None:
            raise TrainingError("The last turn of a prompt must have the current screenshot.")
        return [*ids, self._id("<|im_start|>"), *self._plain("assistant\n")]

    def _image(self, tokens: int) -> list[int]:
        return [self._id("<|vision_start|>"), *([self._id(_IMAGE)] * tokens), self._id("<|vision_end|>")]

    def _plain(self, text: str) -> list[int]:
        """Text whose markup, if any, stays text."""
        return list(self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])

    def _id(self, token: str) -> int:
        return int(self.tokenizer.convert_tokens_to_ids(token))


def _patches(patches: Patches, images: Sequence[Image.Image]) -> tuple[Tensor, Tensor]:
    found = [patches.of(image) for image in images]
    return torch.cat([pixels for pixels, _ in found]), torch.cat([grid for _, grid in found])


def _without_earlier(turns: Sequence[Turn]) -> list[Turn]:
    """Without the images of earlier steps and the text before them in the same turn."""
    last = turns[-1].content
    images = [at for at, part in enumerate(last) if part.type == "image"]
    kept = last[images[-2] + 1 :] if len(images) > 1 else last
    before = [
        turn.model_copy(update={"content": tuple(part for part in turn.content if part.type == "text")})
        for turn in turns[:-1]
    ]
    return [*(turn for turn in before if turn.content), turns[-1].model_copy(update={"content": tuple(kept)})]


@dataclass(frozen=True)
class Collator:
    """Pads prompts on the right; images of a batch follow each other."""

    encoder: Encoder

    def __call__(self, samples: Sequence[TrainingSample]) -> dict[str, Tensor]:
        return self.batch([self.encoder.sample(sample) for sample in samples])

    def batch(self, rows: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        pad = torch.nn.utils.rnn.pad_sequence
        lengths = [len(row["input_ids"]) for row in rows]
        batch = {
            name: pad([row[name] for row in rows], batch_first=True, padding_value=value)
            for name, value in (("input_ids", self._pad), ("labels", _IGNORED), ("mm_token_type_ids", 0))
        }
        batch["attention_mask"] = pad([torch.ones(length, dtype=torch.long) for length in lengths], batch_first=True)
        for name in ("pixel_values", "image_grid_thw", "history_counts", "history_pixel_values", "history_grid_thw"):
            found = [row[name] for row in rows if name in row]
            if found:
                batch[name] = torch.cat(found)
        return batch

    @cached_property
    def _pad(self) -> int:
        tokenizer = self.encoder.tokenizer
        return int(
            tokenizer.convert_tokens_to_ids("<|endoftext|>")
            if tokenizer.pad_token_id is None
            else tokenizer.pad_token_id
        )
