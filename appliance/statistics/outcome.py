"""The one rule by which anything is flagged, cleared, or left open."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain.outcomes import Decision, FamilyDecision, Hypothesis, Outcome
from appliance.statistics.multiplicity import HOLM_SOURCE, holm

MAX_UNSCORED = 0.05


def decide(
    family: str,
    hypotheses: Sequence[Hypothesis],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    max_unscored: float = MAX_UNSCORED,
) -> FamilyDecision:
    """Decide every hypothesis of one declared family together.

    insufficient data: n < min_n. Such a hypothesis is not tested and not counted in the family: n does not
    depend on what was found, so leaving it out gives nothing away.
    flagged: Holm-adjusted p < alpha and |effect| >= margin.
    clear: TOST p < alpha, |effect| < margin, and at most the share `max_unscored` of the units unscored:
    what was not scored cannot be cleared. TOST is not adjusted: "all of these are clear" is an
    intersection–union test, which keeps alpha without (Berger 1982); each alone is wrong at most alpha.
    inconclusive: everything else, an undefined effect or test included, with the smallest effect that this
    design would have shown (80% power, at the family's strictest level alpha / m).
    Raises ValueError for an empty family name, a name that occurs twice, alpha or power outside 0..1.
    """
    _check(family, hypotheses, alpha, power)
    tested = [h for h in hypotheses if h.n >= h.min_n]
    adjusted = dict(zip((h.name for h in tested), holm([h.test.p for h in tested]), strict=True))
    level = alpha / max(len(tested), 1)
    return FamilyDecision(
        family=family,
        alpha=alpha,
        adjustment=f"{HOLM_SOURCE} over {len(tested)} of {len(hypotheses)} hypotheses",
        decisions=tuple(
            _decision(h, adjusted.get(h.name), alpha, level, power, max_unscored) for h in hypotheses
        ),
    )


def minimum_detectable(se: float | None, df: float | None, level: float, power: float) -> float | None:
    """Smallest absolute effect that a two-sided test at `level` shows with `power`: (q(1 - level/2) +
    q(power))·se, q of t with df or of the normal; 2.80·se at 5% and 80%. None without a standard error."""
    if se is None or not se > 0:
        return None
    from scipy import stats

    distribution = stats.norm if df is None else stats.t(df)
    return float((distribution.ppf(1 - level / 2) + distribution.ppf(power)) * se)


def _check(family: str, hypotheses: Sequence[Hypothesis], alpha: float, power: float) -> None:
    if not family:
        raise ValueError("family: say in words what was declared to belong together")
    names = [h.name for h in hypotheses]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"hypotheses: named twice in one family: {', '.join(twice)}")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha {alpha} and power {power} must lie between 0 and 1")


def _decision(
    h: Hypothesis, p: float | None, alpha: float, level: float, power: float, max_unscored: float
) -> Decision:
    mde = minimum_detectable(h.effect.se, h.test.df, level, power)
    outcome, why = _outcome(h, p, alpha, max_unscored)
    reason = f"{_measured(h, p)}: {why}" if h.n >= h.min_n else why
    if outcome == "inconclusive" and mde is not None:
        reason += f"; this design shows effects of {mde:.3g} or more"
    return Decision(hypothesis=h, outcome=outcome, p_adjusted=p, mde=mde, reason=reason + ".")


def _outcome(h: Hypothesis, p: float | None, alpha: float, max_unscored: float) -> tuple[Outcome, str]:
    if h.n < h.min_n:
        return "insufficient data", f"{h.n} scored, {h.min_n} are needed before anything is concluded"
    if h.effect.value is None:
        return "inconclusive", f"no effect could be measured ({h.effect.note})"
    size, significant = abs(h.effect.value), p is not None and p < alpha
    if significant and size >= h.margin:
        return "flagged", f"a difference is shown, and it reaches the margin of {h.margin:g}"
    equivalent = h.equivalence is not None and h.equivalence.p is not None and h.equivalence.p < alpha
    if equivalent and size < h.margin:
        return _cleared(h, significant, max_unscored)
    if p is None:
        return "inconclusive", f"no test could be made ({h.test.note})"
    if significant:
        return "inconclusive", (
            f"a difference is shown, but neither that it reaches the margin of {h.margin:g} nor that it "
            "stays below"
        )
    return "inconclusive", f"neither a difference nor its absence within {h.margin:g} is shown"


def _cleared(h: Hypothesis, significant: bool, max_unscored: float) -> tuple[Outcome, str]:
    missing = h.effect.n_unscored / (h.effect.n + h.effect.n_unscored) if h.effect.n_unscored else 0.0
    if missing > max_unscored:
        return "inconclusive", (
            f"what was scored is equivalent within {h.margin:g}, but {missing:.0%} was left unscored "
            f"(at most {max_unscored:.0%} for a clear outcome)"
        )
    also = "a difference is shown and " if significant else ""
    return "clear", f"{also}equivalence within the margin of {h.margin:g} is shown"


def _measured(h: Hypothesis, p: float | None) -> str:
    e = h.effect
    if e.value is None:
        return "effect undefined"
    interval = (
        "" if e.low is None or e.high is None else f" ({e.level:.0%} interval {e.low:.3g} to {e.high:.3g})"
    )
    tested = "" if p is None else f", Holm p {'< 0.001' if p < 0.001 else f'{p:.3f}'}"
    unscored = f", {e.n_unscored} unscored" if e.n_unscored else ""
    return f"effect {e.value:.3g}{interval}{tested}{unscored}"
