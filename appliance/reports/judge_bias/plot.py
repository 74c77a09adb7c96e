"""A picture of paired differences: one stack of dots for each value, with the margin and the mean."""

from __future__ import annotations

from collections import Counter

from appliance.domain.base import Frozen
from appliance.reports.judge_bias.data import DimensionResult

WIDTH, HEIGHT, EDGE = 560.0, 150.0, 30.0
BINS = 40  # more different values than that are put together


class Stack(Frozen):
    """x: place; top: of the bar; count of pairs; label: the difference."""

    x: float
    top: float
    height: float
    count: int
    label: str


class Plot(Frozen):
    """Everything in pixels. text: what the picture says, for those who do not see it."""

    stacks: tuple[Stack, ...]
    bar: float
    zero: float
    margins: tuple[float, float]
    mean: float | None
    interval: tuple[float, float] | None
    ticks: tuple[tuple[float, str], ...]
    text: str


def plot(result: DimensionResult, margin: float, span: float) -> Plot | None:
    """None where no pair has both scores. span: largest difference of the scale."""
    values = [row.difference for row in result.pairs if row.difference is not None]
    if not values:
        return None
    step = max(2 * span / BINS, 1e-9)
    found = Counter(
        round(value / step) * step if len(set(values)) > BINS else round(value, 6) for value in values
    )
    most = max(found.values())
    mean = result.mean
    bounds = (mean.low, mean.high) if mean and mean.low is not None and mean.high is not None else None
    return Plot(
        stacks=tuple(_stack(value, n, most, span) for value, n in sorted(found.items())),
        bar=max(4.0, min(16.0, (WIDTH - 2 * EDGE) / (BINS + 2))),
        zero=_x(0, span),
        margins=(_x(-margin, span), _x(margin, span)),
        mean=_x(mean.value, span) if mean and mean.value is not None else None,
        interval=(_x(bounds[0], span), _x(bounds[1], span)) if bounds else None,
        ticks=tuple((_x(v, span), f"{v:+g}") for v in (-span, -span / 2, 0.0, span / 2, span)),
        text=_told(found, result),
    )


def _stack(value: float, count: int, most: int, span: float) -> Stack:
    height = (HEIGHT - 50) * count / most
    label = f"{value:+.2g}" if value else "0"
    return Stack(x=_x(value, span), top=HEIGHT - 30 - height, height=height, count=count, label=label)


def _x(value: float, span: float) -> float:
    clipped = max(-span, min(span, value))
    return round(EDGE + (clipped + span) / (2 * span) * (WIDTH - 2 * EDGE), 1)


def _told(found: Counter[float], result: DimensionResult) -> str:
    more, less = sum(n for v, n in found.items() if v > 0), sum(n for v, n in found.items() if v < 0)
    same = found.total() - more - less
    return (
        f"Differences of {found.total()} pairs: {result.a} scores higher in {more}, {result.b} in {less}, "
        f"both the same in {same}"
    )
