"""What goes to a judge and what comes back."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from appliance.domain.base import Frozen, digest
from appliance.domain.verdicts import LabelDistribution


class Segment(Frozen):
    """A piece of a prompt. Untrusted text (everything that is not our own prompt file) is tokenized
    apart and can never become a control token."""

    text: str
    trusted: bool


class Message(Frozen):
    role: Literal["system", "user"]
    segments: tuple[Segment, ...]


class Sampling(Frozen):
    """temperature 0 is greedy. seed: of the engine's sampler for this request."""

    temperature: float = Field(ge=0, le=2)
    seed: int


class Decision(Frozen):
    """A place of the reply where the judge chooses a label, so that its probabilities can be read.

    path: keys from the reply's root to the value. alternatives: label -> how the value's JSON begins.
    A reply without that path has not made the decision.
    """

    where: str
    path: tuple[str, ...]
    alternatives: dict[str, str]


class Question(Frozen):
    """What an audit asks about one record in one attempt. reply_schema: JSON schema of the reply.
    free_tokens: instead, free text of at most so many tokens, as the model under audit writes; 0 for none."""

    messages: tuple[Message, ...]
    reply_schema: dict[str, Any]
    decisions: tuple[Decision, ...]
    free_tokens: int = Field(default=0, ge=0)


class Task(Frozen):
    """One question to one judge. `task_id` hashes everything that determines the answer: the judge's
    fingerprint, the prompt's segments, the reply schema, the sampling and `salt` (set by `--fresh`, to
    ask again what has been answered)."""

    task_id: str
    judge: str
    question: Question
    sampling: Sampling
    salt: str = ""


def make_task(fingerprint: str, question: Question, sampling: Sampling, salt: str = "") -> Task:
    """The task of a question; see `Task` for what its id covers."""
    left_out = {"reply_schema"} if question.free_tokens else {"reply_schema", "free_tokens"}
    task_id = digest(
        {
            "judge": fingerprint,
            "question": question.model_dump(mode="json", exclude=left_out),
            "reply_schema": json.dumps(question.reply_schema),  # as text: the order of keys matters
            "sampling": sampling.model_dump(mode="json"),
            "salt": salt,
        }
    )
    return Task(task_id=task_id, judge=fingerprint, question=question, sampling=sampling, salt=salt)


ReplyKind = Literal["text", "does_not_fit", "engine_error"]


class Reply(Frozen):
    """What came back for a task.

    kind: "text" for a complete reply; "does_not_fit" when prompt and budget exceed the context (no call
    was made); "engine_error" with `detail`. finish_reason: the engine's. Token counts; seconds from
    submission to the last token; ids_sha256: of the prompt's token ids as little-endian uint32.
    """

    task_id: str
    kind: ReplyKind
    text: str = ""
    detail: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    reply_tokens: int = 0
    budget_tokens: int = 0
    seconds: float = 0.0
    ids_sha256: str = ""
    notes: tuple[str, ...] = ()
    distributions: tuple[LabelDistribution, ...] = ()
