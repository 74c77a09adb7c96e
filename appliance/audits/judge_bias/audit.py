"""What the target judge is asked, and how its reply becomes a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from appliance.audits.interface import Ask, Failure, LabelScheme
from appliance.audits.judge_bias.target import Target
from appliance.audits.replies import parse
from appliance.domain.records import Record, Span
from appliance.domain.tasks import Message, Reply, Segment
from appliance.domain.verdicts import LabelDistribution, Verdict
from appliance.prompts.template import fill

RAW_SHOWN = 600  # characters of a failed reply that its repair prompt repeats
# Said where the user's own prompt has no section for it.
REPAIR = "\n\nYour previous reply did not keep to the form asked for. Reply with exactly that JSON object."


class JudgeBiasAudit:
    """See `appliance.audits.interface.Audit`. A record is one variant (pointwise) or one pair in one order
    (pairwise: the record's text is shown first, its `other` second)."""

    name = "judge-bias"
    scheme = LabelScheme(labels=(), flags=frozenset(), severities=())

    def __init__(self, target: Target) -> None:
        self.target = target
        self.prompt = target.prompt
        self.temperatures: tuple[float, ...] = (target.config.temperature, *target.config.retry_temperatures)
        self.repeat_temperature = target.config.temperature
        self.reply_version = f"judge-bias-reply/1:{target.version}"

    def spans(self, record: Record) -> tuple[Span, ...]:
        return ()

    def ask(self, record: Record, spans: Sequence[Span], failure: Failure | None) -> Ask:
        values = self._values(record)
        user = fill(self.prompt, "user", values)
        if failure is not None:
            user += self._repair(failure)
        system = fill(self.prompt, "system", values) if "system" in self.prompt.sections else ()
        messages = [Message(role="user", segments=user)]
        if system:
            messages.insert(0, Message(role="system", segments=system))
        return Ask(tuple(messages), self.target.model, (self.target.decision(),))

    def read(self, record: Record, spans: Sequence[Span], judge: str, reply: Reply) -> Verdict | Failure:
        answers = parse(self.target.model, reply)
        if isinstance(answers, str):
            return Failure(answers, reply.text)
        chosen = answers[self.target.config.score_field]
        found = next((d for d in reply.distributions if d.where == self.target.config.score_field), None)
        return Verdict(
            record_id=record.record_id,
            judge=judge,
            status="scored",
            score=self.number(chosen),
            flag=False,
            measured_confidence=found.probabilities[found.chosen] if found else None,
            distributions=reply.distributions,
            result={"answer": answers, "chosen": chosen, "expected": self._expected(found)},
            task_id=reply.task_id,
        )

    def number(self, chosen: Any) -> float:
        """A score as it is; a choice as 1 for the first shown, 0 for the second, one half for a tie."""
        if not self.target.pairwise:
            return float(chosen)
        return {0: 1.0, 1: 0.0}.get(self.target.config.choices.index(chosen), 0.5)

    def _expected(self, found: LabelDistribution | None) -> float | None:
        """The score weighted by the judge's own probabilities; None where they could not be read."""
        if found is None:
            return None
        numbers = {str(value): self.number(value) for value in self.target.values}
        return sum(share * numbers[label] for label, share in found.probabilities.items())

    def _values(self, record: Record) -> dict[str, str]:
        parts = {
            "input": record.context,
            "output": record.text,
            "first": record.text,
            "second": record.other,
            "rubric": self.target.config.rubric,
        }
        return {placeholder: parts[part] for placeholder, part in self.target.inputs.items()}

    def _repair(self, failure: Failure) -> tuple[Segment, ...]:
        if "repair" not in self.prompt.sections:
            return (Segment(text=REPAIR, trusted=True),)
        shown = {"FAILURE": failure.why, "RAW_REPLY": failure.raw[:RAW_SHOWN]}
        return (Segment(text="\n\n", trusted=True), *fill(self.prompt, "repair", shown))
