"""The calibration gate: a judge is admitted by the lower bound of its agreement with people, per stratum."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate
from appliance.statistics.agreement.estimation import spread, variance_at
from appliance.statistics.agreement.gwet import ac1, ac2
from appliance.statistics.agreement.kappa import (
    Weights,
    agreement,
    kappa,
    kappa_statistic,
    table_population,
    weight_matrix,
)
from appliance.statistics.agreement.tables import Confusions, Labels, confusions, label_codes
from appliance.statistics.arrays import Codes, Mask, clusters, same_length

Verdict = Literal["fit", "unfit", "undecided", "insufficient data"]
PARADOX = 0.2  # kappa and AC this far apart tell of the labels' frequencies


class Stratum(Frozen):
    """One stratum, or all items together.

    kappa: what the verdict rests on. ac: AC1, or AC2 under the same weights; agreement: plain. unanswered:
    share of the items labelled by people that the judge left unscored. more: how many more records, if they
    are like these, settle an undecided verdict with 80% power; None where nothing is to be settled or no
    number of such records would. note: how to read kappa where the labels' frequencies drive it.
    """

    name: str
    verdict: Verdict
    reason: str
    kappa: Estimate
    ac: Estimate
    agreement: Estimate
    unanswered: float
    more: int | None = None
    note: str = ""


class Admission(Frozen):
    """verdict: "fit" only if `overall` and every stratum are, "unfit" if one of them is."""

    verdict: Verdict
    required: float
    overall: Stratum
    strata: tuple[Stratum, ...]


class _Rule(NamedTuple):
    labels: Sequence[Hashable]
    weights: Weights
    required: float
    max_unscored: float


def admit(
    people: Labels, judge: Labels, labels: Sequence[Hashable], strata: Labels, *, required: float = 0.7,
    weights: Weights = "none", clusters_of: Labels | None = None, min_n: int = 50, min_n_stratum: int = 20,
    max_unscored: float = 0.05,
) -> Admission:  # fmt: skip
    """Judge a judge by people's labels, stratum by stratum.

    people, judge: one label per item, None where not given; only what people labelled counts. labels: every
    label that could have been given, in order. strata: one name per item. required: what the lower bound of
    the 95% interval of kappa (or weighted kappa) must reach. clusters_of: as `clusters` of
    `tables.confusions`; n counts clusters. min_n, min_n_stratum: records below which nothing is said.

    fit: lower bound >= required, and the judge left at most the share `max_unscored` unscored. unfit: upper
    bound < required. Everything else is open: an undefined kappa is never fit, and kappa says nothing where
    people gave one label throughout. "All strata are fit" needs no adjustment (intersection–union, Berger
    1982); "one of many is unfit" errs to the safe side without one. Measured at a true kappa of .7, two and
    five labels, prevalence .5 to .02, n of 50 to 600: called fit in 0% to 3.3%, unfit in 0.2% to 4.7%.
    Raises ValueError for lengths that differ, a label outside the list and a `required` outside 0..1.
    Source: Cantor (1996) for `more`, with the variances of the score interval.
    """
    if not 0 < required < 1:
        raise ValueError(f"required: between 0 and 1 expected, found {required}")
    first, second = label_codes(people, labels, "people"), label_codes(judge, labels, "judge")
    names = np.array([str(name) for name in strata])
    n = same_length(people=first, judge=second, strata=names)
    cluster = clusters(clusters_of, n, "clusters_of")
    rule = _Rule(labels, weights, required, max_unscored)

    def of(name: str, inside: Mask, least: int) -> Stratum:
        chosen = inside & (first >= 0)
        return _stratum(name, first[chosen], second[chosen], cluster[chosen], rule, least)

    overall = of("overall", np.ones(n, dtype=bool), min_n)
    found = tuple(of(name, names == name, min_n_stratum) for name in sorted(set(names.tolist())))
    return Admission(verdict=_together([overall, *found]), required=required, overall=overall, strata=found)


def _together(strata: Sequence[Stratum]) -> Verdict:
    verdicts = {stratum.verdict for stratum in strata}
    order: tuple[Verdict, ...] = ("unfit", "insufficient data", "undecided", "fit")
    return next(verdict for verdict in order if verdict in verdicts)


def _stratum(name: str, first: Codes, second: Codes, cluster: Codes, rule: _Rule, least: int) -> Stratum:
    q = len(rule.labels)
    second_labels = [None if code < 0 else code for code in second.tolist()]
    pairs = confusions(first, second_labels, range(q), cluster)
    measured = kappa(pairs, weights=rule.weights)
    unanswered = float((second < 0).mean()) if len(second) else 0.0
    verdict, reason = _verdict(measured, unanswered, rule, least)
    if verdict in ("fit", "unfit") and len(set(first[second >= 0].tolist())) == 1:
        verdict, reason = "undecided", "people gave one label throughout: kappa cannot show agreement"
    both = [(a, b) for a, b in zip(first.tolist(), second_labels, strict=True) if b is not None]
    inside = cluster[second >= 0]
    beside = (
        ac1(both, range(q), clusters=inside)
        if rule.weights == "none"
        else ac2(both, range(q), rule.weights, inside)
    )
    return Stratum(
        name=name, verdict=verdict, reason=reason, kappa=measured, ac=beside, agreement=agreement(pairs),
        unanswered=unanswered, more=_more(pairs, measured, rule) if verdict == "undecided" else None,
        note=_paradox(pairs, measured, beside, rule.labels),
    )  # fmt: skip


def _verdict(measured: Estimate, unanswered: float, rule: _Rule, least: int) -> tuple[Verdict, str]:
    required = rule.required
    if measured.n < least:
        return "insufficient data", f"{measured.n} records labelled by both, {least} are needed"
    if measured.value is None or measured.low is None or measured.high is None:
        return "undecided", measured.note
    bounds = f"kappa {measured.value:.2f}, 95% interval {measured.low:.2f} to {measured.high:.2f}"
    if measured.high < required:
        return "unfit", f"{bounds}: below {required:g} throughout"
    if measured.low < required:
        return "undecided", f"{bounds}: the lower bound must reach {required:g}"
    if unanswered > rule.max_unscored:
        return "undecided", f"{bounds}, but the judge left {unanswered:.0%} of the items unscored"
    return "fit", f"{bounds}: the lower bound reaches {required:g}"


def _more(pairs: Confusions, measured: Estimate, rule: _Rule) -> int | None:
    """Records to add until the interval leaves `required` behind, on the side on which kappa is now."""
    from scipy.special import ndtri

    one_label = np.count_nonzero(pairs.table.sum(axis=1)) < 2
    if one_label or measured.value is None or measured.low is None or measured.low >= rule.required:
        return None
    statistic = kappa_statistic(weight_matrix(pairs.q, rule.weights))
    population = table_population(pairs.table)
    away = abs(measured.value - rule.required)
    there = variance_at(statistic, population, measured.value, rule.required)
    here = spread(statistic, population, pairs.pairs)
    n = float(pairs.table.sum())
    if there is None or away < 1e-9:
        return None
    reach = float(ndtri(0.975)) * there**0.5 + float(ndtri(0.8)) * (here.independent * n) ** 0.5
    needed: float = here.design_effect * (reach / away) ** 2
    return max(1, ceil((needed - n) * measured.n / n))


def _paradox(pairs: Confusions, measured: Estimate, beside: Estimate, labels: Sequence[Hashable]) -> str:
    table, total = pairs.table, pairs.table.sum()
    if total == 0 or beside.value is None:
        return ""
    given = table.sum(axis=1) / total
    most = f"people gave {labels[int(given.argmax())]} to {given.max():.0%} of the items"
    if measured.value is None or given.max() == 1:
        return f"{most}: kappa needs items of other labels too"
    if beside.value - measured.value < PARADOX:
        return ""
    name = beside.method.split(",")[0].removeprefix("Gwet's ")
    return f"{most}, which lowers kappa ({measured.value:.2f}) but not {name} ({beside.value:.2f}): see both"
