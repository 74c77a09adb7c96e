"""Every error that a user can meet.

    ApplianceError
    ├── ConfigError       the configuration file: missing, not TOML, unknown or wrong value
    ├── InputError        the records: missing file, wrong column, duplicate id, empty text
    ├── PromptError       a prompt file: missing, or its placeholders do not match
    ├── ModelError        a judge model: unknown, no weights, digest mismatch, refused import
    ├── EngineError       the worker or the engine: cannot start, canary failed, died
    ├── StoreError        the SQLite file: not ours, locked, disk full
    ├── UnknownIdError    a run, record or finding that the store does not hold
    ├── GateError         exit 1: the run is complete and its gate does not pass
    └── IncompleteError   exit 3: interrupted, or more unscored than the configuration allows

`message` says what is wrong and where; `hint` says what to do about it.
"""

from __future__ import annotations


class ApplianceError(Exception):
    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(ApplianceError):
    pass


class InputError(ApplianceError):
    pass


class PromptError(ApplianceError):
    pass


class ModelError(ApplianceError):
    pass


class EngineError(ApplianceError):
    pass


class StoreError(ApplianceError):
    pass


class UnknownIdError(ApplianceError):
    pass


class GateError(ApplianceError):
    exit_code = 1


class IncompleteError(ApplianceError):
    exit_code = 3
