"""Records per second of the appliance's worker, as a ratio to vLLM's own batch call in the same run.

Both answer the first attempt at every sample record: same token ids, same grammars, same sampling. The
appliance adds its pipe, one coroutine a record, label probabilities and the conversion of replies. Raw vLLM
runs once with the same log-probabilities and once without, so that their share can be seen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from appliance.config import load_config, project_root
from appliance.domain.tasks import Task
from appliance.judges.budget import longest_reply
from appliance.judges.client import engine_environment
from appliance.judges.protocol import Load
from appliance.judges.tokens import PromptEncoder
from appliance.pipeline.judges import JudgeSpec, judge_spec
from appliance.pipeline.prepare import make_question_task, prepare


def main(name: str) -> None:
    config = load_config(Path("samples/competence/audit.toml"))
    prepared = prepare(config, project_root())
    judge = judge_spec(prepared.root, name, config.judges, prepared.audit)
    tasks = [make_question_task(prepared, judge, r, 1, None) for r in prepared.records.records]
    ours = _appliance(judge, tasks)
    raw = _raw(judge, tasks, logprobs=20)
    bare = _raw(judge, tasks, logprobs=None)
    print(f"{name}, {len(tasks)} records, {os.cpu_count()} cores")
    print(f"appliance:                 {ours:.3f} records/s")
    print(f"raw vLLM, same logprobs:   {raw:.3f} records/s   appliance/raw {ours / raw:.2f}")
    print(f"raw vLLM, no logprobs:     {bare:.3f} records/s   appliance/raw {ours / bare:.2f}")


def _appliance(judge: JudgeSpec, tasks: list[Task]) -> float:
    session = judge.session(True)
    try:
        session.start(lambda: False)
        started = time.monotonic()
        for task in tasks:
            session.submit(task)
        done = 0
        while done < len(tasks):
            done += len(session.receive(1.0))
        return len(tasks) / (time.monotonic() - started)
    finally:
        session.close()


def _raw(judge: JudgeSpec, tasks: list[Task], logprobs: int | None) -> float:
    """In a process of its own, with the worker's environment, so that both have the machine alone."""
    from transformers import AutoTokenizer

    assert judge.manifest is not None and judge.weights is not None
    encoder = PromptEncoder(AutoTokenizer.from_pretrained(str(judge.weights)), judge.manifest.prompt)
    job = {
        "model": str(judge.weights),
        "engine": judge.manifest.engine.model_dump(),
        "logprobs": logprobs,
        "prompts": [list(encoder.encode(t.question.messages).ids) for t in tasks],
        "schemas": [t.question.reply_schema for t in tasks],
        "budgets": [longest_reply(t.question.reply_schema) for t in tasks],
    }
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        load = Load(
            weights=str(judge.weights),
            prompt=judge.manifest.prompt,
            engine=judge.manifest.engine,
            backend="guidance",
            seed=1,
            isolated=False,
        )
        environment = {**os.environ, **engine_environment(scratch, Path(scratch), load)}
        done = subprocess.run(
            [sys.executable, __file__, "--raw", str(file)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        return float(done.stdout.strip().splitlines()[-1])


def _run_raw(file: Path) -> None:
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    job = json.loads(file.read_text(encoding="utf-8"))
    engine = job["engine"]
    llm = LLM(
        model=job["model"],
        dtype=engine["precision"],
        max_model_len=engine["context"],
        max_num_seqs=engine["batch"],
        enforce_eager=engine["eager"],
        load_format="safetensors",
        generation_config="vllm",
        seed=1,
        structured_outputs_config={"backend": "guidance", "disable_any_whitespace": True},
    )
    parameters = [
        SamplingParams(
            temperature=0,
            seed=1,
            max_tokens=budget,
            logprobs=job["logprobs"],
            structured_outputs=StructuredOutputsParams(json=schema),
        )
        for schema, budget in zip(job["schemas"], job["budgets"], strict=True)
    ]
    prompts = [{"prompt_token_ids": ids} for ids in job["prompts"]]
    started = time.monotonic()
    llm.generate(prompts, parameters, use_tqdm=False)
    print(len(prompts) / (time.monotonic() - started), flush=True)
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "--raw":
        _run_raw(Path(sys.argv[2]))
    else:
        main(sys.argv[1])
