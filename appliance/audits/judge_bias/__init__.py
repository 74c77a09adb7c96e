"""The judge-bias audit: is the judge itself swayed by what should not matter?"""

from appliance.audits.judge_bias.audit import JudgeBiasAudit

__all__ = ["JudgeBiasAudit"]
