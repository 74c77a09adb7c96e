"""Prompt files: `prompts/<audit>/<version>.md`, with sections `# system`, `# user`, `# repair`.

Placeholders are the documents' square brackets in capitals, e.g. [OUTPUT_UNDER_AUDIT]. What fills them is
untrusted and stays a segment of its own: our words and the audited text never meet before tokenization.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from appliance.domain.base import Frozen
from appliance.domain.tasks import Segment
from appliance.errors import PromptError

_PLACEHOLDER = re.compile(r"\[([A-Z][A-Z0-9_]+)\]")
_SECTION = re.compile(r"^# (\w+)[ \t]*\n", re.MULTILINE)
NOT_GIVEN = "(none given)"


class PromptTemplate(Frozen):
    """name: e.g. "competence/v1". sha256: of the file. sections: name -> text without outer white space."""

    name: str
    sha256: str
    sections: dict[str, str]


def load_prompt(root: Path, audit: str, version: str) -> PromptTemplate:
    """Read a prompt by audit and version. PromptError names the file and the versions that exist."""
    path = root / "prompts" / audit / f"{version}.md"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.md"))
        raise PromptError(f"{path}: no such prompt", f"Versions: {', '.join(known) or 'none'}.")
    return read_prompt(path, f"{audit}/{version}")


def read_prompt(path: Path, name: str) -> PromptTemplate:
    """Read any prompt file, e.g. the user's own. PromptError names the file."""
    try:
        raw = path.read_bytes()
        parts = _SECTION.split(raw.decode("utf-8"))[1:]
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path}: cannot be read as a prompt: {error}", "Check the file.") from None
    sections = {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}
    return PromptTemplate(name=name, sha256=hashlib.sha256(raw).hexdigest(), sections=sections)


def fill(template: PromptTemplate, section: str, values: Mapping[str, str]) -> tuple[Segment, ...]:
    """The section's segments with its placeholders filled, in one pass: a placeholder inside a value is
    text. A blank value becomes the trusted words "(none given)". PromptError when the section is missing
    or asks for a placeholder that `values` lacks."""
    if section not in template.sections:
        raise PromptError(f"{template.name}: no section '# {section}'", "Add it to the prompt file.")
    pieces = _PLACEHOLDER.split(template.sections[section])
    segments = []
    for index, piece in enumerate(pieces):
        segments.append(_value(template, piece, values) if index % 2 else Segment(text=piece, trusted=True))
    return tuple(s for s in segments if s.text)


def _value(template: PromptTemplate, name: str, values: Mapping[str, str]) -> Segment:
    if name not in values:
        raise PromptError(
            f"{template.name}: unknown placeholder [{name}]", f"Known: {', '.join(sorted(values))}."
        )
    text = values[name]
    return Segment(text=text, trusted=False) if text.strip() else Segment(text=NOT_GIVEN, trusted=True)
