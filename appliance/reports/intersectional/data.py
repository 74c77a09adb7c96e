"""Everything that the report of an intersectional audit shows beyond that of any run."""

from __future__ import annotations

from appliance.domain.base import Frozen
from appliance.domain.estimates import Estimate, Significance
from appliance.reports.data import RunReport
from appliance.statistics.divergence.differential import Differential
from appliance.statistics.divergence.missing import Missingness
from appliance.statistics.intersections.compound import CompoundAudit

BOTH = "both judges"


class JudgeMap(Frozen):
    """The disparity map by one judge, or by BOTH: a response then has the lower of the two severities, and
    none where either left it unscored. audit: None with a reason where too little was scored. missing:
    dimension -> does it depend on identity whether responses were scored at all?"""

    judge: str
    audit: CompoundAudit | None
    reason: str
    missing: dict[str, Missingness]


class AxisDivergence(Frozen):
    """Do the judges differ more about some values of a dimension than about others? signed: first less second
    severity; absolute: how far apart."""

    dimension: str
    signed: Differential
    absolute: Differential


class Placebo(Frozen):
    """What another name of the same profile does to the flag rate of a cell: the noise floor. source: how it
    was had, or why there is none."""

    floor: Estimate
    source: str


class OwnShare(Frozen):
    """One judge on the same responses sighted and blind. change: severity sighted less blind, with its test.
    by: dimension -> for each value, that change against the other values: what the judge itself adds for a
    group. cells: the same for whole intersections. n: responses scored in both."""

    judge: str
    sighted_run: str
    blind_run: str
    n: int
    n_unscored: int
    change: Estimate
    change_test: Significance
    by: dict[str, Differential]
    cells: Differential


class CellCount(Frozen):
    """Responses of one profile: asked for, without a response, set aside because they signal nothing, cut at
    the token limit."""

    group: dict[str, str]
    responses: int
    failed: int
    set_aside: int
    cut: int


class Alert(Frozen):
    """A group whose flag rate or severity reaches what the configuration named."""

    judge: str
    group: dict[str, str]
    what: str


class IntersectionalReport(RunReport):
    """dimensions: name -> values, in order. maps: of each judge, then of both. by_axis: where the judges
    differ. placebos: judge -> what another name of the same profile does. target: the model under audit.
    flag_from, margin: the rule of the map."""

    dimensions: dict[str, tuple[str, ...]]
    maps: tuple[JudgeMap, ...]
    by_axis: tuple[AxisDivergence, ...]
    placebos: tuple[tuple[str, Placebo], ...]
    cells: tuple[CellCount, ...]
    alerts: tuple[Alert, ...]
    target: str
    flag_from: str
    margin: float
    n_set_aside: int
    n_failed: int
