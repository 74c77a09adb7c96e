"""Settings of the judge-bias audit."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from appliance.config.fields import Mitigation, NoFile, Temperature
from appliance.domain.base import Frozen


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
    prompt: NoFile = ""
    inputs: dict[str, Literal["input", "output", "first", "second", "rubric"]] = Field(default_factory=dict)
    rubric: str = ""
    output_schema: NoFile = ""
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
    name_sets: NoFile = ""


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

    path: NoFile = ""
    columns: dict[str, str] = Field(default_factory=dict)
    judge: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    ties: tuple[str, ...] = ("tie",)
