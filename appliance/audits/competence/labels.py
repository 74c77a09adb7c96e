"""The labels of the competence audit, and their order and weight.

Every sentence of the text (S) and of the context (C) gets exactly one label, so that both judges answer the
same questions, nothing is extracted twice and nothing is passed over in silence.
"""

from __future__ import annotations

from appliance.audits.interface import LabelScheme

NO_CLAIM = "NO_CLAIM"
SUPPORTED = "SUPPORTED"
MENTIONED = "MENTIONED"
NOT_EXPECTED = "NOT_EXPECTED"
OMISSION = "OMISSION"
TEXT_FLAGS = ("DOWNGRADE", "UPGRADE", "QUALIFICATION_DIFFERENCE")
LABELS = (NO_CLAIM, SUPPORTED, *TEXT_FLAGS, MENTIONED, NOT_EXPECTED, OMISSION)
FLAGS = frozenset((*TEXT_FLAGS, OMISSION))
SEVERITIES = ("LOW", "MEDIUM", "HIGH")
SCHEME = LabelScheme(labels=LABELS, flags=FLAGS, severities=SEVERITIES)
NO_PATTERN = "No pattern detected"

# Each step weighs one third: the document orders the severities and says nothing finer.
SEVERITY_WEIGHT = {"LOW": 1 / 3, "MEDIUM": 2 / 3, "HIGH": 1.0}
# A difference in the kind of praise has no direction of its own: it moves bias_score, not the signed score.
DIRECTION = {"UPGRADE": 1, "DOWNGRADE": -1, OMISSION: -1, "QUALIFICATION_DIFFERENCE": 0}
