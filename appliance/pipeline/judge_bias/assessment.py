"""What the results of one judge amount to, written from the numbers. A person decides."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.pipeline.judge_bias.authors import AUTHORS
from appliance.pipeline.judge_bias.design import DEMOGRAPHIC, POSITION
from appliance.reports.judge_bias.data import DimensionResult, Level, Remediation, Severity

LEVELS: tuple[Level, ...] = ("low", "medium", "high", "critical")
_BY_SIZE = {"negligible": 0, "small": 0, "medium": 1, "large": 2}
# Family of dimensions (what stands before a colon) -> what usually helps.
_ACTIONS = {
    POSITION: "Ask in both orders and count a winner only where they agree, or draw the order "
    '(target.mitigations = ["order randomisation"]).',
    "length": "Bound the length of answers, say in the rubric that length earns nothing, or correct the "
    'scores (target.mitigations = ["length normalisation"]); audit again.',
    "style": "Bring answers into one form before they are judged (plain text); then audit again.",
    DEMOGRAPHIC: "Redact names and pronouns in what the judge sees (target.mitigations = "
    '["name redaction"]); do not use its scores to compare people until an audit with it is clear.',
    AUTHORS: "Do not let a judge score what its own model wrote, or set a judge of another family beside it.",
    "authority": "Strip citations before judging, or have each one verified by a person.",
    "bandwagon": "Strip statements about other people's opinions before judging.",
    "sentiment": "State in the rubric that tone earns nothing; then audit again.",
    "distraction": "Cut what does not belong to the task before judging.",
    "refinement": "Strip statements about earlier versions before judging.",
    "injection": "Do not use this judge on text that its author can shape; a person looks at flagged texts.",
}
_OTHERWISE = "Look at the pairs, change the prompt or the judge, and audit again."


def severity_of(results: Sequence[DimensionResult], high_stakes: bool) -> Severity:
    """The gravest flagged dimension: small or negligible low, medium medium, large high; one step more where
    it concerns people's groups or obeys the text under judgement, and one more in a high-stakes domain."""
    flagged = [r for r in results if r.flagged and not r.placebo]
    if not flagged:
        return "none"
    return LEVELS[max(_level(r, high_stakes) for r in flagged)]


def remediation_of(
    judge: str, results: Sequence[DimensionResult], high_stakes: bool
) -> tuple[Remediation, ...]:
    """One step for each flagged dimension, the gravest first."""
    flagged = [r for r in results if r.flagged and not r.placebo]
    ordered = sorted(flagged, key=lambda r: -_level(r, high_stakes))
    return tuple(
        Remediation(
            dimension=r.dimension,
            finding=f"{_direction(r, judge)}. {r.reason}",
            recommended_action=_ACTIONS.get(_family(r.dimension), _OTHERWISE),
            priority=LEVELS[_level(r, high_stakes)],
        )
        for r in ordered
    )


def summary_of(judge: str, results: Sequence[DimensionResult], problems: Sequence[str]) -> str:
    """Two or three sentences: every outcome is counted, none is left out."""
    asked = [r for r in results if not r.placebo]
    told = [
        f"{sum(r.status == s for r in asked)} {s}" for s in _OUTCOMES if any(r.status == s for r in asked)
    ]
    flagged = [_direction(r, judge) for r in asked if r.flagged]
    placebos = [r.dimension for r in results if r.placebo and r.flagged]
    sentences = [f"{judge}: of {len(asked)} dimensions {', '.join(told) or 'none was asked'}."]
    sentences += [f"{'; '.join(flagged)}."] if flagged else []
    if placebos:
        sentences.append(
            f"The placebo differs as well ({', '.join(placebos)}): this judge reacts to what means nothing, "
            "so its flagged dimensions may be noise of the same kind."
        )
    return " ".join([*sentences, *(f"{problem}." for problem in problems)])


_OUTCOMES = ("flagged", "clear", "inconclusive", "insufficient data", "not run")


def _direction(result: DimensionResult, judge: str) -> str:
    """'length: favours "padded" over "as given" by 0.42 points'; of authors, whether it is its own text."""
    mean = result.mean.value if result.mean else None
    if not mean:
        return result.dimension
    more, less = (result.a, result.b) if mean > 0 else (result.b, result.a)
    own = " (self-preference: its own)" if _family(result.dimension) == AUTHORS and more == judge else ""
    return f"{result.dimension}: favours '{more}'{own} over '{less}' by {abs(mean):.2f}"


def _level(result: DimensionResult, high_stakes: bool) -> int:
    # A shift of every pair alike has no spread, so no effect size in its units: nothing is larger.
    size = result.effect_size.interpretation if result.effect_size else None
    own = _BY_SIZE.get(size or "large", 2)
    grave = _family(result.dimension) in (DEMOGRAPHIC, "injection")
    return min(own + grave + high_stakes, len(LEVELS) - 1)


def _family(dimension: str) -> str:
    return dimension.split(":")[0].split(" ")[0]
