"""Task templates of an intersectional audit: template_id and text, from any table that records come from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from appliance.domain.grids import Template
from appliance.errors import InputError
from appliance.records.cells import cell_text, is_blank, storable
from appliance.records.columns import find_column, has_columns
from appliance.records.readers import read_table

FIELDS = ("template_id", "text")


def read_templates(path: Path) -> tuple[Template, ...]:
    """In file order. InputError, naming file and line: as `read_records` does for the file, a missing column,
    an empty or duplicate id, an empty text, no template at all."""
    table = read_table(path, partial(has_columns, wanted=FIELDS))
    columns = [find_column(field, table.columns) for field in FIELDS]
    for field, column in zip(FIELDS, columns, strict=True):
        if column is None:
            raise InputError(f"{table.name}: no column '{field}'", "Templates have template_id and text.")
    found: dict[str, Template] = {}
    for row in table.rows:
        template_id, text = (storable(cell_text(row.cells.get(column or ""))) for column in columns)
        template_id = template_id.strip()
        if not template_id or is_blank(text) or "\0" in template_id + text:
            raise InputError(f"{row.place}: template_id or text is empty", "Give both.")
        if template_id in found:
            raise InputError(f"{row.place}: '{template_id}' stands there twice", "Keep one.")
        found[template_id] = Template(template_id=template_id, text=text, place=row.place)
    if not found:
        raise InputError(f"{table.name}: no templates", "Check that the file has rows under its header.")
    return tuple(found.values())
