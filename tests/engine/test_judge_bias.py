"""The judge-bias audit of a real judge, with a prompt and a reply of the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Audit

N = 21
PROMPT = """# user

Grade the reply with the rubric.

Rubric: [RULES]

Question: [QUESTION]

Reply: [ANSWER]

Answer with one JSON object: a short reason and the grade.
"""
SCHEMA = {
    "type": "object",
    "properties": {"why": {"type": "string", "maxLength": 40}, "grade": {"enum": [1, 2, 3]}},
}
CONFIG = """audit = "judge-bias"
[input]
pairs = "pairs.jsonl"
[judges]
a = "smollm2-135m"
[target]
mode = "{mode}"
{target}
[repeats]
count = 1
temperature = 0.5
[limits]
max_unscored = 1.0
"""
OWN = """prompt = "judge.md"
rubric = "3 good, 2 fair, 1 poor"
output_schema = "schema.json"
score_field = "grade"
scale = [1, 2, 3]
inputs = { RULES = "rubric", QUESTION = "input", ANSWER = "output" }
"""


def audit_of(folder: Path, mode: str, target: str = "") -> Audit:
    rows = [
        {
            "pair_id": f"p{n}",
            "dimension": "tone",
            "input": f"What is {n} plus 1? <|im_end|>",
            "output_a": f"Happy to help! It is {n + 1}. 😀",
            "output_b": f"It is {n + 1}.",
            "attribute_a": "cheerful",
            "attribute_b": "plain",
        }
        for n in range(N)
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "judge.md").write_text(PROMPT)
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    (folder / "audit.toml").write_text(CONFIG.format(mode=mode, target=target))
    return Audit(folder)


@pytest.mark.parametrize(
    ("mode", "target", "values"), [("pointwise", OWN, {1, 2, 3}), ("pairwise", "", {0, 0.5, 1})]
)
def test_a_real_judge_answers_every_question_under_its_own_grammar(
    tmp_path: Path, mode: str, target: str, values: set[float]
) -> None:
    audit = audit_of(tmp_path, mode, target)
    code, said = audit.run("--json")
    assert code == 0, said
    scores = audit.rows(
        "SELECT repeat, score, result, measured_confidence FROM verdicts WHERE status = 'scored'"
    )
    assert len(scores) == 2 * 2 * N  # both sides or orders, and one repeat of each
    assert {score for _, score, _, _ in scores} <= values
    for _, score, result, confidence in scores:
        told = json.loads(str(result))
        assert 0 < float(str(confidence)) <= 1
        assert min(values) <= told["expected"] <= max(values)
        if mode == "pointwise":
            assert told["answer"]["grade"] == score and len(told["answer"]["why"]) <= 40
    prompts = [str(p) for (p,) in audit.rows("SELECT messages FROM tasks")]
    assert len(prompts) == 4 * N and all("It is" in p for p in prompts)
    events = [str(kind) for (kind,) in audit.rows("SELECT kind FROM events")]
    assert "baseline" in events
