"""Chat logs and other texts of several turns: found, so that they are not scored as one text.

Caution goes one way: a form or a letter that is refused is lost to the audit, so words that also
head a form ("Candidate:", "Manager:") count only where at least two such speakers really speak.
One chat marker alone is judged: it is more likely an injection than a conversation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

_CHAT_SPEAKERS = (
    r"user|human|(?:ai )?assistant|ai|chatbot|bot|chatgpt|gpt-?\d[\w.]*|claude|gemini|llama|mistral"
    r"|(?:you|chatgpt) said|usuario|asistente|utilisateur|nutzer|assistent|用户|助手|ユーザー|アシスタント"
)
_FORM_SPEAKERS = (
    r"system|model|interviewer|interviewee|candidate|applicant|recruiter|manager|supervisor|employee"
    r"|teacher|student|tutor|agent|customer|client|support|representative|doctor|nurse|patient|therapist"
    r"|moderator|participant|speaker|respondent|host|guest|caller|operator|entrevistador|entrevistadora"
)
_HEADER = re.compile(
    rf"^[ \t>*_#\-]{{0,8}}(?:(?P<chat>{_CHAT_SPEAKERS})|(?P<form>{_FORM_SPEAKERS}))"
    r"(?P<number>[ _]?\d{1,3})?[ \t]*(?:\([^)\n]{0,40}\)|\[[^\]\n]{0,40}\])?[ \t]*[*_]{0,3}[ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(rf"^#{{1,6}}[ \t]*(?:{_CHAT_SPEAKERS})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_MARKER = re.compile(
    r"<\|im_start\|>|<\|start_header_id\|>|<\|start\|>|<\|(?:user|assistant|system)\|>|<start_of_turn>"
    r"|<\|START_OF_TURN_TOKEN\|>|<｜(?:User|Assistant)｜>|\[INST\]",
)
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[ap]\.?m\.?)?"
_STAMP = re.compile(
    rf"^[ \t\u200e\u200f]{{0,4}}(?:\[(?:[\d./\-]{{6,10}},?[ T])?{_TIME}\]"
    rf"|\d{{1,4}}[./\-]\d{{1,2}}[./\-]\d{{2,4}},?[ \t]{_TIME}[ \t][-–])[ \t]*[^\n:\[\]]{{1,40}}:",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)]*\s*\Z")
_REMEDY = (
    "is not scored as one text: give each turn to be audited a record of its own "
    "(for example ids ending in -1, -2), with the turns before it as its context"
)


def conversation_reason(value: object) -> str:
    """Why this value (a text, or any JSON value) is a conversation; empty where it is not one."""
    if not isinstance(value, str):
        return _reason("a list of chat messages") if is_messages(value, at_least=1) else ""
    if _holds_messages(value):
        return _reason("a JSON list of chat messages")
    for pattern in (_MARKER, _STAMP, _HEADING):
        if len(found := [match.group().strip() for match in pattern.finditer(value)]) > 1:
            return _reason(f"{len(found)} turns such as '{found[0]}'")
    return _headers_reason(value)


def is_messages(value: object, at_least: int) -> bool:
    """Whether a JSON value is a list of messages: who speaks, and what."""
    if isinstance(value, dict):
        value = value.get("messages", value.get("conversations"))
    if not isinstance(value, list) or len(value) < at_least:
        return False
    return all(isinstance(item, dict) and _is_message(item) for item in value)


def _is_message(item: dict[str, object]) -> bool:
    return bool(item.keys() & {"role", "from", "speaker"}) and bool(
        item.keys() & {"content", "value", "text"}
    )


def _holds_messages(text: str) -> bool:
    """A cheap look at the first character first: almost no audited text starts as JSON does."""
    if not text.lstrip().startswith(("[", "{")):
        return False
    try:
        return is_messages(json.loads(text), at_least=2)
    except (ValueError, RecursionError):
        return False


def _headers_reason(text: str) -> str:
    headers = list(_HEADER.finditer(text))
    if sum(header["chat"] is not None for header in headers) > 1 or _is_spoken(text, headers):
        first, second = (header.group().strip() for header in headers[:2])
        return _reason(f"{len(headers)} turns such as '{first}' and '{second}'")
    return ""


def _is_spoken(text: str, headers: list[re.Match[str]]) -> bool:
    """Two speakers say whole sentences, or both speak again: not the head of a form."""
    turns = list(_turns(text, headers))
    speaking = {who for who, words in turns if _is_speech(words)}
    again = [who for who, times in Counter(who for who, _ in turns).items() if times > 1]
    return len(speaking) > 1 or len(again) > 1


def _turns(text: str, headers: list[re.Match[str]]) -> Iterator[tuple[str, str]]:
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=False):
        who = (header["chat"] or header["form"]) + (header["number"] or "")
        yield who.casefold(), text[header.end() : end]


def _is_speech(words: str) -> bool:
    """Four words that end as a sentence does, or eight words: more than a name or a job title."""
    count = len(words.split())
    return count >= 8 or (count >= 4 and _SENTENCE_END.search(words) is not None)


def _reason(what: str) -> str:
    return f"conversation ({what}), which {_REMEDY}"
