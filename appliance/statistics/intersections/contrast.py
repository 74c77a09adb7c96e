"""The flag rate of one group less that of all others: the effect, its test, and whether it is shown small."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, kept, undefined, untestable
from appliance.statistics.divergence.exchange import Chance
from appliance.statistics.equivalence import equivalence_without_variation, tost
from appliance.statistics.intersections.templates import Sides
from appliance.statistics.proportions import compare_rates, equivalent_rates, rate_difference

WITHIN = "group less rest within templates"
BETWEEN = "group less rest, cluster-robust over templates"
WITHIN_SOURCE = "Liang and Zeger (1986); Fisher (1935), Janssen (1997)"
BETWEEN_SOURCE = "Liang and Zeger (1986); Newcombe (1998)"
DRAWS = 1999
# Sum of variances under exchange above which t holds alone: the skewness of the sum is then under 0.2.
MANY = 25.0


class Contrast(NamedTuple):
    """equivalence: None where it cannot be tested."""

    effect: Estimate
    test: Significance
    equivalence: Significance | None


def independent(k: int, n: int, k0: int, n0: int, margin: float, missing: int) -> Contrast:
    """Rows that stand for themselves: Newcombe's interval, Pearson's or Fisher's test, score TOST."""
    return Contrast(
        rate_difference(k, n, k0, n0, n_unscored=missing),
        compare_rates(k, n, k0, n0, missing),
        equivalent_rates(k, n, k0, n0, margin, missing),
    )


def over_templates(sides: Sides, margin: float, missing: int, seed: int = 0) -> Contrast:
    """Rows that share templates. Within templates, where those with both sides hold at least half of the
    group's and two or more exist; else between, where templates count as clusters."""
    both = (sides.n > 0) & (sides.rest_n > 0)
    n = int(sides.n.sum())
    if both.sum() >= 2 and sides.n[both].sum() >= n / 2:
        return within(Sides(*(each[both] for each in sides)), n, margin, missing, int((~both).sum()), seed)
    return between(sides, margin, missing)


def within(sides: Sides, n: int, margin: float, missing: int, lost: int = 0, seed: int = 0) -> Contrast:
    """The coefficient of the group in a regression with one intercept a template, cluster-robust with
    templates - 1 degrees of freedom; every template has both sides.

    t alone invents differences where events are few (14% at 5% for 2.5 expected), so there the group's
    identity is also exchanged within templates, studentised, 1,999 seeded draws: the larger p and the wider
    interval count. Equivalence: TOST with the interval's wider half. Where nothing varies, the exact bound
    over templates.
    """
    k, a, total, size = sides.events, sides.n, sides.events + sides.rest_events, sides.n + sides.rest_n
    t, weights = len(a), a * sides.rest_n / size
    note = f"{lost} templates lack one side" if lost else ""
    inputs = kept(sides=sides)
    if not ((total > 0) & (total < size)).any():
        return _nothing_varies(n, t, margin, missing, note, inputs)
    value, se = (float(each[0]) for each in _studied((k - a * total / size)[None], weights, 0.0))
    # An error of 0 is a coincidence (two templates that agree) or a rule; only exchange can tell which.
    observed = value / se if se > 0 else math.copysign(math.inf, value) if value else 0.0
    chance = _exchange(sides, weights, observed, seed, always=not se > 0)
    t_p = 2 * float(stdtr(t - 1, -abs(value / se))) if se > 0 else 0.0
    low, high = _bounds(value, se, t - 1, chance)
    how = "t" if chance is None else f"t and {chance.how}, the wider"
    effect = Estimate(
        value=value, low=low, high=high, se=se or None, n=n, n_unscored=missing, source=WITHIN_SOURCE,
        method=f"{WITHIN}, 95% {how}, {t} templates", note=note, inputs=inputs,
    )  # fmt: skip
    test = Significance(
        statistic=value / se if se > 0 else None, p=max(t_p, chance.p if chance else 0.0), df=float(t - 1),
        n=n, n_unscored=missing, method=f"{WITHIN}, {how.replace('wider', 'larger p')}",
        source=WITHIN_SOURCE, inputs=inputs,
    )  # fmt: skip
    return Contrast(effect, test, _equivalence(effect, sides, t - 1, margin, rare=chance is not None))


def between(sides: Sides, margin: float, missing: int) -> Contrast:
    """Templates that mostly have one side only: pooled rates, cluster-robust, degrees of freedom those of the
    side with fewer templates; never surer than if rows were independent. Undefined for fewer than two
    templates on either side."""
    total = [int(each.sum()) for each in sides]
    plain = independent(total[0], total[1], total[2], total[3], margin, missing)
    fewer = min(int((sides.n > 0).sum()), int((sides.rest_n > 0).sum()))
    inputs = kept(sides=sides)
    if plain.effect.value is None or fewer < 2:
        note = plain.effect.note or "fewer than two templates on one side"
        return Contrast(
            undefined(BETWEEN, note, total[1], missing, BETWEEN_SOURCE, inputs),
            untestable(BETWEEN, note, total[1], missing, BETWEEN_SOURCE, inputs), None,
        )  # fmt: skip
    p, p0 = total[0] / total[1], total[2] / total[3]
    parts = (sides.events - p * sides.n) / total[1] - (sides.rest_events - p0 * sides.rest_n) / total[3]
    used = int(((sides.n + sides.rest_n) > 0).sum())
    se = math.sqrt(used / (used - 1) * float((parts**2).sum()))
    se, df, value = max(se, plain.effect.se or 0.0), fewer - 1, plain.effect.value
    half = float(stdtrit(df, 0.975)) * se
    effect = plain.effect.model_copy(
        update={
            "low": max(-1.0, min(plain.effect.low or 0.0, value - half)),
            "high": min(1.0, max(plain.effect.high or 0.0, value + half)),
            "se": se, "n": total[1], "method": f"{BETWEEN}, 95% t with {df} degrees of freedom",
            "source": BETWEEN_SOURCE, "inputs": inputs,
        }
    )  # fmt: skip
    test = Significance(
        statistic=value / se, p=max(plain.test.p or 0.0, 2 * float(stdtr(df, -abs(value / se)))),
        df=float(df), n=total[1], n_unscored=missing, method=BETWEEN, source=BETWEEN_SOURCE, inputs=inputs,
    )  # fmt: skip
    return Contrast(effect, test, _equivalence(effect, sides, df, margin, rare=True))


def _studied(sums: Array, weights: Array, silent: float) -> tuple[Array, Array]:
    """Contrast and cluster-robust error of each row of centred sums (r, templates); silent: Σ w² of
    templates without variation, which are left out of `sums` but not of the weights."""
    templates, spread = weights.shape[0], float(weights.sum())
    value = sums.sum(axis=1) / spread
    shown = weights[: sums.shape[1]]
    apart = ((sums - value[:, None] * shown) ** 2).sum(axis=1) + value**2 * silent
    se = np.sqrt(templates / (templates - 1) * apart) / spread
    se[se < 1e-11] = 0.0
    return np.where(np.abs(value) < 1e-12, 0.0, value), se


def _exchange(sides: Sides, weights: Array, observed: float, seed: int, always: bool) -> Chance | None:
    """What chance makes of the studentised contrast; None where events are many enough for t, unless
    `always`."""
    k, a, total, size = sides.events, sides.n, sides.events + sides.rest_events, sides.n + sides.rest_n
    variance = a * sides.rest_n * total * (size - total) / (size**2 * np.maximum(size - 1, 1))
    if variance.sum() >= MANY and not always:
        return None
    varies = (total > 0) & (total < size)
    order = np.lexsort((k[varies], total[varies], size[varies], a[varies]))
    k, a, total, size = (each[varies][order] for each in (k, a, total, size))
    drawn = np.random.default_rng(seed).hypergeometric(
        total.astype(int), (size - total).astype(int), a.astype(int), (DRAWS, len(a))
    )
    arranged = np.concatenate([weights[varies][order], weights[~varies]])
    values, errors = _studied(drawn - a * total / size, arranged, float((weights[~varies] ** 2).sum()))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(values == 0, 0.0, values / errors)
    return Chance(observed, np.sort(np.append(statistics, observed)), f"{DRAWS:,} exchanges of identity")


def _bounds(value: float, se: float, df: int, chance: Chance | None) -> tuple[float | None, float | None]:
    if not se > 0:
        return None, None
    t = float(stdtrit(df, 0.975))
    below, above = (-t, t) if chance is None else chance.critical(0.95)
    low, high = value - max(t, above) * se, value + max(t, -below) * se
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)


def _equivalence(effect: Estimate, sides: Sides, df: int, margin: float, rare: bool) -> Significance | None:
    """TOST with the wider half of the interval; where events are rare, the score TOST of pooled rows too, the
    larger p: what is rare and seen still more rarely looks more precise than it is."""
    if effect.value is None or effect.low is None or effect.high is None:
        return None
    half = max(effect.value - effect.low, effect.high - effect.value)
    se = half / float(stdtrit(df, 0.975))
    found = tost(effect.value, se, float(df), margin, n=effect.n, n_unscored=effect.n_unscored)
    if not rare:
        return found
    k, n, k0, n0 = (int(each.sum()) for each in sides)
    rows = equivalent_rates(k, n, k0, n0, margin, effect.n_unscored)
    return rows if (rows.p or 0.0) > (found.p or 0.0) else found


def _nothing_varies(
    n: int, templates: int, margin: float, missing: int, note: str, inputs: dict[str, object]
) -> Contrast:
    why = "all verdicts of a template are alike, in every template"
    effect = Estimate(
        value=0.0, low=None, high=None, n=n, n_unscored=missing, method=WITHIN, source=WITHIN_SOURCE,
        note="; ".join(filter(None, (note, f"{why}: no interval"))), inputs=inputs,
    )  # fmt: skip
    bound = equivalence_without_variation(0.0, 1.0, margin, n=templates, n_unscored=missing)
    return Contrast(effect, untestable(WITHIN, why, n, missing, WITHIN_SOURCE, inputs), bound)
