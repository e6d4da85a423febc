"""The messages of the emulator's gRPC service: names and field numbers."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

PACKAGE = "android.emulation.control"

# One line per message: type, name and number of each field. Enums are declared as int32, which has the same encoding.
_MESSAGES: Mapping[str, str] = {
    "Nothing": "",
    "Entry": "string key 1, string value 2",
    "EntryList": "repeated Entry entry 1",
    "EmulatorStatus": "string version 1, uint64 uptime 2, bool booted 3, EntryList hardwareConfig 5",
    "Rotation": "int32 rotation 1",
    "ImageTransport": "int32 channel 1, string handle 2",
    "FoldedDisplay": "uint32 width 1, uint32 height 2, uint32 xOffset 3, uint32 yOffset 4",
    "ImageFormat": (
        "int32 format 1, Rotation rotation 2, uint32 width 3, uint32 height 4, uint32 display 5,"
        " ImageTransport transport 6, FoldedDisplay foldedDisplay 7"
    ),
    "Image": "ImageFormat format 1, bytes image 4, uint32 seq 5, uint64 timestampUs 6",
    "Touch": "int32 x 1, int32 y 2, int32 identifier 3, int32 pressure 4, int32 expiration 7",
    "TouchEvent": "repeated Touch touches 1, int32 display 2",
    "KeyboardEvent": "int32 codeType 1, int32 eventType 2, int32 keyCode 3, string key 4, string text 5",
    "ClipData": "string text 1",
    "Posture": "int32 value 3",
}
_SCALARS: Mapping[str, FieldDescriptorProto.Type.ValueType] = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "string": FieldDescriptorProto.TYPE_STRING,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
}


class ImgFormat(IntEnum):
    PNG = 0
    RGBA8888 = 1
    RGB888 = 2


class Channel(IntEnum):
    UNSPECIFIED = 0
    MMAP = 1


class CodeType(IntEnum):
    USB = 0
    EVDEV = 1


class EventType(IntEnum):
    KEYDOWN = 0
    KEYUP = 1
    KEYPRESS = 2


class Expiration(IntEnum):
    UNSPECIFIED = 0
    NEVER_EXPIRE = 1


class PostureValue(IntEnum):
    CLOSED = 1
    HALF_OPENED = 2
    OPENED = 3


def _pool() -> DescriptorPool:
    file = FileDescriptorProto(name="emulator_controller.proto", package=PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        message.field.extend(_field(description) for description in fields.split(",") if description)
    pool = DescriptorPool()
    pool.Add(file)
    return pool


def _field(description: str) -> FieldDescriptorProto:
    *repeated, kind, name, number = description.split()
    label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
    field = FieldDescriptorProto(name=name, number=int(number), label=label)
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type = FieldDescriptorProto.TYPE_MESSAGE
        field.type_name = f".{PACKAGE}.{kind}"
    return field


_POOL = _pool()


def _message(name: str) -> Any:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.{name}"))


Nothing = _message("Nothing")
"""Same wire format as google.protobuf.Empty: a message without fields."""

EmulatorStatus = _message("EmulatorStatus")
ImageFormat = _message("ImageFormat")
Image = _message("Image")
TouchEvent = _message("TouchEvent")
KeyboardEvent = _message("KeyboardEvent")
ClipData = _message("ClipData")
Posture = _message("Posture")
