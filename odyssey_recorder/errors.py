"""The tree of errors; each message can be shown to the user."""

from typing import Self


def showable(text: str) -> str:
    """Escapes lone surrogates, which no file or terminal can encode: file names need not be UTF-8."""
    return text.encode(errors="backslashreplace").decode()


class OdysseyError(Exception):
    """An error for the user; the message says what failed, on what, and what to do."""

    def __str__(self) -> str:
        return showable(super().__str__())


class DeviceError(OdysseyError): ...


class DeviceDisconnectedError(DeviceError):
    """Unplugged, offline, shut down, or its adb server died."""


class DeviceTimeoutError(DeviceError): ...


class InputRefusedError(DeviceError):
    """An input was not carried out as intended; its step must not be kept."""


class DatasetError(OdysseyError): ...


class MissingFileError(DatasetError): ...


class UnfitFileError(DatasetError, OSError):
    """A pipe, a device, too large, or a link that leads elsewhere; an OSError, as any other unreadable file."""

    def __str__(self) -> str:
        return showable(f"{self.filename} was not used: {self.strerror}.")


class InvalidEpisodeError(DatasetError):
    """The message names file, step and field."""


class RecordingError(OdysseyError):
    """What was recorded is kept."""


class ScriptError(OdysseyError):
    """The message names the line."""


class ReplayError(OdysseyError): ...


class SettingsError(OdysseyError): ...


class TrainingError(OdysseyError):
    """A sample, a recipe or a model that cannot be used."""


class SdkError(OdysseyError):
    """The message has the command that installs the missing part."""


class CancelledError(OdysseyError): ...


class TaskError(OdysseyError):
    """The message names line and key, or the task."""


class FilterError(OdysseyError):
    """`message` says what is wrong from character `start` to `end` of the filter, `hint` what to do."""

    def __init__(self, message: str, start: int = 0, end: int = 0, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".rstrip())
        self.message, self.start, self.end, self.hint = message, start, end, hint


class PracticeError(OdysseyError):
    """The message names the file."""


class ReviewError(OdysseyError):
    """The message names the episode or field."""


class LanguageModelError(OdysseyError):
    """The message never contains the API key. The tokens are what the request cost, as stated or as estimated."""

    tokens_in = 0
    tokens_out = 0
    is_estimated = False

    def costing(self, tokens_in: int, tokens_out: int, *, is_estimated: bool) -> Self:
        self.tokens_in, self.tokens_out, self.is_estimated = tokens_in, tokens_out, is_estimated
        return self


class ModelBusyError(LanguageModelError):
    """The question may be repeated after `wait_s` seconds, None if unknown; `for_all` concerns every question."""

    def __init__(self, message: str, wait_s: float | None = None, *, for_all: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.for_all = for_all


class ModelUnusableError(LanguageModelError):
    """No question can succeed until the user fixes the key, model name, address or quota."""


class TooLargeRequestError(LanguageModelError):
    """A smaller request may succeed."""


class RefusedRequestError(LanguageModelError):
    """The server would refuse the same request again, and perhaps every other."""


class AnswerError(LanguageModelError):
    """`raw` is the model's text."""

    def __init__(self, message: str, raw: str = "") -> None:
        super().__init__(message)
        self.raw = raw


class RefusedAnswerError(AnswerError): ...


class TruncatedAnswerError(AnswerError): ...


class BrokenAnswerError(AnswerError):
    """The text is not what was asked for."""


class BrokenReplyError(AnswerError):
    """There is no text of the model in what the server sent."""


class BudgetError(LanguageModelError):
    """Earlier answers are kept."""
