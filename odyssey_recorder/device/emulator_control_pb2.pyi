from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EmulatorStatus(_message.Message):
    __slots__ = ("hardwareConfig",)
    HARDWARECONFIG_FIELD_NUMBER: _ClassVar[int]
    hardwareConfig: EntryList
    def __init__(self, hardwareConfig: _Optional[_Union[EntryList, _Mapping]] = ...) -> None: ...

class EntryList(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: _containers.RepeatedCompositeFieldContainer[Entry]
    def __init__(self, entry: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ImageFormat(_message.Message):
    __slots__ = ("format", "rotation", "width", "height", "transport")
    class ImgFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PNG: _ClassVar[ImageFormat.ImgFormat]
        RGB888: _ClassVar[ImageFormat.ImgFormat]
    PNG: ImageFormat.ImgFormat
    RGB888: ImageFormat.ImgFormat
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    format: ImageFormat.ImgFormat
    rotation: Rotation
    width: int
    height: int
    transport: ImageTransport
    def __init__(self, format: _Optional[_Union[ImageFormat.ImgFormat, str]] = ..., rotation: _Optional[_Union[Rotation, _Mapping]] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., transport: _Optional[_Union[ImageTransport, _Mapping]] = ...) -> None: ...

class Rotation(_message.Message):
    __slots__ = ("rotation",)
    class SkinRotation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PORTRAIT: _ClassVar[Rotation.SkinRotation]
        LANDSCAPE: _ClassVar[Rotation.SkinRotation]
        REVERSE_PORTRAIT: _ClassVar[Rotation.SkinRotation]
        REVERSE_LANDSCAPE: _ClassVar[Rotation.SkinRotation]
    PORTRAIT: Rotation.SkinRotation
    LANDSCAPE: Rotation.SkinRotation
    REVERSE_PORTRAIT: Rotation.SkinRotation
    REVERSE_LANDSCAPE: Rotation.SkinRotation
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    rotation: Rotation.SkinRotation
    def __init__(self, rotation: _Optional[_Union[Rotation.SkinRotation, str]] = ...) -> None: ...

class ImageTransport(_message.Message):
    __slots__ = ("channel", "handle")
    class TransportChannel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TRANSPORT_CHANNEL_UNSPECIFIED: _ClassVar[ImageTransport.TransportChannel]
        MMAP: _ClassVar[ImageTransport.TransportChannel]
    TRANSPORT_CHANNEL_UNSPECIFIED: ImageTransport.TransportChannel
    MMAP: ImageTransport.TransportChannel
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    channel: ImageTransport.TransportChannel
    handle: str
    def __init__(self, channel: _Optional[_Union[ImageTransport.TransportChannel, str]] = ..., handle: _Optional[str] = ...) -> None: ...

class Image(_message.Message):
    __slots__ = ("format", "image", "seq", "timestampUs")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPUS_FIELD_NUMBER: _ClassVar[int]
    format: ImageFormat
    image: bytes
    seq: int
    timestampUs: int
    def __init__(self, format: _Optional[_Union[ImageFormat, _Mapping]] = ..., image: _Optional[bytes] = ..., seq: _Optional[int] = ..., timestampUs: _Optional[int] = ...) -> None: ...

class TouchEvent(_message.Message):
    __slots__ = ("touches",)
    TOUCHES_FIELD_NUMBER: _ClassVar[int]
    touches: _containers.RepeatedCompositeFieldContainer[Touch]
    def __init__(self, touches: _Optional[_Iterable[_Union[Touch, _Mapping]]] = ...) -> None: ...

class Touch(_message.Message):
    __slots__ = ("x", "y", "pressure")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    pressure: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ..., pressure: _Optional[int] = ...) -> None: ...

class KeyboardEvent(_message.Message):
    __slots__ = ("eventType", "key")
    class KeyEventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        keydown: _ClassVar[KeyboardEvent.KeyEventType]
        keypress: _ClassVar[KeyboardEvent.KeyEventType]
    keydown: KeyboardEvent.KeyEventType
    keypress: KeyboardEvent.KeyEventType
    EVENTTYPE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    eventType: KeyboardEvent.KeyEventType
    key: str
    def __init__(self, eventType: _Optional[_Union[KeyboardEvent.KeyEventType, str]] = ..., key: _Optional[str] = ...) -> None: ...

class ClipData(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...
