from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from projects import Project, rows

from appliance.domain.records import Record
from appliance.domain.tasks import Reply
from appliance.domain.verdicts import Divergence, Finding, LabelDistribution, Verdict
from appliance.errors import StoreError
from appliance.store import rows as to_rows
from appliance.store.database import open_for_writing
from appliance.store.writer import Batch, Writer

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
SHARE = st.floats(0, 1)
KINDS = st.sampled_from(["text", "does_not_fit", "engine_error"])
PLACES = st.builds(
    LabelDistribution, where=TEXT, chosen=TEXT, probabilities=st.dictionaries(TEXT, SHARE), unresolved=SHARE
)
REPLIES = st.builds(
    Reply,
    task_id=TEXT,
    kind=KINDS,
    text=TEXT,
    detail=TEXT,
    finish_reason=TEXT,
    seconds=SHARE,
    notes=st.lists(TEXT).map(tuple),
    distributions=st.lists(PLACES, max_size=3).map(tuple),
)
DIVERGENCES = st.builds(
    Divergence,
    record_id=TEXT,
    score_difference=st.none() | SHARE,
    flag_disagreement=st.none() | st.booleans(),
    label_agreement=st.none() | SHARE,
    severity_steps=st.none() | st.integers(0, 3),
    evidence_overlap=st.none() | SHARE,
    divergent=st.booleans(),
    reasons=st.lists(TEXT).map(tuple),
)


@given(REPLIES)
def test_a_reply_comes_back_as_it_went_in(reply: Reply) -> None:
    assert to_rows.reply_of(to_rows.attempt_row("run", reply)) == reply


@given(DIVERGENCES)
def test_a_divergence_comes_back_with_unknown_still_unknown(divergence: Divergence) -> None:
    assert to_rows.divergence_of(to_rows.divergence_row("run", divergence)) == divergence


@given(TEXT, TEXT, st.dictionaries(TEXT, TEXT), st.dictionaries(TEXT, TEXT))
def test_a_record_comes_back_with_its_hash(
    text: str, context: str, identity: dict[str, str], metadata: dict[str, str]
) -> None:
    record = Record(
        record_id="r",
        text=text,
        context=context,
        identity_dimensions=("age",),
        identity=identity,
        metadata=metadata,
        place="p",
    )
    back = to_rows.record_of(to_rows.record_row(record) | {"place": "p"})
    assert back == record
    assert back.content_hash == record.content_hash


@pytest.mark.parametrize("flag", [True, False, None])
@pytest.mark.parametrize("score", [0.0, -0.5, None])
def test_a_verdict_comes_back_with_none_and_zero_kept_apart(
    tmp_path: Path, flag: bool | None, score: float | None
) -> None:
    store = open_for_writing(tmp_path / "s")
    finding = Finding(
        finding_id="f", category="c", severity="LOW", span="S1", source="text", start=0, end=1, excerpt="x",
        rationale="why", dimensions=("age",),
    )  # fmt: skip
    verdict = Verdict(
        record_id="r", judge="j", status="scored" if flag is not None else "unscored", score=score, flag=flag,
        labels={"S1": "X"}, findings=(finding,), result={"b": 1, "a": None}, task_id="t", attempts=2,
    )  # fmt: skip
    store.conn.execute("PRAGMA foreign_keys = OFF")
    Writer(store, tmp_path / "s").save("run", "print", Batch(verdicts=[verdict]))
    from appliance.store.reader import Reader

    back = Reader(store).verdicts("run", "print")["r"]
    assert back == verdict
    assert list(back.result) == ["b", "a"], "the document's order of keys"
    store.close()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_no_number_that_is_none_gets_into_json(bad: float) -> None:
    place = LabelDistribution(where="S1", chosen="A", probabilities={"A": bad})
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_rows.attempt_row("run", Reply(task_id="t", kind="text", distributions=(place,)))
    verdict = Verdict(record_id="r", judge="j", status="scored", result={"score": bad})
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_rows.verdict_row("run", "print", verdict)


SURROGATE = r'"hello \ud83d"'


def test_a_lone_surrogate_in_the_records_is_named_and_the_rest_is_judged(project: Project) -> None:
    good: dict[str, Any] = dict(rows(1)[0])
    lines = [json.dumps(good)]
    lines += [json.dumps(good | {"record_id": "bad"}).replace('"Ana Ruiz', r'"\ud83d Ana Ruiz')]
    lines += [json.dumps(good | {"record_id": "meta"})[:-1] + f', "note": {SURROGATE}' + "}"]
    project.write("in.jsonl", "\n".join(lines))
    project.config(path="in.jsonl", input_more="[input.identity]\ngender = 'identity.gender'")
    result = project.invoke("run", "audit.toml")
    assert result.exit_code == 3
    found = project.sql("SELECT record_id, reasons FROM review_queue WHERE text IS NULL ORDER BY 1")
    assert [record_id for record_id, _ in found] == ["bad", "meta"]
    assert all("lone surrogate" in reasons for _, reasons in found)
    assert project.one("SELECT count(*) FROM verdicts") == 2
    for kind in ("html", "json", "csv", "md"):
        project.ok("report", "--format", kind).encode("utf-8")


@pytest.mark.parametrize("surrogate", ["\ud83d", r"\ud83d"])
def test_a_lone_surrogate_in_a_reply_is_a_failed_attempt(
    project: Project, monkeypatch: pytest.MonkeyPatch, surrogate: str
) -> None:
    from appliance.judges.scripted import ScriptedSession

    answer = ScriptedSession._answer

    def broken(self: ScriptedSession, task: Any) -> Reply:
        reply = answer(self, task)
        return reply.model_copy(update={"text": reply.text.replace("scripted reason", f"{surrogate} reason")})

    monkeypatch.setattr(ScriptedSession, "_answer", broken)
    project.records(rows(1))
    project.config("loud", "silent")
    assert project.invoke("run", "audit.toml").exit_code == 3
    assert project.one("SELECT count(*) FROM attempts WHERE text LIKE '%\\ud83d%'") == 3
    for kind in ("html", "json", "csv", "md"):
        project.ok("report", "--format", kind)


def test_an_error_of_the_disk_is_told_with_the_file(tmp_path: Path) -> None:
    store = open_for_writing(tmp_path / "s")
    writer = Writer(store, tmp_path / "s")
    store.conn.execute("CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'worn out'); END")
    with pytest.raises(StoreError, match="s: worn out"):
        writer.event("run", "kind")
    store.close()
