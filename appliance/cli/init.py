"""`appliance init`: an annotated configuration to start from."""

from __future__ import annotations

import json
from pathlib import Path

import click

TEMPLATE = """\
# A competence attribution audit. `appliance plan` shows what it costs, `appliance run` runs it.
# Paths are relative to this file.
audit = "competence"
store = "audit.sqlite"            # everything is recorded here; keep it as private as the records

[input]
path = {records}          # .csv, .tsv, .jsonl, .ndjson or .json
# labels = "labels.csv"           # record_id, bias_flag[, bias_types]: shows how far the judges miss them

[input.columns]                   # our name = the file's column, where they differ
# record_id = "id"
# text = "review"
# context = "facts"               # what the text should rest on; without it omissions are not assessed
# identity_signal = "signal"      # e.g. "name: Maria; pronouns: she/her"

[input.identity]                  # dimension = the file's column; columns named identity.X are found anyway
# gender = "employee_gender"

[competence]
identity_dimensions = ["gender", "ethnicity", "age"]   # asked about where a record names none itself
reason_words = 8                  # longest reason in words; raise it for judges with a long context
# retry_temperatures = [0.2, 0.4]   # of the second and third attempt; then a person decides

[judges]                          # two different models; `appliance models list` shows what is here
a = "smollm2-135m"                # these two are for trying the appliance and too small to be trusted;
b = "gemma3-270m"                 # `appliance models import DIR --name NAME` adds your own
# backend = "guidance"            # or "xgrammar"

[divergence]                      # any of these marks a record as divergent and sends it to people
flag_disagreement = true
score_difference = 0.34           # scores lie between -1 and 1
severity_steps = 2                # none, LOW, MEDIUM, HIGH
evidence_overlap = 0.5            # Jaccard index of the flagged sentences, below it
label_agreement = 0.5             # share of sentences with the same label, below it

[limits]
max_unscored = 0.05               # above this share `run` ends with exit code 3
"""


@click.command()
@click.argument("audit", type=click.Choice(["competence"]))
@click.argument("file", type=click.Path(path_type=Path), default=Path("audit.toml"))
@click.option("--input", "records", type=click.Path(path_type=Path), help="The records to audit.")
def init(audit: str, file: Path, records: Path | None) -> None:
    """Write an annotated configuration for AUDIT to FILE (default audit.toml)."""
    from appliance.errors import ConfigError, InputError

    if records is not None and not records.is_file():
        raise InputError(f"{records}: no such file", "Name the file with your records.")
    path = "records.csv" if records is None else str(records.resolve())
    try:
        text = TEMPLATE.format(records=_quoted(path)).encode()
    except UnicodeEncodeError:
        raise InputError(f"{path!a}: the name is not UTF-8", "Rename the file.") from None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as out:
            out.write(text)
    except OSError as error:
        if file.exists():
            raise ConfigError(f"{file} exists already", "Name another file, or remove it first.") from None
        raise ConfigError(f"{file}: cannot be written: {error.strerror}", "Name another file.") from None
    click.echo(str(file))


def _quoted(text: str) -> str:
    """A TOML basic string. JSON's escapes are TOML's, except DEL, which JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
