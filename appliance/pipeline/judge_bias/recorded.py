"""Auditing scores that were given before: the same pairs, store, statistics and report, and no call."""

from __future__ import annotations

from typing import Any

from appliance.config import Config
from appliance.domain.base import digest
from appliance.domain.pairs import TestPair
from appliance.domain.records import Record
from appliance.domain.verdicts import Verdict
from appliance.errors import ConfigError, InputError
from appliance.pipeline.given import NOT_SUPPLIED, Given, store_given
from appliance.pipeline.judge_bias.design import LONGER, POSITION, SHORTER
from appliance.pipeline.judge_bias.kind import JudgeBiasKind
from appliance.records.scored import OUTPUTS, PAIRWISE, POINTWISE, ScoredRow, read_scored

_FIRST, _SECOND = ("1", "a", "first"), ("2", "b", "second")


def execute_recorded(config: Config) -> str:
    """Store and conclude the scores of `config.scores` as a run; returns its id. The same file under the same
    settings is the same run. InputError names the line of a score or a winner that cannot be read."""
    path, form = config.resolve(config.scores.path), _form(config)
    settings = config.scores
    read = form(config)
    for row in read_scored(path, form.required, settings.columns, settings.judge, settings.attributes):
        read.add(row)
    given = Given(list(read.records.values()), tuple(read.pairs.values()), read.verdicts)
    return store_given(config, JudgeBiasKind(), path, given)


def _form(config: Config) -> type[_Read]:
    """Which of the three kinds of file it is."""
    pairwise = config.target.mode == "pairwise"
    if pairwise and config.scores.attributes:
        raise ConfigError(
            "scores.attributes: groups are compared by the scores of single outputs",
            'Set target.mode = "pointwise", or leave the attributes out.',
        )
    return _Pairwise if pairwise else _Outputs if config.scores.attributes else _Pointwise


class _Read:
    """Records and pairs, each once, and the verdicts of each judge. required: the file's columns."""

    required: tuple[str, ...] = ()

    def __init__(self, config: Config) -> None:
        self.config = config
        self.records: dict[str, Record] = {}
        self.pairs: dict[str, TestPair] = {}
        self.verdicts: dict[str, list[Verdict]] = {}

    def add(self, row: ScoredRow) -> None:
        raise NotImplementedError

    def _record(self, row: ScoredRow, record_id: str, item: str) -> str:
        if record_id not in self.records:
            kept = {"item_id": item, "quality": "", "what": record_id, "label": row.values.get("label", "")}
            self.records[record_id] = Record(
                record_id=record_id,
                text=NOT_SUPPLIED,
                identity={name: value for name, value in row.groups.items() if value},
                identity_dimensions=(),
                template_id=row.values.get("cluster") or item,
                metadata=kept,
                place=row.place,
            )
        return record_id

    def _verdict(self, row: ScoredRow, record_id: str, score: float | None, raw: str) -> None:
        given = {"status": "unscored", "reason": f"no score in the file ('{raw}')"}
        if score is not None:
            given = {"status": "scored", "reason": ""}
        verdict = Verdict.model_validate(
            {"record_id": record_id, "judge": row.judge, "score": score, "attempts": 1, **given}
            | {"flag": None if score is None else False, "result": {"recorded": raw}}
        )
        self.verdicts.setdefault(row.judge, []).append(verdict)

    def _score(self, raw: str, row: ScoredRow) -> float | None:
        """A score of the scale; None for none."""
        if not raw:
            return None
        low, high = min(self.config.target.scale), max(self.config.target.scale)
        try:
            score = float(raw)
        except ValueError:
            raise InputError(
                f"{row.place}: '{raw}' is not a score", "Leave it empty where none was given."
            ) from None
        if not low <= score <= high:
            raise InputError(
                f"{row.place}: {raw} lies outside the scale {low} to {high}", "Set target.scale."
            )
        return score

    def _pair(self, dimension: str, item: str, **rest: Any) -> None:
        pair_id = digest([dimension, item])[:12]
        base = {"pair_id": pair_id, "dimension": dimension, "item_id": item, "first": None, "second": None}
        self.pairs.setdefault(pair_id, TestPair.model_validate(base | rest))


class _Pointwise(_Read):
    required = POINTWISE

    def add(self, row: ScoredRow) -> None:
        item, dimension = row.values["pair_id"], row.values["dimension"]
        a, b = (self._record(row, f"{item} | {side}", item) for side in "ab")
        for side, record_id in (("a", a), ("b", b)):
            raw = row.values[f"score_{side}"]
            self._verdict(row, record_id, self._score(raw, row), raw)
        told = {side: row.values[f"attribute_{side}"] for side in "ab"}
        self._pair(dimension, item, first=a, second=b, **told)


class _Outputs(_Read):
    """Scored outputs of groups: no pairs."""

    required = OUTPUTS

    def add(self, row: ScoredRow) -> None:
        item, raw = row.values["item_id"], row.values["score"]
        self._verdict(row, self._record(row, item, item), self._score(raw, row), raw)


class _Pairwise(_Read):
    required = PAIRWISE

    def add(self, row: ScoredRow) -> None:
        item = row.values["item_id"]
        given, swapped = (self._record(row, f"{item} | {order}", item) for order in ("as given", "swapped"))
        for record_id, field, first in ((given, "winner_as_given", 1.0), (swapped, "winner_swapped", 0.0)):
            raw = row.values[field]
            self._verdict(row, record_id, self._won(raw, first, row), raw)
        self._pair(POSITION, item, first=given, second=swapped, a="item 1", b="item 2")
        if row.values.get("length_1") and row.values.get("length_2"):
            self._length(row, item, given, swapped)

    def _won(self, raw: str, first: float, row: ScoredRow) -> float | None:
        """1 where the item shown first won. first: that value for item 1."""
        if raw in self.config.scores.ties:
            return 0.5
        if not raw:
            return None
        if raw.lower() in _FIRST:
            return first
        if raw.lower() in _SECOND:
            return 1.0 - first
        raise InputError(
            f"{row.place}: '{raw}' is no winner", "Write 1 or 2 (the item), or a word of scores.ties."
        )

    def _length(self, row: ScoredRow, item: str, given: str, swapped: str) -> None:
        try:
            one, two = (float(row.values[k]) for k in ("length_1", "length_2"))
        except ValueError:
            raise InputError(
                f"{row.place}: a length is not a number", "Correct it or leave it empty."
            ) from None
        told = {"a": LONGER, "b": SHORTER}
        if one == two:
            self._pair("length", item, unbuilt="both answers have the same length", **told)
            return
        first, second = (given, swapped) if one > two else (swapped, given)
        self._pair("length", item, first=first, second=second, **told)
