"""How data enter a statistic: checked once, unscored counted, kept read-only beside the result."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.domain.estimates import EffectSize, Estimate, Significance

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LARGEST = 1e100


def scores(values: npt.ArrayLike, name: str) -> Array:
    """One-dimensional floats in which NaN (or None) is an unscored unit. Raises ValueError on anything else:
    an infinite score is an error of the caller's, not a missing value, and so is one whose cube overflows."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: numbers expected, NaN or None for unscored ({error})") from error
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, found shape {array.shape}")
    if np.isinf(array).any():
        raise ValueError(f"{name}: the score at position {int(np.isinf(array).argmax())} is infinite")
    if (np.abs(array) > LARGEST).any():
        raise ValueError(
            f"{name}: the score at position {int((np.abs(array) > LARGEST).argmax())} is too large"
        )
    return array


def codes(values: Sequence[Hashable] | npt.NDArray[Any], labels: Sequence[Hashable], name: str) -> Codes:
    """Position of each value in `labels`, -1 for None (unscored). Raises ValueError for a value that the
    list lacks: a label that is silently dropped would change every chance correction."""
    places: Mapping[Hashable, int] = {label: i for i, label in enumerate(labels)}
    if len(places) != len(labels):
        raise ValueError(f"{name}: the list of labels names one of them twice")
    found = np.empty(len(values), dtype=np.int64)
    for i, value in enumerate(values):
        if value is None:
            found[i] = -1
        elif value in places:
            found[i] = places[value]
        else:
            raise ValueError(f"{name}: {value!r} at position {i} is not in the list of labels")
    return found


def clusters(values: Sequence[Hashable] | npt.NDArray[Any] | None, n: int, name: str = "clusters") -> Codes:
    """Cluster numbers 0..k-1 of n units; None makes every unit its own cluster. Numbers follow the first
    appearance of each cluster. Raises ValueError for a number that differs from n, and for a unit whose
    cluster is None or NaN: whether it stands alone or with the others would be a guess."""
    if values is None:
        return np.arange(n, dtype=np.int64)
    if len(values) != n:
        raise ValueError(f"{name}: {len(values)} given for {n} units")
    numbers: dict[Hashable, int] = {}
    items = values.tolist() if isinstance(values, np.ndarray) else values
    for place, value in enumerate(items):
        if value is None or value != value:
            raise ValueError(f"{name}: the unit at position {place} has none")
    return np.array([numbers.setdefault(value, len(numbers)) for value in items], dtype=np.int64)


def same_length(**arrays: npt.NDArray[Any]) -> int:
    """The common length. Raises ValueError that names each."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"arrays of one length expected, found {found}")
    return next(iter(lengths.values()))


def kept(**inputs: Any) -> dict[str, Any]:
    """The inputs of a result; arrays as read-only views, so that a result cannot be made to disagree with
    what it says that it came from."""
    found = {}
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        found[name] = value
    return found


def undefined(
    method: str,
    note: str,
    n: int = 0,
    n_unscored: int = 0,
    source: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> Estimate:
    """An estimate without a value; `note` says why."""
    return Estimate(
        value=None, low=None, high=None, n=n, n_unscored=n_unscored, method=method, source=source, note=note,
        inputs=inputs or {},
    )  # fmt: skip


def undefined_effect(
    method: str,
    note: str,
    n: int = 0,
    n_unscored: int = 0,
    source: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> EffectSize:
    """An effect size without a value; `note` says why."""
    return EffectSize(
        value=None, low=None, high=None, interpretation=None, n=n, n_unscored=n_unscored, method=method,
        source=source, note=note, inputs=inputs or {},
    )  # fmt: skip


def untestable(
    method: str,
    note: str,
    n: int = 0,
    n_unscored: int = 0,
    source: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> Significance:
    """A test without a p; `note` says why."""
    return Significance(
        statistic=None, p=None, n=n, n_unscored=n_unscored, method=method, source=source, note=note,
        inputs=inputs or {},
    )  # fmt: skip
