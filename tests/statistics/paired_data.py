"""Published pairs, and short ways to make others."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from appliance.statistics.paired.pairs import Pairs, make_pairs

SLEEP = make_pairs(
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2], [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
)
MOVIE = make_pairs([9, 7, 8, 9, 8, 9, 9, 10, 9, 9], [9, 6, 7, 8, 7, 9, 8, 8, 8, 7])
scores = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


def of(differences: Any, cluster: Any = None) -> Pairs:
    return make_pairs(differences, np.zeros(len(differences)), cluster=cluster)


def p(found: Any) -> float:
    assert found.p is not None
    return float(found.p)
