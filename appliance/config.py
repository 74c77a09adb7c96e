"""Configuration: one TOML file per audit, read into frozen models. The only reader of the environment."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError, model_validator

from appliance.domain.base import Frozen
from appliance.errors import ConfigError

T = TypeVar("T", bound=Frozen)

# No file system takes an empty path or one with a NUL; said here, the message names the setting.
FilePath = Annotated[str, Field(pattern=r"^[^\x00]+$")]
Mitigation = Literal["name redaction", "order randomisation", "length normalisation"]
Temperature = Annotated[float, Field(ge=0, le=2)]


class InputConfig(Frozen):
    """path: file of records, or of items. pairs: file of ready test pairs, for a judge-bias audit. labels:
    optional file of intended labels, to show how far the judges miss them. columns: our name -> the file's
    column. identity: dimension -> the file's column."""

    path: str = Field(default="", pattern=r"^[^\x00]*$")
    pairs: str = Field(default="", pattern=r"^[^\x00]*$")
    labels: str = Field(default="", pattern=r"^[^\x00]*$")
    columns: dict[str, str] = Field(default_factory=dict)
    identity: dict[str, str] = Field(default_factory=dict)


class CompetenceConfig(Frozen):
    """identity_dimensions: for records that name none. prompt: version under prompts/competence.
    reason_words: bound of each reason the judge writes, in words. retry_temperatures: of the second and
    third attempt (the first is greedy); three failures send the record to people."""

    identity_dimensions: tuple[str, ...] = ()
    prompt: str = Field(default="v1", pattern=r"^[A-Za-z0-9._-]+$")
    reason_words: int = Field(default=8, ge=3, le=60)
    retry_temperatures: tuple[Temperature, Temperature] = (0.2, 0.4)


class JudgesConfig(Frozen):
    """a, b: manifest names; b may be left out where one judge is itself what is audited. backend: the
    engine's grammar back end. seed: of sampling, plus one a retry and a thousand a repeat."""

    a: str = ""
    b: str = ""
    backend: Literal["guidance", "xgrammar"] = "guidance"
    seed: int = Field(default=1, ge=0, lt=2**31)


class DivergenceConfig(Frozen):
    """A record is divergent, and goes to people, when any of these holds.

    score_difference: |A - B| above it (scores lie in -1..1). flag_disagreement: one flags, one does not.
    severity_steps: severities at least so many steps apart (none, LOW, MEDIUM, HIGH).
    evidence_overlap: Jaccard index of the flagged sentences below it. label_agreement: share of sentences
    with the same label below it."""

    score_difference: float = Field(default=0.34, ge=0, le=2)
    flag_disagreement: bool = True
    severity_steps: int = Field(default=2, ge=1, le=3)
    evidence_overlap: float = Field(default=0.5, ge=0, le=1)
    label_agreement: float = Field(default=0.5, ge=0, le=1)


class RepeatsConfig(Frozen):
    """count: further answers to every record, which measure how far a judge repeats itself; its first answer
    is the one that counts. temperature: of those; None for the audit's own. score_sd: standard deviation of
    a record's scores above which it goes to people."""

    count: int = Field(default=0, ge=0, le=50)
    score_sd: float = Field(default=0.25, ge=0)
    temperature: Temperature | None = None


class TargetConfig(Frozen):
    """The judge that a judge-bias audit examines, as its user runs it.

    mode: does it score one answer, or compare two? prompt: its own prompt file, "" for the appliance's.
    inputs: placeholder of that file -> "input", "output", "first", "second" or "rubric". rubric: what fills
    the rubric's placeholder. output_schema: JSON schema of its reply, "" for a single member. score_field:
    the member that holds the score or the choice. scale: all scores, without a schema. choices: what stands
    for the first, the second and a tie. temperature: at which it runs; retry_temperatures: of the second and
    third attempt. mitigations: what its pipeline does about bias. "name redaction" changes what it is asked;
    "order randomisation" and "length normalisation" are worked out from the same answers."""

    mode: Literal["pointwise", "pairwise"] = "pointwise"
    prompt: str = Field(default="", pattern=r"^[^\x00]*$")
    inputs: dict[str, Literal["input", "output", "first", "second", "rubric"]] = Field(default_factory=dict)
    rubric: str = ""
    output_schema: str = Field(default="", pattern=r"^[^\x00]*$")
    score_field: str = ""
    scale: tuple[int, ...] = (1, 2, 3, 4, 5)
    choices: tuple[str, str] | tuple[str, str, str] = ("A", "B", "tie")
    mitigations: tuple[Mitigation, ...] = ()
    temperature: Temperature = 0.0
    retry_temperatures: tuple[Temperature, Temperature] = (0.2, 0.4)

    @model_validator(mode="before")
    @classmethod
    def _default_field(cls, values: Any) -> Any:
        """A choice is no score: the default member is named for what it holds."""
        if isinstance(values, dict) and not values.get("score_field"):
            named = "choice" if values.get("mode") == "pairwise" else "score"
            return {**values, "score_field": named}
        return values


class ProbesConfig(Frozen):
    """What a judge-bias audit varies. dimensions: by name, or a family of them ("style", "demographic",
    "placebo"); empty for all. num_test_pairs: at most so many items of each. seed: of every random choice.
    name_sets: a file of your own names, beside those that the appliance carries."""

    dimensions: tuple[str, ...] = ()
    num_test_pairs: int = Field(default=60, ge=2)
    seed: int = Field(default=1, ge=0)
    name_sets: str = Field(default="", pattern=r"^[^\x00]*$")


class DecisionConfig(Frozen):
    """How a judge-bias audit decides.

    disparity_threshold: difference of the two scores of a pair above which it is marked, in points of the
    scale (pairwise: of the share of orders won). margin: smallest mean difference that matters; None for
    disparity_threshold, pairwise for 0.1. significance_threshold: family-wise. min_effect_size: of Cohen's d
    or the rank-biserial correlation. min_complete_pairs, min_subgroup: fewer are insufficient data; the
    second counts the pairs of a demographic group before any call. high_stakes: findings and design need a
    person's signature."""

    disparity_threshold: float = Field(default=0.3, gt=0)
    margin: float | None = Field(default=None, gt=0)
    significance_threshold: float = Field(default=0.05, gt=0, lt=1)
    min_effect_size: float = Field(default=0.2, ge=0)
    min_complete_pairs: int = Field(default=20, ge=2)
    min_subgroup: int = Field(default=50, ge=2)
    statistical_method: Literal["permutation", "paired t-test", "wilcoxon"] = "permutation"
    high_stakes: bool = False


class ScoresConfig(Frozen):
    """Scores that were given earlier, audited without a call. path: their file. columns: our field -> the
    file's column, or several joined by "+". judge: columns whose values name the judge. ties: words that
    stand for a tie; an empty winner that is not one of them is unscored. attributes: columns whose values are
    groups; each row is then one scored output, and every group is compared with the others."""

    path: str = Field(default="", pattern=r"^[^\x00]*$")
    columns: dict[str, str] = Field(default_factory=dict)
    judge: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ("tie",)


class AlertsConfig(Frozen):
    """Who is told when a run is INCONCLUSIVE. file: gets one JSON line an alert. command: program and
    arguments, started without a shell; reads the alert as JSON from standard input."""

    file: str = Field(default="", pattern=r"^[^\x00]*$")
    command: tuple[str, ...] = ()


class BiasGateConfig(Frozen):
    """Refuses an audit by judges that are not shown to be unbiased themselves. store: of their judge-bias
    audits, or its configuration; "" demands none. dimensions: that must be clear, by name or family; empty
    for all that were audited. max_age_days: an older audit does not count; None for any age."""

    store: str = Field(default="", pattern=r"^[^\x00]*$")
    dimensions: tuple[str, ...] = ()
    max_age_days: int | None = Field(default=None, ge=1)


class LimitsConfig(Frozen):
    """max_unscored: share of records unscored by either judge above which `run` exits with 3."""

    max_unscored: float = Field(default=0.05, ge=0, le=1)


class Config(Frozen):
    """The whole file. Relative paths are relative to the file's own folder."""

    audit: Literal["competence", "judge-bias"]
    input: InputConfig = InputConfig()
    judges: JudgesConfig = JudgesConfig()
    competence: CompetenceConfig = CompetenceConfig()
    target: TargetConfig = TargetConfig(score_field="score")
    scores: ScoresConfig = ScoresConfig()
    probes: ProbesConfig = ProbesConfig()
    decision: DecisionConfig = DecisionConfig()
    divergence: DivergenceConfig = DivergenceConfig()
    repeats: RepeatsConfig = RepeatsConfig()
    bias_gate: BiasGateConfig = BiasGateConfig()
    limits: LimitsConfig = LimitsConfig()
    alerts: AlertsConfig = AlertsConfig()
    store: FilePath = "audit.sqlite"
    folder: str = Field(default="", description="set by load_config: where the file lies")

    @property
    def judge_names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.judges.a, self.judges.b) if name)

    def resolve(self, path: str) -> Path:
        """A path of this file as an absolute one."""
        try:
            return (Path(self.folder) / Path(path).expanduser()).resolve()
        except (RuntimeError, OSError) as error:  # ~nobody, a loop of links, a name that is too long
            raise ConfigError(f"{path}: not a usable path: {error}", "Write the whole path.") from None


def load_config(path: Path) -> Config:
    """Read and check a configuration file. ConfigError names the file and the place in it."""
    values = _read_toml(path, "appliance init competence")
    if "folder" in values:
        raise ConfigError(f"{path}: 'folder' is not a setting", "Remove it; it is the folder of the file.")
    return _validated(Config, {**values, "folder": str(path.resolve().parent)}, path)


def load_toml_as(model: type[T], path: Path, remedy: str) -> T:
    """Read any TOML file into a frozen model; errors as for load_config."""
    return _validated(model, _read_toml(path, remedy), path)


def _read_toml(path: Path, remedy: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file", f"`{remedy}` makes one.") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory", "Name the TOML file itself.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(
            f"{path}: cannot be read as TOML: {error}", "Correct the line named above."
        ) from None


def _validated(model: type[T], values: dict[str, Any], path: Path) -> T:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        places = [f"{'.'.join(map(str, e['loc']))}: {_plain(e)}" for e in error.errors()]
        raise ConfigError(f"{path}: " + "; ".join(places), "Correct these settings.") from None


def _plain(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "unknown setting"
    return "missing" if error["type"] == "missing" else str(error["msg"]).lower()


def project_root() -> Path:
    """The folder that holds `models/` and `prompts/`: APPLIANCE_HOME, or the checkout around the package."""
    named = os.environ.get("APPLIANCE_HOME")
    root = Path(named).expanduser() if named else Path(__file__).resolve().parent.parent
    if not (root / "prompts").is_dir():
        raise ConfigError(
            f"{root}: no prompts/ folder there",
            "Set APPLIANCE_HOME to the folder that holds models/ and prompts/.",
        )
    return root


def worker_environment(extra: dict[str, str]) -> dict[str, str]:
    """The environment of a worker: ours without secrets of other tools, plus `extra`."""
    kept = (
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "LD_LIBRARY_PATH",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "VIRTUAL_ENV",
    )
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    openblas = {k: v for k, v in os.environ.items() if k.startswith("OPENBLAS_")}
    return {**inherited, **openblas, **extra}
