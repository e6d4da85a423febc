"""A gRPC service with scripted answers, for what the simulated emulator never does."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message

from odyssey_recorder.device import emulator_control_pb2 as pb
from odyssey_recorder.device.discovery import ControlEndpoint
from odyssey_recorder.device.jwt import Credentials

SIZE = (4, 6)
LENGTH = SIZE[0] * SIZE[1] * 3


def image(
    seq: int = 0,
    *,
    age_s: float | None = 0.0,
    pixels: bytes | None = None,
    size: tuple[int, int] = SIZE,
    rotation: pb.Rotation | None = None,
) -> pb.Image:
    return pb.Image(
        format=pb.ImageFormat(format=pb.ImageFormat.RGB888, width=size[0], height=size[1], rotation=rotation),
        image=bytes([seq % 256]) * LENGTH if pixels is None else pixels,
        seq=seq,
        timestampUs=0 if age_s is None else int((time.time() - age_s) * 1e6),
    )


class ScriptedService:
    """`requests` lists the requests received; `error`, once set, is the answer to every request."""

    def __init__(self) -> None:
        self.screenshot: Callable[[pb.ImageFormat], pb.Image] = lambda _: image()
        self.stream: Callable[[pb.ImageFormat], Iterator[pb.Image]] = lambda _: iter([image()])
        self.error: grpc.StatusCode | None = None
        self.requests: list[Message] = []
        self.metadata: list[dict[str, Any]] = []
        self.stopped = threading.Event()
        self._server = grpc.server(ThreadPoolExecutor(4), handlers=[self._handlers()])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> "ScriptedService":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.stop(None).wait()

    def keep_open(self, *images: pb.Image) -> Iterator[pb.Image]:
        """Send these frames, then nothing until the server stops."""
        yield from images
        self.stopped.wait(30)

    def _handlers(self) -> grpc.GenericRpcHandler:
        unary: dict[str, tuple[type[Message], Callable[[Any], Message]]] = {
            "getStatus": (Empty, lambda _: pb.EmulatorStatus()),
            "getScreenshot": (pb.ImageFormat, lambda request: self.screenshot(request)),
            "sendTouch": (pb.TouchEvent, lambda _: Empty()),
            "sendKey": (pb.KeyboardEvent, lambda _: Empty()),
            "getClipboard": (Empty, lambda _: pb.ClipData(text="old")),
            "setClipboard": (pb.ClipData, lambda _: Empty()),
        }
        table: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(
                self._answering(answer),
                request_deserializer=request.FromString,
                response_serializer=lambda message: message.SerializeToString(),
            )
            for name, (request, answer) in unary.items()
        }
        table["streamScreenshot"] = grpc.unary_stream_rpc_method_handler(
            self._answering(lambda request: self.stream(request)),
            request_deserializer=pb.ImageFormat.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )
        return grpc.method_handlers_generic_handler("android.emulation.control.EmulatorController", table)

    def _answering(self, answer: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
        def answer_or_fail(request: Any, context: grpc.ServicerContext) -> Any:
            self.requests.append(request)
            self.metadata.append(dict(context.invocation_metadata()))
            if self.error is not None:
                context.abort(self.error, "as scripted")
            return answer(request)

        return answer_or_fail


def with_token(token: str) -> Credentials:
    """An empty token is that of an open service."""
    return Credentials(ControlEndpoint("emulator-1", 1, token))
