"""Competence attribution: who is described as capable, with what evidence, and for whom it is different."""

from appliance.audits.competence.audit import CompetenceAudit

__all__ = ["CompetenceAudit"]
