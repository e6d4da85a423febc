"""A tiny stand-in for SAM2 in two ONNX files, with its inputs and outputs and random weights.

It shows that the files are used rightly, not what the real model finds. The decoder gives three masks: two squares
around the point, which prove that coordinates are carried over right, and one that follows from the random weights.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.onnx_ml_pb2 import NodeProto, ValueInfoProto

from odyssey_recorder.annotation.sam2 import record

SIDE, GRID = 64, 16
"""Of the encoder's image, and of the masks; the real ones have 1,024 and 256."""
HALVES = 1.5, 4.5
"""Of the squares' sides, in cells of the masks; their scores are 0.9 and 0.6, that of the random mask is 0.3."""
EMBEDDINGS = ["image_embeddings.0", "image_embeddings.1", "image_embeddings.2"]

_FLOAT, _INT64 = TensorProto.FLOAT, TensorProto.INT64


def files(folder: Path) -> Path:
    """Both files, and their hashes; returns the folder."""
    folder.mkdir(exist_ok=True)
    encoder(folder / "encoder.onnx")
    decoder(folder / "decoder.onnx")
    record(folder)
    return folder


def encoder(path: Path, *, pixels: str = "pixel_values", nodes: Sequence[NodeProto] = ()) -> None:
    made = [
        helper.make_node("Conv", [pixels, f"w{place}"], [name], strides=[stride, stride], kernel_shape=[stride, stride])
        for place, (name, stride) in enumerate(zip(EMBEDDINGS, (2, 4, 8), strict=True))
    ]
    random = np.random.default_rng(15)
    weights = {f"w{place}": random.normal(size=(4, 3, side, side)) for place, side in enumerate((2, 4, 8))}
    inputs = [helper.make_tensor_value_info(pixels, _FLOAT, [1, 3, SIDE, SIDE])]
    outputs = [helper.make_tensor_value_info(name, _FLOAT, None) for name in EMBEDDINGS]
    _save(path, [*made, *nodes], inputs, outputs, weights)


def decoder(path: Path, *, masks: str = "pred_masks") -> None:
    cells = np.stack(np.meshgrid(np.arange(GRID) + 0.5, np.arange(GRID) + 0.5))[None]
    weights = {
        "cells": cells,
        "scale": np.array(GRID / SIDE),
        "halves": np.array(HALVES).reshape(1, 2, 1, 1),
        "kernel": np.random.default_rng(16).normal(size=(1, 4, 1, 1)),
        "scores": np.array([[[0.9, 0.6, 0.3]]]),
    }
    whole = {"column": [1, 2, 1, 1], "all": [1, 1, 3, GRID, GRID]}
    nodes = [
        helper.make_node("Mul", ["input_points", "scale"], ["scaled"]),
        helper.make_node("Reshape", ["scaled", "column"], ["at"]),
        helper.make_node("Sub", ["cells", "at"], ["off"]),
        helper.make_node("Abs", ["off"], ["far"]),
        helper.make_node("ReduceMax", ["far"], ["farthest"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["halves", "farthest"], ["squares"]),
        helper.make_node("Conv", ["image_embeddings.1", "kernel"], ["random"]),
        helper.make_node("Concat", ["squares", "random"], ["three"], axis=1),
        helper.make_node("Reshape", ["three", "all"], [masks]),
        helper.make_node("Identity", ["scores"], ["iou_scores"]),
    ]
    inputs = [
        helper.make_tensor_value_info("input_points", _FLOAT, [1, 1, "points", 2]),
        helper.make_tensor_value_info("input_labels", _INT64, [1, 1, "points"]),
        helper.make_tensor_value_info("input_boxes", _FLOAT, [1, "boxes", 4]),
        *(helper.make_tensor_value_info(name, _FLOAT, None) for name in EMBEDDINGS),
    ]
    outputs = [helper.make_tensor_value_info(name, _FLOAT, None) for name in (masks, "iou_scores")]
    _save(path, nodes, inputs, outputs, weights, whole)


def endless_encoder(path: Path) -> None:
    """It asks for 16 TB of memory."""
    shape = helper.make_tensor("shape", _INT64, [2], [1 << 21, 1 << 21])
    constant = helper.make_node("Constant", [], ["endless_shape"], value=shape)
    encoder(path, nodes=[constant, helper.make_node("ConstantOfShape", ["endless_shape"], ["endless"])])


def _save(  # noqa: PLR0913 - a graph has as many parts
    path: Path,
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    weights: dict[str, np.ndarray],
    shapes: dict[str, list[int]] | None = None,
) -> None:
    constants = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    constants += [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in (shapes or {}).items()]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
