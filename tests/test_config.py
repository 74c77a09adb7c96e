from __future__ import annotations

import os
from pathlib import Path

import pytest

from appliance.config import DivergenceConfig, load_config, project_root, worker_environment
from appliance.errors import ConfigError

BARE = "audit = 'competence'\n[input]\npath = 'r.csv'\n[judges]\na = 'one'\nb = 'two'\n"


def load(folder: Path, text: str) -> object:
    path = folder / "a.toml"
    path.write_text(text, "utf-8")
    return load_config(path)


def test_paths_are_relative_to_the_file_wherever_it_is_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.toml").write_text(BARE, "utf-8")
    monkeypatch.chdir(tmp_path)
    config = load_config(Path("deep/a.toml"))
    assert config.resolve(config.store) == tmp_path / "deep" / "audit.sqlite"
    assert config.resolve("../x") == tmp_path / "x"
    assert config.resolve("/x") == Path("/x")
    assert config.resolve("~/x") == Path.home() / "x"


def test_every_wrong_setting_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, BARE + "[limits]\nmax = 1\n[divergence]\nseverity_steps = 'two'\n")
    assert "limits.max: unknown setting" in caught.value.message
    assert "divergence.severity_steps: input should be a valid integer" in caught.value.message


def test_a_configuration_cannot_be_changed_after_loading(tmp_path: Path) -> None:
    config = load(tmp_path, BARE)
    with pytest.raises(ValueError, match="frozen"):
        config.store = "other"  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "2.1", "'much'"])
def test_a_threshold_is_a_number_in_its_range(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError, match="score_difference"):
        load(tmp_path, BARE + f"[divergence]\nscore_difference = {value}\n")
    assert DivergenceConfig(score_difference=2.0).score_difference == 2


def test_not_utf8_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(BARE.encode() + b"# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"a\.toml: cannot be read as TOML: 'utf-8' codec"):
        load_config(tmp_path / "a.toml")


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbf" + BARE.encode())
    assert load_config(tmp_path / "a.toml").audit == "competence"


def test_home_is_the_named_folder_or_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APPLIANCE_HOME", raising=False)
    assert project_root() == Path(__file__).parents[1]
    (tmp_path / "prompts").mkdir()
    monkeypatch.setenv("APPLIANCE_HOME", str(tmp_path))
    assert project_root() == tmp_path
    monkeypatch.setenv("APPLIANCE_HOME", str(tmp_path / "prompts"))
    with pytest.raises(ConfigError, match="no prompts/ folder there"):
        project_root()


def test_a_worker_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "PYTHONPATH", "LD_PRELOAD"):
        monkeypatch.setenv(name, "x")
    found = worker_environment({"HOME": "/scratch"})
    assert found["HOME"] == "/scratch"
    assert found["PATH"] == os.environ["PATH"]
    assert "x" not in found.values()
