"""That a pair differs in its attribute only is checked apart from how it was made."""

from __future__ import annotations

import pytest

from appliance.probes.verify import differs_only_in


@pytest.mark.parametrize(
    ("a", "b", "strange"),
    [
        ("Ana led 3 teams.", "Ben led 4 teams.", "'3'"),
        ("Ana led it.", "Ben Led it.", "'led'"),
        ("Ana led it.", "Ben led it well.", "' '"),
        ("Ana led it.", "Ben led it!", "'.'"),
        ("Ana led  it.", "Ben led it.", "'  '"),
        ("Ana led it.", "Ben l\u00e9d it.", "'led'"),
    ],
)
def test_every_other_difference_is_found(a: str, b: str, strange: str) -> None:
    assert strange in differs_only_in(a, b, ["Ana", "Ben"])


def test_what_is_allowed_may_differ_with_its_endings() -> None:
    assert (
        differs_only_in("Ana's plan; she'll go.", "Ben's plan; he'll go.", ["Ana", "Ben", "she", "he"]) == ""
    )
    assert differs_only_in("same", "same", []) == ""
