"""The one rule by which anything is flagged, cleared, or left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtri, stdtrit

from appliance.domain.outcomes import Decision, FamilyDecision, Hypothesis, Outcome
from appliance.statistics.multiplicity import HOLM_SOURCE, holm
from appliance.statistics.power.planned import detectable_ratio

MAX_UNSCORED = 0.05
ROUNDING = 1e-9  # 0.6 - 0.4 reaches a margin of 0.2


@dataclass(frozen=True)
class _Rule:
    """level: the family's strictest, alpha over the number of hypotheses tested."""

    alpha: float
    level: float
    power: float
    max_unscored: float


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
    flagged: Holm-adjusted p < alpha and |effect| >= margin. A test that is undefined counts in Holm's family
    all the same.
    clear: equivalence p < alpha, |effect| < margin, and at most the share `max_unscored` unscored in any
    group: what was not scored cannot be cleared. Where the scale's `reach` is known, the unscored must also
    be unable to bring the effect to the margin whatever their scores were: the 1 - alpha bound of |effect|
    over the scored share, plus the unscored share times the reach, stays below it (Manski 1989). It is not
    adjusted: "all of these are clear" is an
    intersection–union test, which keeps alpha without (Berger 1982); each alone is wrong at most alpha. The
    difference may be significant, as long as it is shown to be below the margin. Where nothing varies there
    is no test, but equivalence can be shown (`equivalence.equivalence_without_variation`).
    inconclusive: everything else, an undefined effect included, with the smallest effect that this design
    would have shown with `power` at the family's strictest level alpha / m.
    The order of hypotheses does not matter, and one more never makes another flagged.
    Raises ValueError for an empty family name, a name that occurs twice, a test that is not two-sided, an
    equivalence test of another margin or that has lost its inputs, so that this cannot be told, and alpha,
    power or max_unscored outside 0..1.
    """
    _check_rule(family, alpha, power, max_unscored)
    _check(hypotheses)
    tested = [h for h in hypotheses if h.n >= h.min_n]
    adjusted = dict(zip((h.name for h in tested), holm([h.test.p for h in tested]), strict=True))
    rule = _Rule(alpha, alpha / max(len(tested), 1), power, max_unscored)
    return FamilyDecision(
        family=family,
        alpha=alpha,
        adjustment=f"{HOLM_SOURCE} over {len(tested)} of {len(hypotheses)} hypotheses",
        decisions=tuple(_decision(h, adjusted.get(h.name), rule) for h in hypotheses),
    )


def minimum_detectable(se: float | None, df: float | None, level: float, power: float) -> float | None:
    """Smallest absolute effect that a two-sided test at `level` shows with `power`: 2.80·se at 5% and 80% by
    the normal, noncentral t with df. None without a standard error."""
    if se is None or not se > 0:
        return None
    return detectable_ratio(level, power, df) * se


def _check_rule(family: str, alpha: float, power: float, max_unscored: float) -> None:
    if not family:
        raise ValueError("family: say in words what was declared to belong together")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha {alpha} and power {power} must lie between 0 and 1")
    if not 0 <= max_unscored <= 1:
        raise ValueError(f"max_unscored: {max_unscored} is no share")


def _check(hypotheses: Sequence[Hypothesis]) -> None:
    times = Counter(h.name for h in hypotheses)
    twice = sorted(name for name, count in times.items() if count > 1)
    if twice:
        raise ValueError(f"hypotheses: named twice in one family: {', '.join(twice)}")
    for h in hypotheses:
        if h.test.alternative != "two-sided":
            raise ValueError(f"{h.name}: the test of no effect is one-sided, two-sided expected")
        if h.equivalence is None or h.equivalence.p is None:
            continue
        tried = h.equivalence.inputs.get("margin")
        if tried is None:
            raise ValueError(f"{h.name}: the equivalence test has no inputs, so its margin is not known")
        if tried != h.margin:
            raise ValueError(f"{h.name}: equivalence within {tried} was tested, the margin is {h.margin}")


def _decision(h: Hypothesis, p: float | None, rule: _Rule) -> Decision:
    # TOST's degrees of freedom are those of t; a test's can be those of chi-square.
    df = h.test.df if h.equivalence is None else h.equivalence.df
    mde = minimum_detectable(h.effect.se, df, rule.level, rule.power)
    outcome, why = _outcome(h, p, rule)
    reason = f"{_measured(h, p)}: {why}" if h.n >= h.min_n else why
    if outcome == "inconclusive" and mde is not None:
        reason += f"; with {rule.power:.0%} power this design shows effects of {mde:.3g} or more"
    return Decision(hypothesis=h, outcome=outcome, p_adjusted=p, mde=mde, reason=reason + ".")


def _outcome(h: Hypothesis, p: float | None, rule: _Rule) -> tuple[Outcome, str]:
    if h.n < h.min_n:
        return "insufficient data", f"{h.n} scored, {h.min_n} are needed before anything is concluded"
    if h.effect.value is None:
        return "inconclusive", f"no effect could be measured ({h.effect.note})"
    significant = p is not None and p < rule.alpha
    reaches = abs(h.effect.value) >= h.margin * (1 - ROUNDING)
    if significant and reaches:
        return "flagged", f"a difference is shown, and it reaches the margin of {h.margin:g}"
    equivalent = h.equivalence is not None and h.equivalence.p is not None and h.equivalence.p < rule.alpha
    if equivalent and not reaches:
        return _cleared(h, significant, rule)
    if p is None:
        return "inconclusive", f"no test could be made ({h.test.note})"
    if significant:
        return "inconclusive", (
            f"a difference is shown, but neither that it reaches the margin of {h.margin:g} nor that it "
            "stays below"
        )
    return "inconclusive", f"neither a difference nor its absence within {h.margin:g} is shown"


def _cleared(h: Hypothesis, significant: bool, rule: _Rule) -> tuple[Outcome, str]:
    missing = _unscored_share(h)
    if missing > rule.max_unscored * (1 + ROUNDING):
        whose = "" if h.unscored_share is not None else "up to "
        return "inconclusive", (
            f"what was scored is equivalent within {h.margin:g}, but {whose}{missing:.0%} of a group was "
            f"left unscored (at most {rule.max_unscored:.0%} for a clear outcome)"
        )
    if (
        missing
        and h.reach is not None
        and _bound(h, rule.alpha) * (1 - missing) + missing * h.reach >= h.margin
    ):
        return "inconclusive", (
            f"what was scored is equivalent within {h.margin:g}, but the {missing:.2g} share that was left "
            "unscored could bring the effect to the margin"
        )
    also = "a difference is shown and " if significant else ""
    return "clear", f"{also}equivalence within the margin of {h.margin:g} is shown"


def _bound(h: Hypothesis, alpha: float) -> float:
    """Upper 1 - alpha bound of |effect|, of what was scored."""
    df = h.test.df if h.equivalence is None else h.equivalence.df
    quantile = ndtri(1 - alpha) if df is None else stdtrit(df, 1 - alpha)
    return abs(h.effect.value or 0.0) + float(quantile) * (h.effect.se or 0.0)


def _unscored_share(h: Hypothesis) -> float:
    """Of a large sample a few per cent unscored can be most of a small group."""
    if h.unscored_share is not None:
        return h.unscored_share
    return h.effect.n_unscored / max(h.n + h.effect.n_unscored, 1)


def _measured(h: Hypothesis, p: float | None) -> str:
    e = h.effect
    if e.value is None:
        return "effect undefined"
    interval = (
        "" if e.low is None or e.high is None else f" ({e.level:.0%} interval {e.low:.3g} to {e.high:.3g})"
    )
    tested = "" if p is None else f", Holm p {'< 0.001' if p < 0.001 else f'{p:.3g}'}"
    unscored = f", {e.n_unscored} unscored" if e.n_unscored else ""
    return f"effect {e.value:.3g}{interval}{tested}{unscored}"
