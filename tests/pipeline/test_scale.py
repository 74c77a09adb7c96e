"""Work must grow with the number of records, not with its square: counted in statements, not seconds."""

from __future__ import annotations

from typing import Any

import pytest
from projects import Project, rows

from appliance.pipeline.kinds import build_report
from appliance.pipeline.plan import make_plan
from appliance.pipeline.prepare import prepare
from appliance.store import database


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every SQL statement that runs on connections of the store."""
    seen: list[str] = []
    connect = database._connect

    def watched(path: Any) -> Any:
        connection = connect(path)
        connection.set_trace_callback(seen.append)
        return connection

    monkeypatch.setattr(database, "_connect", watched)
    return seen


def counted(project: Project, statements: list[str], count: int, *command: str) -> int:
    project.records(rows(count))
    project.config(store=f"s{count}.sqlite", name=f"{count}.toml")
    project.ok("run", f"{count}.toml")
    statements.clear()
    project.ok(*command, "--store", f"s{count}.sqlite")
    return len(statements)


@pytest.mark.parametrize("command", [("report",), ("divergence",), ("runs", "show")])
def test_reading_a_run_takes_as_many_statements_whatever_its_size(
    project: Project, statements: list[str], command: tuple[str, ...]
) -> None:
    few = counted(project, statements, 4, *command)
    many = counted(project, statements, 40, *command)
    assert few == many < 40


def test_a_runs_statements_grow_with_its_records_only(project: Project, statements: list[str]) -> None:
    found = {}
    for count in (10, 20, 40):
        project.records(rows(count))
        project.config(store=f"s{count}.sqlite", name=f"{count}.toml")
        statements.clear()
        project.ok("run", f"{count}.toml")
        found[count] = len(statements)
    assert found[40] - found[20] == pytest.approx(2 * (found[20] - found[10]), rel=0.1)


def test_records_of_one_shape_share_one_grammar(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from appliance.config import load_config, project_root
    from appliance.pipeline import plan
    from appliance.pipeline import prepare as preparing

    made: list[object] = []
    schema, longest = preparing.reply_schema, plan.longest_reply
    preparing._schema.cache_clear()
    plan._budget.cache_clear()
    monkeypatch.setattr(preparing, "reply_schema", lambda *a: made.append(a) or schema(*a))
    monkeypatch.setattr(plan, "longest_reply", lambda *a: made.append(a) or longest(*a))
    project.records(rows(30))
    prepared = prepare(load_config(project.config()), project_root())
    assert make_plan(prepared).judges[0].calls == 30
    assert len(made) == 2


def test_the_report_holds_each_record_once(project: Project) -> None:
    from appliance.cli.stores import reading

    project.records(rows(30))
    project.config()
    project.ok("run", "audit.toml")
    with reading(project.store) as reader:
        report = build_report(reader, "latest")
    assert [len(record.verdicts) for record in report.records] == [2] * 30
    assert [len(record.spans) for record in report.records] == [3] * 30
