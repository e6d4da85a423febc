"""A tiny Qwen2.5-VL with random weights and a byte tokenizer, and exports whose answers are in their pictures."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from odyssey_recorder.training.model import OdysseyAgent, OdysseyConfig

COLOURS = {"red": (220, 40, 40), "blue": (40, 60, 220), "green": (30, 170, 60), "yellow": (230, 210, 40)}
_SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
    "<|video_pad|>", "<|history_pad|>",
)  # fmt: skip


def write_base(folder: Path) -> Path:
    """A base model as a folder; nothing is downloaded."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: at for at, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(one, special=True) for one in _SPECIAL])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>")
    fast.save_pretrained(folder)
    ids = dict(zip(_SPECIAL, range(len(letters), len(letters) + len(_SPECIAL)), strict=True))
    config = OdysseyConfig(
        text_config={
            "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "vocab_size": len(letters) + len(_SPECIAL), "max_position_embeddings": 4096,
            "rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0},
            "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"],
            "pad_token_id": ids["<|endoftext|>"],
        },
        vision_config={
            "depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "window_size": 112,
            "fullatt_block_indexes": [1], "out_hidden_size": 64,
        },
        image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"], vision_end_token_id=ids["<|vision_end|>"],
    )  # fmt: skip
    OdysseyAgent(config).save_pretrained(folder)
    return folder


History = Sequence[str]
"""The colours of the screenshots, the oldest first."""


def first_image(rng: random.Random) -> tuple[History, str]:
    """The answer is the colour of the first of three; the others are of any colour."""
    colours = [rng.choice(list(COLOURS)) for _ in range(3)]
    return colours, colours[0]


def order(rng: random.Random) -> tuple[History, str]:
    """The answer is which of the two colours came first."""
    colours = rng.sample(["red", "blue"], 2)
    return colours, "ab"[colours[0] == "red"]


def write_export(
    folder: Path, task: Callable[[random.Random], tuple[History, str]], train: int = 64, test: int = 16, seed: int = 1
) -> Path:
    """As export --as trl writes it: earlier screenshots in one colour each, and a grey one now."""
    rng = random.Random(seed)
    (folder / "screenshots").mkdir(parents=True)
    for name, colour in {**COLOURS, "grey": (128, 128, 128)}.items():
        Image.new("RGB", (56, 56), colour).save(folder / f"screenshots/{name}.png")
    for part, count in (("train", train), ("test", test)):
        lines = []
        for number in range(count):
            history, answer = task(rng)
            lines.append(json.dumps(row(f"{part}_{number}", history, answer)))
        (folder / "data" / part).mkdir(parents=True)
        (folder / "data" / part / "00000.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def row(name: str, history: History, answer: str) -> dict[str, object]:
    earlier = [part for _ in history for part in ({"type": "text", "text": "Earlier:"}, {"type": "image"})]
    asked = [*earlier, {"type": "text", "text": "Do it."}, {"type": "image"}]
    return {
        "id": name,
        "images": [f"screenshots/{one}.png" for one in (*history, "grey")],
        "prompt": [{"role": "user", "content": asked}],
        "completion": [{"role": "assistant", "content": [{"type": "text", "text": answer}]}],
        "gold": {"adapter": "odyssey-agent", "size": [28, 28], "answer": answer, "box": None},
    }
