from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.errors import ModelError
from appliance.judges.weights import LOCK, lock_weights, read_lock, staged, verify_weights, weights_digest

from .fake_models import make_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    directory = make_model(tmp_path / "tiny")
    lock_weights(directory, "tiny", "a test", {"tool": "1"})
    return directory


def test_a_lock_lists_every_file_and_verifies(model: Path) -> None:
    lock = verify_weights(model)
    assert {file.path for file in lock.files} == {path.name for path in model.iterdir()} - {LOCK}
    assert (lock.model, lock.source, lock.converted_with) == ("tiny", "a test", {"tool": "1"})


@pytest.mark.parametrize(
    "name", ["model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"]
)
def test_one_changed_byte_in_any_file_is_found(model: Path, name: str) -> None:
    content = bytearray((model / name).read_bytes())
    content[-1] ^= 1
    (model / name).write_bytes(content)
    with pytest.raises(ModelError) as caught:
        verify_weights(model)
    assert name in caught.value.message
    assert "SHA-256" in caught.value.message
    assert "provision or import the model again" in caught.value.hint
    verify_weights(model, hashes=False)  # sizes alone cannot see it: the quick check says so of itself


def test_another_size_is_found_without_hashing(model: Path) -> None:
    with (model / "config.json").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelError, match=r"config.json: \d+ bytes, weights.lock.json says \d+"):
        verify_weights(model, hashes=False)


def test_a_missing_file_is_found(model: Path) -> None:
    (model / "LICENSE").unlink()
    with pytest.raises(ModelError, match="LICENSE: missing"):
        verify_weights(model)


@pytest.mark.parametrize("name", ["modeling.py", ".hidden", "model-2.safetensors"])
def test_an_unlisted_file_is_refused(model: Path, name: str) -> None:
    (model / name).touch()
    with pytest.raises(ModelError, match=f"{name}: not in {LOCK}"):
        verify_weights(model)


def test_an_unlisted_folder_is_refused(model: Path) -> None:
    (model / "original").mkdir()
    with pytest.raises(ModelError, match="original: not in"):
        verify_weights(model)


def test_a_link_to_equal_bytes_is_refused(model: Path, tmp_path: Path) -> None:
    shutil.move(model / "config.json", tmp_path / "config.json")
    (model / "config.json").symlink_to(tmp_path / "config.json")
    with pytest.raises(ModelError, match="symbolic link"):
        verify_weights(model)


def test_a_lock_cannot_name_files_elsewhere(model: Path) -> None:
    values = json.loads((model / LOCK).read_text())
    values["files"].append({"path": "../other", "size": 0, "sha256": "0" * 64})
    (model / LOCK).write_text(json.dumps(values))
    with pytest.raises(ModelError, match="missing"):
        verify_weights(model)


@pytest.mark.parametrize("exists", [True, False])
def test_without_weights_the_hint_names_both_ways_to_get_them(tmp_path: Path, exists: bool) -> None:
    directory = tmp_path / "tiny"
    if exists:
        directory.mkdir()
    with pytest.raises(ModelError) as caught:
        read_lock(directory)
    assert str(directory) in caught.value.message
    assert "appliance models provision tiny" in caught.value.hint
    assert "appliance models import" in caught.value.hint


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"model": 1}'])
def test_a_damaged_lock_is_named(model: Path, text: str) -> None:
    (model / LOCK).write_text(text)
    with pytest.raises(ModelError, match=f"{LOCK}: not a lock file"):
        read_lock(model)


def test_the_digest_is_of_the_files_alone(model: Path) -> None:
    lock = read_lock(model)
    other = lock.model_copy(update={"files": lock.files[::-1], "model": "x", "source": "y"})
    assert weights_digest(other) == weights_digest(lock)
    changed = lock.files[0].model_copy(update={"sha256": "0" * 64})
    assert weights_digest(lock.model_copy(update={"files": (changed, *lock.files[1:])})) != weights_digest(
        lock
    )


def test_a_staged_directory_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "weights" / "tiny"
    with staged(target) as partial:
        (partial / "file").write_text("x")
        assert not target.exists()
    assert [path.name for path in target.parent.iterdir()] == ["tiny"]
    assert (target / "file").read_text() == "x"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_failure_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), staged(tmp_path / "tiny") as partial:
        (partial / "file").write_text("x")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from appliance.judges.weights import staged\n"
        "with staged(Path(sys.argv[1])) as partial:\n"
        "    (partial / 'file').write_text('x'); os.kill(os.getpid(), 9)"
    )
    target = tmp_path / "tiny"
    subprocess.run([sys.executable, "-c", code, str(target)], cwd=Path(__file__).parents[2])
    assert len(list(tmp_path.iterdir())) == 1
    assert not target.exists()
    with staged(target):
        pass
    assert list(tmp_path.iterdir()) == [target]


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with (
        staged(tmp_path / "one"),
        pytest.raises(ModelError, match="another process"),
        staged(tmp_path / "two"),
    ):
        pass


def test_an_existing_target_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    with pytest.raises(ModelError, match="exists already"), staged(tmp_path / "tiny"):
        pass


def test_the_lock_is_written_whole_or_not_at_all(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (model / LOCK).read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        lock_weights(model, "other", "another test")
    assert (model / LOCK).read_bytes() == before
    verify_weights(model)
