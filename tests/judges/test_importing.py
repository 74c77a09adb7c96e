from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from appliance.domain.models import PromptStyle
from appliance.errors import ModelError
from appliance.judges import importing
from appliance.judges.importing import guess_prompt, import_model
from appliance.judges.manifests import load_manifest, weights_dir, write_manifest
from appliance.judges.refusals import refuse_unsafe
from appliance.judges.weights import LOCK, lock_weights, verify_weights

from .fake_models import CHAT, make_manifest, make_model, make_root, safetensors

FACTS: dict[str, Any] = {
    "vocabulary": 7,
    "has_bos": True,
    "adds_bos": False,
    "has_template": True,
    "system_role": True,
    "template_writes_bos": True,
    "thinking": False,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "project")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_model(tmp_path / "My Model")


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The facts that the probe would find; without its process."""
    facts = dict(FACTS)
    monkeypatch.setattr(importing, "_probe", lambda _: facts)
    return facts


def quiet(_: str) -> None:
    pass


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("modeling_tiny.py", b"import os", "program code"),
        ("pytorch_model.bin", b"x", "pickle"),
        ("consolidated.00.pth", b"x", "pickle"),
        ("model.pt", b"x", "pickle"),
        ("weights.PKL", b"x", "pickle"),
        ("tiny.gguf", b"x", "GGUF"),
        ("model.onnx", b"x", "not a file of a safetensors model"),
        ("generation_config.json", b'{"a": [{"auto_map": {"AutoModel": "m.M"}}]}', "auto_map"),
        ("special_tokens_map.json", b"{", "not JSON"),
        ("model-2.safetensors", b"\x80\x04\x95pickled rubbish", "not in safetensors format"),
        ("model-2.safetensors", safetensors()[:-1], "its header says"),
        ("model-2.safetensors", b"version https://git-lfs", "git LFS pointer"),
        (
            "model.safetensors.index.json",
            b'{"weight_map": {"w": "model-9.safetensors"}}',
            "model-9.safetensors is missing",
        ),
        ("model.safetensors.index.json", b"[]", "not an index"),
    ],
)
def test_refused_files_are_named_with_reason_and_remedy(
    source: Path, name: str, content: bytes, reason: str
) -> None:
    (source / name).write_bytes(content)
    with pytest.raises(ModelError) as caught:
        refuse_unsafe(source)
    assert name in caught.value.message
    assert reason in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_an_incomplete_model_is_refused(source: Path, name: str) -> None:
    (source / name).unlink()
    with pytest.raises(ModelError, match=r"(\.json|\*\.safetensors) is missing"):
        refuse_unsafe(source)


def test_links_folders_and_pipes_are_refused(source: Path) -> None:
    (source / "vocab.json").symlink_to(source / "config.json")
    (source / "original").mkdir()
    os.mkfifo(source / "pipe.json")
    with pytest.raises(ModelError) as caught:
        refuse_unsafe(source)
    for reason in (
        "vocab.json is a symbolic link",
        "original is a sub-directory",
        "pipe.json is not a plain file",
    ):
        assert reason in caught.value.message
    assert "cp -rL" in caught.value.hint


def test_a_vocabulary_may_hold_the_word_auto_map(source: Path) -> None:
    (source / "vocab.json").write_text('{"auto_map": 5}')
    refuse_unsafe(source)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a directory"):
        refuse_unsafe(tmp_path / "none")


def test_one_call_makes_a_judge(root: Path, source: Path) -> None:
    said: list[str] = []
    manifest = import_model(root, source, "tiny", said.append, title="Tiny", licence="free")
    assert load_manifest(root, "tiny") == manifest
    assert manifest.prompt == PromptStyle(style="chat", system_role=True, bos="template", thinking="none")
    assert (manifest.family, manifest.engine.context, manifest.engine.precision) == (
        "llama",
        2048,
        "bfloat16",
    )
    lock = verify_weights(weights_dir(root, manifest))
    assert lock.source == "import of the folder My Model"
    assert str(source) not in lock.model_dump_json()
    assert "edit the manifest" in said[-1]
    assert not (source / LOCK).exists()


def test_a_template_that_refuses_a_system_message_is_seen(root: Path, source: Path) -> None:
    refusing = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}" + CHAT
    config = json.loads((source / "tokenizer_config.json").read_text())
    (source / "tokenizer_config.json").write_text(json.dumps(config | {"chat_template": refusing}))
    assert not import_model(root, source, "tiny", quiet).prompt.system_role


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "template"),
        ({"template_writes_bos": False}, "none"),
        ({"template_writes_bos": False, "adds_bos": True}, "add"),
        ({"template_writes_bos": False, "has_template": False}, "add"),
        ({"template_writes_bos": False, "has_template": False, "has_bos": False}, "none"),
    ],
)
def test_bos_is_guessed_from_template_tokenizer_and_configuration(
    change: dict[str, Any], expected: str
) -> None:
    assert guess_prompt(FACTS | change, config_has_bos=True).bos == expected


def test_a_thinking_mode_is_switched_off() -> None:
    assert guess_prompt(FACTS | {"thinking": True}, config_has_bos=False).thinking == "off"


def test_in_place_leaves_the_files_and_locks_beside_them(
    root: Path, source: Path, probed: dict[str, Any]
) -> None:
    manifest = import_model(root, source, "tiny", quiet, in_place=True)
    assert manifest.weights == str(source)
    assert verify_weights(weights_dir(root, manifest)).model == "tiny"
    assert not (root / "models" / "weights").exists()


def test_a_tokenizer_of_another_model_is_refused(root: Path, source: Path, probed: dict[str, Any]) -> None:
    probed["vocabulary"] = 9
    with pytest.raises(ModelError, match="9 entries, the model only 8"):
        import_model(root, source, "tiny", quiet)
    assert list((root / "models").iterdir()) == []


def test_a_tokenizer_that_cannot_be_loaded_says_why(root: Path, source: Path) -> None:
    (source / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer or chat template cannot be used: .+"):
        import_model(root, source, "tiny", quiet)
    assert list((root / "models").iterdir()) == []


@pytest.mark.parametrize("name", ["Upper", "../up", "with space", ""])
def test_a_bad_name_is_refused_before_anything_is_written(
    root: Path, source: Path, probed: dict[str, Any], name: str
) -> None:
    with pytest.raises(ModelError) as caught:
        import_model(root, source, name, quiet)
    assert "small letters" in caught.value.hint
    assert list((root / "models").iterdir()) == []


def test_long_contexts_are_capped_and_nested_settings_found(
    root: Path, tmp_path: Path, probed: dict[str, Any]
) -> None:
    nested = {"max_position_embeddings": 131072, "vocab_size": 8, "dtype": "float16"}
    source = make_model(tmp_path / "large")
    (source / "config.json").write_text(json.dumps({"model_type": "gemma3", "text_config": nested}))
    engine = import_model(root, source, "large", quiet).engine
    assert (engine.context, engine.precision) == (32768, "float16")


def test_a_judge_with_weights_is_not_replaced(root: Path, source: Path, probed: dict[str, Any]) -> None:
    import_model(root, source, "tiny", quiet)
    with pytest.raises(ModelError, match="already, with weights"):
        import_model(root, source, "tiny", quiet)


def test_a_manifest_without_weights_is_kept_and_gets_them(root: Path, source: Path) -> None:
    path = write_manifest(root, make_manifest("tiny", title="Written by hand"))
    text = path.read_text()
    assert import_model(root, source, "tiny", quiet).title == "Written by hand"
    assert path.read_text() == text
    verify_weights(root / "models" / "weights" / "tiny")


def test_a_kept_manifest_decides_about_in_place(root: Path, source: Path) -> None:
    write_manifest(root, make_manifest("tiny"))
    with pytest.raises(ModelError, match="does not name"):
        import_model(root, source, "tiny", quiet, in_place=True)


def test_a_lock_that_came_along_must_hold(root: Path, source: Path, probed: dict[str, Any]) -> None:
    lock_weights(source, "elsewhere", "another machine")
    (source / "README.md").write_text("B model of four bytes.")
    with pytest.raises(ModelError, match="changed"):
        import_model(root, source, "tiny", quiet)


def test_a_full_disk_leaves_neither_weights_nor_manifest(
    root: Path, source: Path, probed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(importing.shutil, "copyfile", fail)
    with pytest.raises(ModelError, match="No space left"):
        import_model(root, source, "tiny", quiet)
    assert [path.name for path in (root / "models").iterdir()] == ["weights"]
    assert list((root / "models" / "weights").iterdir()) == []
