"""Configuration: one TOML file per audit, read into frozen models."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from appliance.config.environment import project_root, worker_environment
from appliance.config.fields import FilePath
from appliance.config.intersectional import GridConfig, IntersectionalConfig, ModelConfig
from appliance.config.judge_bias import DecisionConfig, ProbesConfig, ScoresConfig, TargetConfig
from appliance.config.loading import load_toml_as, read_toml, validated
from appliance.config.shared import (
    AlertsConfig,
    BiasGateConfig,
    CompetenceConfig,
    DivergenceConfig,
    InputConfig,
    JudgesConfig,
    LimitsConfig,
    RepeatsConfig,
)
from appliance.domain.base import Frozen
from appliance.errors import ConfigError

__all__ = [
    "AlertsConfig", "BiasGateConfig", "CompetenceConfig", "Config", "DecisionConfig", "DivergenceConfig",
    "GridConfig", "InputConfig", "IntersectionalConfig", "JudgesConfig", "LimitsConfig", "ModelConfig",
    "ProbesConfig", "RepeatsConfig", "ScoresConfig", "TargetConfig", "load_config", "load_toml_as",
    "project_root", "worker_environment",
]  # fmt: skip


class Config(Frozen):
    """The whole file. Relative paths are relative to the file's own folder."""

    audit: Literal["competence", "judge-bias", "intersectional"]
    input: InputConfig = InputConfig()
    judges: JudgesConfig = JudgesConfig()
    competence: CompetenceConfig = CompetenceConfig()
    target: TargetConfig = TargetConfig(score_field="score")
    scores: ScoresConfig = ScoresConfig()
    grid: GridConfig = GridConfig()
    model: ModelConfig = ModelConfig()
    intersectional: IntersectionalConfig = IntersectionalConfig()
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
    values = read_toml(path, "appliance init competence")
    if "folder" in values:
        raise ConfigError(f"{path}: 'folder' is not a setting", "Remove it; it is the folder of the file.")
    return validated(Config, {**values, "folder": str(path.resolve().parent)}, path)
