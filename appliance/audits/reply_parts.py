"""Parts that replies are made of: short reasons that end as sentences, confidences, closed objects."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from appliance.domain.tasks import Decision

MIN_WORDS = 3
# Long enough for any word of English, so that no word is cut: the longest in use have about 20 letters.
_WORD = r"([A-Za-z]{1,20}|[A-Za-z]{1,8}['-][A-Za-z]{1,11}|[0-9]{1,6}%?)"
# The whole sentence is bounded more tightly than so many longest words; real words average five letters.
_LETTERS_A_WORD = 15

# Numbers as the grammar must list them: bounds on numbers are ignored by some back ends.
TENTHS = [round(tenth / 10, 1) for tenth in range(11)]


def _tenth(value: float) -> float:
    if value not in TENTHS:
        raise ValueError("Input should be one of 0.0, 0.1, ..., 1.0")
    return value


Confidence = Annotated[float, AfterValidator(_tenth), WithJsonSchema({"enum": TENTHS})]

create: Any = create_model  # made from values: what the fields are is known only at run time


class Closed(BaseModel):
    """An object without further keys: without it a judge invents keys until the budget ends."""

    model_config = ConfigDict(extra="forbid")


def sentence_type(words: int) -> Any:
    """A string of MIN_WORDS to `words` ASCII words, commas between them allowed, ending in a full stop."""
    pattern = rf"^{_WORD}(,? {_WORD}){{{MIN_WORDS - 1},{words - 1}}}\.$"
    bounded = {"type": "string", "pattern": pattern, "maxLength": words * _LETTERS_A_WORD}
    return Annotated[str, Field(pattern=pattern), WithJsonSchema(bounded)]


def choice(where: str, key: str, labels: tuple[str, ...]) -> Decision:
    """Where the reply chooses a label of the object `where`."""
    return Decision(
        where=f"{where}.{key}", path=(where, key), alternatives={label: f'"{label}"' for label in labels}
    )
