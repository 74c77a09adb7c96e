"""Kinds of values that settings share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

# No file system takes an empty path or one with a NUL; said here, the message names the setting.
FilePath = Annotated[str, Field(pattern=r"^[^\x00]+$")]
NoFile = Annotated[str, Field(pattern=r"^[^\x00]*$")]  # "" for none
Temperature = Annotated[float, Field(ge=0, le=2)]
Mitigation = Literal["name redaction", "order randomisation", "length normalisation"]
HarmLevel = Literal["Low", "Medium", "High", "Critical"]
