from __future__ import annotations

from pathlib import Path

import pytest

from appliance.domain.models import EngineSettings, GgufSource, ModelManifest, PromptStyle
from appliance.errors import ConfigError, ModelError
from appliance.judges.manifests import list_manifests, load_manifest, weights_dir, write_manifest

from .fake_models import make_manifest, make_root

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_root(tmp_path / "a project")


def test_the_manifests_that_we_ship_are_valid() -> None:
    names = [manifest.name for manifest in list_manifests(PROJECT)]
    assert {"gemma3-270m", "smollm2-135m"} <= set(names)
    assert names == sorted(names)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest(root: Path) -> None:
    for name in ("small", "large"):
        write_manifest(root, make_manifest(name))
    with pytest.raises(ModelError) as caught:
        load_manifest(root, "smal")
    assert "'smal'" in caught.value.message
    assert caught.value.hint == "Did you mean 'small'? Known: large, small."


def test_without_manifests_the_hint_says_how_to_get_one(root: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load_manifest(root, "any")
    assert "appliance models import" in caught.value.hint


def test_a_name_cannot_lead_out_of_the_folder(root: Path) -> None:
    (root / "outside.toml").write_text("")
    with pytest.raises(ModelError, match="no judge model"):
        load_manifest(root, "../outside")


def test_name_and_file_name_must_agree(root: Path) -> None:
    write_manifest(root, make_manifest("one")).rename(root / "models" / "two.toml")
    with pytest.raises(ModelError, match="'one' does not equal the file's name 'two'"):
        load_manifest(root, "two")


def test_a_misspelt_setting_is_an_error(root: Path) -> None:
    path = write_manifest(root, make_manifest("one"))
    path.write_text(path.read_text().replace("batch =", "bach ="))
    with pytest.raises(ConfigError, match=r"engine\.bach: unknown setting"):
        load_manifest(root, "one")


@pytest.mark.parametrize(
    "manifest",
    [
        make_manifest(),
        make_manifest(title='A "quoted" \\ title\n\x7fZoë 🙂', notes="n", weights="/somewhere/with space"),
        make_manifest(
            prompt=PromptStyle(style="plain", system_role=False, bos="none", thinking="off"),
            engine=EngineSettings(context=7, quantisation="fp8", tensor_parallel_size=2, eager=False),
            provision=GgufSource(packages=("a==1", "b==2"), members=("a/x",), sha256="0" * 64),
        ),
    ],
)
def test_a_written_manifest_reads_back_equal(root: Path, manifest: ModelManifest) -> None:
    write_manifest(root, manifest)
    assert load_manifest(root, manifest.name) == manifest


def test_writing_never_overwrites(root: Path) -> None:
    path = write_manifest(root, make_manifest("one"))
    path.write_text("# mine")
    with pytest.raises(ModelError, match="exists already"):
        write_manifest(root, make_manifest("one"))
    assert path.read_text() == "# mine"


def test_weights_lie_under_the_manifests_unless_it_says_where(root: Path) -> None:
    assert weights_dir(root, make_manifest("one")) == root / "models" / "weights" / "one"
    assert weights_dir(root, make_manifest(weights="/large/disk")) == Path("/large/disk")
    assert weights_dir(root, make_manifest(weights="shared/it")) == root / "models" / "shared" / "it"
