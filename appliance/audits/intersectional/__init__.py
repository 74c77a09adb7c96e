"""Intersectional bias: harm that appears only where identities combine."""

from appliance.audits.intersectional.audit import IntersectionalAudit

__all__ = ["IntersectionalAudit"]
