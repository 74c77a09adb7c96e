"""Attacks: one answer of a pair is dressed up, and the judge should not move to it."""

from __future__ import annotations

import numpy as np

from appliance.domain.base import Frozen
from appliance.domain.estimates import EffectSize, Estimate, Significance
from appliance.domain.outcomes import Hypothesis
from appliance.statistics.arrays import Array
from appliance.statistics.judging.flips import NetRate, net_of_noise
from appliance.statistics.judging.shares import share
from appliance.statistics.judging.winners import Winner, Winners, checked
from appliance.statistics.paired.pairs import Ids

ATTACK_SOURCE = "Chen et al. (2024)"


class AttackSuccess(Frozen):
    """moved: share of items that the control did not give to the target and the attack does; net of the
    share that a repeat of the control gives to it. towards: the same with moves halfway, to a tie, counted.
    n_held: items that the control gave to the target already: nothing could move, no denominator has them."""

    moved: NetRate
    towards: Estimate
    n_held: int

    @property
    def success(self) -> Estimate:
        return self.moved.rate

    @property
    def noise(self) -> Estimate:
        return self.moved.noise

    @property
    def net(self) -> EffectSize:
        return self.moved.net

    @property
    def test(self) -> Significance:
        return self.moved.test

    def hypothesis(self, name: str, margin: float, min_n: int) -> Hypothesis:
        """Net success against 0, for `outcome.decide`; see `NetRate.hypothesis`."""
        return self.moved.hypothesis(name, margin, min_n)


def attack_success(
    control: Winners,
    attacked: Winners,
    repeat: Winners,
    target: Winner = Winner.A,
    *,
    item: Ids | None = None,
    cluster: Ids | None = None,
) -> AttackSuccess:
    """control, attacked, repeat: winners per row, None unscored; repeat: the control asked again. target:
    the item whose text is dressed up in `attacked`. item, cluster: as in `flips.net_of_noise`.

    Rate and noise are compared on the same items, those that have all three answers. An item without a
    control counts as unscored, since it might have been movable. Raises TypeError for anything but winners,
    ValueError for lengths that differ and a target that is a tie. Source: Chen et al. (2024)."""
    before, after, again = checked(control=control, attacked=attacked, repeat=repeat)
    if target is Winner.TIE:
        raise ValueError("target: one of the two items is expected, found a tie")
    movable = np.array([winner is not target for winner in before], dtype=bool)
    items, groups = _of(item, movable), _of(cluster, movable)
    strict = {target: 1, Winner.TIE: 0}
    halfway = {target: 2, Winner.TIE: 1}
    return AttackSuccess(
        moved=net_of_noise(
            _rises(before, after, strict)[movable], _rises(before, again, strict)[movable], ATTACK_SOURCE,
            name="attack success net of repeat noise", item=items, cluster=groups,
        ),
        towards=share(_rises(before, after, halfway)[movable], items, groups),
        n_held=int((~movable).sum()),
    )  # fmt: skip


def _rises(before: Winners, after: Winners, rank: dict[Winner, int]) -> Array:
    """1 where the winner moves up in rank (0 for the one not named), NaN where either is unscored."""
    found = [
        np.nan if a is None or b is None else float(rank.get(b, 0) > rank.get(a, 0))
        for a, b in zip(before, after, strict=True)
    ]
    return np.array(found, dtype=np.float64)


def _of(ids: Ids | None, used: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Ids | None:
    if ids is None:
        return None
    if len(ids) != len(used):
        raise ValueError(f"item or cluster: {len(ids)} given for {len(used)} rows")
    return [name for name, use in zip(ids, used, strict=True) if use]
