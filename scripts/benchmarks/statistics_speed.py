"""Time of the two largest computations that a report waits for; the limits are goals, not tests."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from appliance.statistics.agreement.kappa import kappa
from appliance.statistics.agreement.tables import confusions
from appliance.statistics.intersections.cells import verdicts
from appliance.statistics.intersections.compound import compound_audit
from appliance.statistics.intersections.disparity import disparity_map

VERDICTS, PAIRS = 1_000_000, 100_000
LEVELS = {"first": list("abcd"), "second": list("efgh"), "third": list("xyz")}  # 48 cells
GOAL = 5.0


def main() -> None:
    rng = np.random.default_rng(0)
    identity = {name: rng.integers(0, len(levels), VERDICTS) for name, levels in LEVELS.items()}
    severity = rng.choice(5, VERDICTS, p=[0.6, 0.2, 0.1, 0.07, 0.03]).astype(float)
    severity[rng.random(VERDICTS) < 0.01] = np.nan
    template = rng.integers(0, 2000, VERDICTS)
    size = f"{VERDICTS:,} verdicts, 48 cells"
    timed(f"disparity map, {size}", lambda: disparity_map(verdicts(identity, severity, levels=LEVELS, top=4)))
    timed(
        f"disparity map and blind-spot ledger within 2,000 templates, {size}",
        lambda: compound_audit(verdicts(identity, severity, levels=LEVELS, template=template, top=4)),
    )
    first = rng.integers(0, 5, PAIRS)
    second = np.where(rng.random(PAIRS) < 0.7, first, rng.integers(0, 5, PAIRS))
    for name, cluster in (("each its own record", None), ("records of five", np.arange(PAIRS) // 5)):
        timed(
            f"kappa with 2,000 resamples, {PAIRS:,} pairs, {name}",
            lambda cluster=cluster: kappa(confusions(first, second, range(5), cluster), interval="bootstrap"),
        )


def timed(name: str, work: Callable[[], object]) -> None:
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    print(f"{seconds:6.2f} s  (goal {GOAL:.0f} s)  {name}", flush=True)


if __name__ == "__main__":
    main()
