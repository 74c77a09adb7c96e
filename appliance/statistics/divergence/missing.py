"""Does it depend on identity whether the judges score a record at all?

A judge that fails more often on one group leaves a gap in exactly the numbers that would show its bias.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.statistics.arrays import Array, Codes, Mask, codes, kept, same_length, untestable
from appliance.statistics.divergence.differential import Differential, differential
from appliance.statistics.divergence.exchange import DRAWS, permuted
from appliance.statistics.divergence.within import Layout, by_name, layout, ranked
from appliance.statistics.paired.pairs import Ids
from appliance.statistics.proportions import rate

METHOD = "generalised Cochran–Mantel–Haenszel, exchange of identities within blocks"
SOURCE = "Landis, Heyman and Koch (1978); draws: Phipson and Smyth (2010)"


class GroupGap(Frozen):
    """rate: share of the group's records left unscored."""

    group: str
    rate: Estimate


class Missingness(Frozen):
    """overall: test of no dependence on identity at all. gaps: the rates. contrasts: unscored rate of each
    group less that of the rest, within blocks, with Holm."""

    overall: Significance
    gaps: tuple[GroupGap, ...]
    contrasts: Differential


def missingness(
    unscored: Sequence[bool] | Mask,
    groups: Ids,
    labels: Sequence[Hashable],
    *,
    templates: Ids | None = None,
    strata: Ids | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Missingness:
    """Whether records of some groups are left unscored more often than others of the same template.

    unscored: of each record, by one judge or by either, shape (n,). groups, labels, templates, strata: as
    in `differential`. The overall test is undefined, with a note, where no block holds two groups, or where
    none or all of its records are unscored. Raises ValueError as `differential`.
    """
    missing = np.asarray(unscored)
    if missing.dtype != np.bool_:
        raise ValueError(f"unscored: truth values expected, found {missing.dtype}")
    of = codes(groups, labels, "groups")
    same_length(unscored=missing, groups=of)
    contrasts = differential(
        missing.astype(float), groups, labels, templates=templates, strata=strata, draws=draws, seed=seed
    )
    blocks = templates if templates is not None else strata
    block = ranked([0] * len(missing) if blocks is None else blocks)
    known = of >= 0
    data = layout(
        missing[known].astype(float), by_name(labels)[of[known]], block[known], templates is not None
    )
    return Missingness(
        overall=_overall(data, len(labels), draws, seed),
        gaps=tuple(
            GroupGap(group=str(label), rate=rate(int(missing[of == i].sum()), int((of == i).sum())))
            for i, label in enumerate(labels)
        ),
        contrasts=contrasts,
    )


def _overall(data: Layout, n_groups: int, draws: int, seed: int) -> Significance:
    """Mantel–Haenszel's general association. Its variance depends on margins only, which exchanges within
    blocks keep, so the same quadratic form is the statistic of every draw."""
    n, inputs = len(data.values), kept(values=data.values, group=data.group, block=data.block)
    weight = _inverse_variance(data, n_groups) if n else np.zeros((0, 0))
    df = int(np.linalg.matrix_rank(weight)) if weight.any() else 0
    if not df:
        note = "no block holds two groups with some records unscored and some not"
        return untestable(METHOD, note, n, 0, SOURCE, inputs)
    observed = _association(data, data.group[np.newaxis], weight, n_groups)[0]
    hits = 0
    for drawn in permuted(data, draws, seed):
        hits += int((_association(data, drawn, weight, n_groups) >= observed * (1 - 1e-9)).sum())
    return Significance(
        statistic=float(observed), p=(1 + hits) / (1 + draws), df=df, n=n,
        method=f"{METHOD}, {draws:,} random draws", source=SOURCE, inputs=inputs,
    )  # fmt: skip


def _association(data: Layout, labels: Codes, weight: Array, n_groups: int) -> Array:
    """Quadratic form of each group's surplus of unscored records, for each row of labels (r, n)."""
    surplus = np.stack([(labels == g) @ data.centred for g in range(n_groups)], axis=1)
    found: Array = np.einsum("rg,gh,rh->r", surplus, weight, surplus)
    return found


def _inverse_variance(data: Layout, n_groups: int) -> Array:
    """Pseudo-inverse of the surpluses' covariance under exchange: the surpluses add up to zero."""
    missing = np.add.reduceat(data.values, data.starts)
    counts = np.zeros((len(data.sizes), n_groups))
    np.add.at(counts, (data.block, data.group), 1)
    n = data.sizes
    scale = missing * (n - missing) / (n**2 * np.maximum(n - 1, 1))
    covariance = np.diag((scale * n) @ counts) - (counts * scale[:, None]).T @ counts
    found: Array = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    return found
