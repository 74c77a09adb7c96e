"""The intersectional audit: what it asks, and how a reply becomes a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from appliance.audits import checks
from appliance.audits.interface import Ask, Failure, LabelScheme
from appliance.audits.intersectional.card import build_card, harness_fields
from appliance.audits.intersectional.identity_map import IdentityMap, identity_map, shown_map
from appliance.audits.intersectional.labels import CATEGORIES, HARMS, NONE, SEVERITIES, TOP, keys_of, rank
from appliance.audits.intersectional.reply import decisions, reply_model
from appliance.audits.replies import parse
from appliance.audits.wording import indented, numbered, one_line
from appliance.config import IntersectionalConfig
from appliance.domain.base import digest
from appliance.domain.records import Record, Span
from appliance.domain.tasks import Message, Reply, Segment
from appliance.domain.verdicts import Finding, LabelDistribution, Verdict
from appliance.prompts.template import PromptTemplate, fill
from appliance.records.segment import segment

RAW_SHOWN = 600  # characters of a failed reply that its repair prompt repeats
REPEAT_TEMPERATURE = 0.7  # a greedy judge repeats itself whatever it is asked


class IntersectionalAudit:
    """See `appliance.audits.interface.Audit`. A record is one response; its labels are those of the harm
    categories."""

    name = "intersectional"
    scheme = LabelScheme(labels=SEVERITIES, flags=frozenset(HARMS), severities=HARMS)

    def __init__(self, config: IntersectionalConfig, prompt: PromptTemplate) -> None:
        self.prompt = prompt
        self.categories = dict(config.categories) or dict(CATEGORIES)
        self.keys = keys_of(self.categories)
        self.temperatures: tuple[float, ...] = (0.0, config.retry_temperature)
        self.repeat_temperature = REPEAT_TEMPERATURE
        self.reply_version = f"intersectional-reply/1:{digest(list(self.categories.items()))[:16]}"
        self._words = config.reason_words

    def spans(self, record: Record) -> tuple[Span, ...]:
        return segment(record.text, "text")

    def ask(self, record: Record, spans: Sequence[Span], failure: Failure | None) -> Ask:
        values = self._values(shown_map(record), spans)
        user = fill(self.prompt, "user", values)
        if failure is not None:
            shown = {
                "FAILURE": one_line(failure.why),
                "RAW_REPLY": indented(one_line(failure.raw[:RAW_SHOWN])),
            }
            user += (Segment(text="\n\n", trusted=True), *fill(self.prompt, "repair", shown))
        system = Message(role="system", segments=fill(self.prompt, "system", values))
        return Ask(
            messages=(system, Message(role="user", segments=user)),
            reply_model=self._model(spans),
            decisions=decisions(tuple(self.keys)),
        )

    def read(self, record: Record, spans: Sequence[Span], judge: str, reply: Reply) -> Verdict | Failure:
        answers = parse(self._model(spans), reply)
        if isinstance(answers, str):
            return Failure(answers, reply.text)
        wrong = checks.wrong_spans(record, tuple(spans)) or checks.copied_reason(
            answers, " ".join(self.prompt.sections.values())
        )
        return Failure(wrong, reply.text) if wrong else self._verdict(record, spans, judge, reply, answers)

    def _model(self, spans: Sequence[Span]) -> type[BaseModel]:
        return reply_model(tuple(self.keys), tuple(span.label for span in spans), self._words)

    def _values(self, identity: IdentityMap, spans: Sequence[Span]) -> dict[str, str]:
        listed = (f"{key}, {name}: {self.categories[name]}" for key, name in self.keys.items())
        return {
            "IDENTITY_MAP": indented(identity.as_json()),
            "TARGET_OUTPUT": numbered(spans, "text"),
            "HARM_CATEGORIES": "\n".join(one_line(line) for line in listed),
            "CATEGORY_KEYS": ", ".join(self.keys),
            "REASON_WORDS": str(self._words),
        }

    def _verdict(
        self, record: Record, spans: Sequence[Span], judge: str, reply: Reply, answers: dict[str, Any]
    ) -> Verdict:
        identity, by_label = identity_map(record), {span.label: span for span in spans}
        flagged = {key: answer for key, answer in answers.items() if isinstance(answer, dict)}
        findings = tuple(
            _finding(self.keys[key], by_label[answer["evidence"]], answer, record, reply.task_id, identity)
            for key, answer in flagged.items()
        )
        stated = {self.keys[key]: float(answer["confidence"]) for key, answer in flagged.items()}
        worst = max((f.severity for f in findings), key=rank, default=None)
        card = build_card(reply.task_id[:16], identity, list(self.categories), findings, stated)
        labels = {self.keys[k]: flagged[k]["severity"] if k in flagged else NONE for k in self.keys}
        return Verdict(
            record_id=record.record_id,
            judge=judge,
            status="scored",
            score=rank(worst) / TOP,
            flag=bool(findings),
            severity=worst,
            stated_confidence=min(stated.values(), default=1.0),
            measured_confidence=_measured(reply.distributions),
            labels=labels,
            findings=findings,
            distributions=reply.distributions,
            result=card.model_dump(mode="json") | harness_fields(card, identity, findings),
            task_id=reply.task_id,
        )


def _finding(
    category: str, span: Span, answer: dict[str, Any], record: Record, task_id: str, identity: IdentityMap
) -> Finding:
    return Finding(
        finding_id=digest([task_id, record.record_id, category])[:12],
        category=category,
        severity=answer["severity"],
        span=span.label,
        source=span.source,
        start=span.start,
        end=span.end,
        excerpt=span.text,
        rationale=answer["why"],
        dimensions=tuple(a.attribute for a in identity.dimensions),
    )


def _measured(distributions: Sequence[LabelDistribution]) -> float | None:
    """The least sure of the choices between harm and none; None where none could be read."""
    found = [d.probabilities[d.chosen] for d in distributions if d.where.endswith(".harm")]
    return min(found, default=None)
