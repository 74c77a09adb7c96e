"""Bad input: exit 2, a message that names place and remedy, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from projects import Project, rows

GOOD = (
    "audit = 'competence'\n[input]\npath = 'records.csv'\n"
    "[judges]\na = 'scripted:keywords'\nb = 'scripted:silent'\n"
)
KEY = "record_id,text,identity.gender\n"


def files(folder: Path) -> dict[str, bytes | None]:
    """Every path under the folder with its content, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def refused(project: Project, command: str = "run", config: str = "audit.toml") -> str:
    """The message of a refusal, flattened; and that nothing was made or changed."""
    before = files(project.folder)
    result = project.invoke(command, config)
    assert files(project.folder) == before
    return message_of(result)


def message_of(result: Result) -> str:
    assert result.exit_code == 2, (result.exit_code, result.output)
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("checking records")]
    assert lines[0].startswith(("error: ", "Usage: "))
    assert lines[0].startswith("Usage: ") or lines[1].startswith("hint: "), lines
    return " ".join(lines)


CONFIGS: dict[str, tuple[str, str]] = {
    "broken TOML": (GOOD + "[limits\n", "cannot be read as TOML: Expected ']'"),
    "twice": (GOOD + "[judges]\n", "Cannot declare ('judges',) twice"),
    "unknown setting": (GOOD + "[limits]\nmax_unscord = 0.1\n", "limits.max_unscord: unknown setting"),
    "unknown table": (GOOD + "[limit]\n", "limit: unknown setting"),
    "wrong type": (
        GOOD + "[competence]\nreason_words = 'eight'\n",
        "competence.reason_words: input should be",
    ),
    "out of range": (GOOD + "[limits]\nmax_unscored = 5\n", "limits.max_unscored: input should be less than"),
    "not a number": (
        GOOD + "[divergence]\nscore_difference = nan\n",
        "divergence.score_difference: input should",
    ),
    "hot": (GOOD + "[competence]\nretry_temperatures = [0.2, 3.0]\n", "retry_temperatures.1: input should"),
    "infinitely hot": (
        GOOD + "[competence]\nretry_temperatures = [0.2, inf]\n",
        "retry_temperatures.1: input",
    ),
    "one temperature": (GOOD + "[competence]\nretry_temperatures = [0.2]\n", "retry_temperatures"),
    "seed": (GOOD.replace("[judges]", "[judges]\nseed = -1"), "judges.seed: input should be greater"),
    "no audit": (GOOD.replace("audit = 'competence'", ""), "audit: missing"),
    "other audit": (
        GOOD.replace("'competence'", "'competense'"),
        "input should be 'competence', 'judge-bias' or 'intersectional'",
    ),
    "no judge": (GOOD.replace("b = 'scripted:silent'", ""), "judges.b: missing"),
    "the folder": ("folder = '/'\n" + GOOD, "'folder' is not a setting"),
    "same judge": (GOOD.replace("silent", "keywords"), "judges.a and judges.b are both 'scripted:keywords'"),
    "unknown script": (GOOD.replace("silent", "silennt"), "Did you mean 'scripted:silent'? Known: "),
    "unknown judge": (
        GOOD.replace("scripted:silent", "smollm2-135n"),
        "Did you mean 'smollm2-135m'? Known: ",
    ),
    "path as judge": (GOOD.replace("scripted:silent", "../x"), "no judge model named '../x'"),
    "no prompt": (GOOD + "[competence]\nprompt = 'v9'\n", "no such prompt hint: Versions: v1"),
    "prompt elsewhere": (
        GOOD + "[competence]\nprompt = '../../x'\n",
        "competence.prompt: string should match",
    ),
    "no store": ("store = ''\n" + GOOD, "store: string should"),
    "NUL": ('store = "a\\u0000b"\n' + GOOD, "store: string should"),
    "nobody": ("store = '~nobody-here/x'\n" + GOOD, "~nobody-here/x: not a usable path"),
    "no records": (GOOD.replace("records.csv", "record.csv"), "record.csv: no such file"),
    "records in a folder": (GOOD.replace("records.csv", "."), "is a directory, not a file"),
    "records of no format": (GOOD.replace("records.csv", "audit.toml"), "records are not read from '.toml'"),
    "wrong column": (GOOD + "[input.columns]\ntext = 'review'\n", "'review'"),
    "no labels": (GOOD.replace("[judges]", "labels = 'l.csv'\n[judges]"), "l.csv: no such file"),
}


@pytest.mark.parametrize("command", ["run", "plan"])
@pytest.mark.parametrize("case", CONFIGS)
def test_a_wrong_configuration_is_refused_by_its_place(project: Project, case: str, command: str) -> None:
    text, expected = CONFIGS[case]
    project.records(rows(2))
    project.write("audit.toml", text)
    assert expected in refused(project, command)


RECORDS: dict[str, tuple[str | bytes, str]] = {
    "no column": ("id,text\n1,A\n", "record_id"),
    "duplicate ids": (KEY + "a,Ana led.,w\nb,Bo led.,m\na,Cy led.,m\n", "'a' on lines 2, 4"),
    "all empty": (
        KEY + "a,,w\nb,  ,m\n",
        "none of its 2 rows can be judged; the first, records.csv, line 2: empty",
    ),
    "no rows": (KEY, "records.csv"),
    "an empty file": ("", "records.csv"),
    "latin-1": (KEY.encode() + b"a,Jos\xe9 led.,w\n", "line 2: not UTF-8 (byte 0xe9"),
    "no dimension": ("record_id,text\na,Ana led.\n", "no identity dimension"),
}


@pytest.mark.parametrize("command", ["run", "plan"])
@pytest.mark.parametrize("case", RECORDS)
def test_wrong_records_are_refused_by_their_place(project: Project, case: str, command: str) -> None:
    content, expected = RECORDS[case]
    project.write("records.csv", content)
    project.config()
    assert expected in refused(project, command)


def test_labels_for_strangers_are_refused(project: Project) -> None:
    project.records(rows(2))
    project.write("labels.csv", "record_id,bias_flag\nr0,true\nr77,false\n")
    project.config(input_more="labels = 'labels.csv'")
    assert "labels for records that the input does not have: r77" in refused(project)


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_configuration_that_is_not_there_is_refused(project: Project, command: str) -> None:
    assert "nowhere.toml: no such file hint: `appliance init competence`" in refused(
        project, command, "nowhere.toml"
    )
    assert "is a directory" in refused(project, command, ".")


def test_a_judge_without_weights_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    shutil.copytree(root / "prompts", project.folder / "home" / "prompts")
    (project.folder / "home" / "models").mkdir()
    shutil.copy(root / "models" / "smollm2-135m.toml", project.folder / "home" / "models")
    monkeypatch.setenv("APPLIANCE_HOME", str(project.folder / "home"))
    project.records(rows(1))
    project.write("audit.toml", GOOD.replace("scripted:silent", "smollm2-135m"))
    for command in ("run", "plan"):
        assert "models provision smollm2-135m" in refused(project, command)


def test_a_home_without_prompts_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPLIANCE_HOME", str(project.folder))
    project.records(rows(1))
    project.config()
    assert "no prompts/ folder there hint: Set APPLIANCE_HOME" in refused(project)


def text_file(path: Path) -> None:
    path.write_text("This is not a database. " * 100, "utf-8")


def other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (name)")
    connection.close()


def newer_store(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE _migrations (name TEXT PRIMARY KEY)")
        connection.executemany(
            "INSERT INTO _migrations VALUES (?)", [("0001_tables",), ("0009_from_the_future",)]
        )
    connection.close()


def fifo(path: Path) -> None:
    os.mkfifo(path)


STORES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a text file": (text_file, "file is not a database"),
    "another database": (other_database, "not a store of this version of the appliance"),
    "a newer store": (newer_store, "0009_from_the_future"),
    "a directory": (Path.mkdir, "a directory, so not a store"),
    "a pipe": (fifo, "not a plain file"),
}


@pytest.mark.parametrize("command", ["run", "plan", "runs list"])
@pytest.mark.parametrize("case", STORES)
def test_what_is_not_a_store_is_refused_and_left_as_it_is(project: Project, case: str, command: str) -> None:
    make, expected = STORES[case]
    make(project.store)
    project.records(rows(1))
    project.config()
    before = files(project.folder)
    what = ["audit.toml"] if command != "runs list" else ["--store", str(project.store)]
    assert expected in message_of(project.invoke(*command.split(), *what))
    assert files(project.folder) == before


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_store_where_no_file_can_be_is_refused(project: Project, command: str) -> None:
    project.records(rows(1))
    project.config(store="records.csv/audit.sqlite")
    assert "records.csv is not a folder" in refused(project, command)
    project.config(store="x" * 300)
    assert "File name too long" in refused(project, command)


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root writes anywhere")
def test_a_folder_without_write_access_is_refused(project: Project) -> None:
    locked = project.folder / "locked"
    locked.mkdir(mode=0o555)
    project.records(rows(1))
    project.config(store="locked/deeper/audit.sqlite")
    code = project.fork("run", project.folder / "audit.toml", first=as_nobody(project.folder))
    assert os.waitstatus_to_exitcode(os.waitpid(code, 0)[1]) == 2
    assert "locked is not a writable folder" in project.said()
    assert list(locked.iterdir()) == []


def as_nobody(folder: Path) -> Callable[[], None]:
    """For a child started by root: give its rights up. The path down to the folder must be open."""
    if os.geteuid() != 0:
        return lambda: None
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    return lambda: os.setuid(65534)


@pytest.fixture
def done(project: Project) -> Project:
    project.records(rows(4))
    project.config()
    project.ok("run", "audit.toml")
    return project


def test_reading_without_a_store_says_how_to_make_one(project: Project) -> None:
    for command in (["runs", "list"], ["report"], ["divergence"], ["explain", "abc"], ["runs", "show"]):
        message = message_of(project.invoke(*command))
        assert "audit.sqlite: no store there yet hint: `appliance run CONFIG` makes it." in message
    assert list(project.folder.iterdir()) == []


@pytest.mark.parametrize("command", ["report", "divergence", "runs show"])
def test_an_unknown_or_ambiguous_run_is_refused_with_those_there_are(done: Project, command: str) -> None:
    done.ok("run", "audit.toml", "--fresh")
    known = done.one("SELECT run_id FROM runs ORDER BY rowid DESC")
    message = message_of(done.invoke(*command.split(), "1999"))
    assert "no run '1999'" in message
    assert known in message
    assert "2 runs begin with '2'" in message_of(done.invoke(*command.split(), "2"))
    assert "no run '%'" in message_of(done.invoke(*command.split(), "%"))


@pytest.mark.parametrize("wrong", ["nothing", "%", "_", "____________", "", "'; DROP TABLE runs; --"])
def test_an_unknown_finding_is_refused_whatever_is_in_it(done: Project, wrong: str) -> None:
    assert f"no finding '{wrong}'" in message_of(done.invoke("explain", wrong))
    finding = done.one("SELECT finding_id FROM findings")
    assert "no finding" in message_of(done.invoke("explain", finding[:4] + "_" + finding[5:]))
    assert "no finding" in message_of(done.invoke("explain", finding[:4] + "%"))


def test_an_ambiguous_finding_is_refused(project: Project) -> None:
    project.records(rows(40, hedged=lambda n: True))
    project.config()
    project.ok("run", "audit.toml")
    first = [finding[0] for (finding,) in project.sql("SELECT finding_id FROM findings")]
    twice = next(c for c in first if first.count(c) > 1)
    assert f"several findings begin with '{twice}'" in message_of(project.invoke("explain", twice))


@pytest.mark.parametrize("place", ["out", "records.csv/r.html", "x" * 250 + ".html"])
def test_a_report_that_cannot_be_written_leaves_nothing(done: Project, place: str) -> None:
    (done.folder / "out").mkdir()
    before = files(done.folder)
    message = message_of(done.invoke("report", "-o", place, "--format", "html"))
    assert "cannot be written" in message
    assert files(done.folder) == before


def test_an_unknown_format_is_refused(done: Project) -> None:
    before = files(done.folder)
    assert "Invalid value for '--format'" in message_of(done.invoke("report", "--format", "pdf"))
    assert "the ending of r.pdf is not a report format" in message_of(done.invoke("report", "-o", "r.pdf"))
    assert "the ending of r is not a report format" in message_of(done.invoke("report", "-o", "r"))
    assert files(done.folder) == before


def test_a_report_of_a_run_that_cannot_be_written_keeps_the_run(project: Project) -> None:
    project.records(rows(2))
    project.config()
    result = project.invoke("run", "audit.toml", "-o", "records.csv/r.html")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert project.one("SELECT status FROM runs") == "complete"


@pytest.fixture
def tiny(project: Project) -> Iterator[Path]:
    folder = project.folder / "tiny"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", folder], check=False)
    if made.returncode:
        pytest.skip("no tmpfs may be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_loses_nothing(project: Project, tiny: Path) -> None:
    project.records(rows(30))
    project.config(name="reference.toml", store="reference.sqlite")
    project.ok("run", "reference.toml", "-o", "reference.html")
    project.config(store="tiny/audit.sqlite")
    for _ in range(3):
        result = project.invoke("run", "audit.toml", "-o", "r.html")
        assert result.exit_code == 2
        assert "error: " in result.stderr
        assert "tiny/audit.sqlite: " in result.stderr
        assert "disk" in result.stderr.split("error: ")[1]
        assert "transaction" not in result.stderr
    store = tiny / "audit.sqlite"
    kept = project.sql("SELECT count(*) FROM attempts", (), store)[0][0]
    assert 0 < kept < 60
    subprocess.run(["mount", "-o", "remount,size=20m", tiny], check=True)
    result = project.invoke("run", "audit.toml", "-o", "r.html")
    assert result.exit_code == 0, result.output
    assert project.content(store) == project.content(project.folder / "reference.sqlite")
    assert project.sql("SELECT count(*), count(DISTINCT task_id) FROM attempts", (), store) == [(60, 60)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
@pytest.mark.parametrize("size", ["4k", "40k"])
def test_a_disk_without_room_for_a_store_is_an_error_and_no_trap(
    project: Project, tiny: Path, size: str
) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", tiny], check=True)
    project.records(rows(2))
    project.config(store="tiny/audit.sqlite")
    result = project.invoke("run", "audit.toml", "-o", "r.html")
    assert result.exit_code == 2
    assert "tiny/audit.sqlite: " in result.stderr
    subprocess.run(["mount", "-o", "remount,size=20m", tiny], check=True)
    assert project.invoke("run", "audit.toml", "-o", "r.html").exit_code == 0
