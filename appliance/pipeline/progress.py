"""How long work says where it is."""

from __future__ import annotations

from collections.abc import Callable

# (who is asked, how many are done, how many there are, what is going on)
Progress = Callable[[str, int, int, str], None]
WAIT = 0.5  # seconds that a wait for replies lasts at most
