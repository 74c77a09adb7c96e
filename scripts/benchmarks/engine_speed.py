"""How much of raw vLLM's speed an audit keeps, measured in one run on the same prompts.

For each judge: the audit of the sample records through the appliance (worker, grammar, checks, commits),
then the same prompts given to vLLM at once, under the same grammars, and once more without a grammar for
replies of the same lengths. Tokens per second of replies; loading is not counted in any of the three.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from appliance.config import worker_environment
from appliance.domain.tasks import Message
from appliance.judges.client import engine_environment
from appliance.judges.manifests import load_manifest, weights_dir
from appliance.judges.protocol import Load

ROOT = Path(__file__).resolve().parents[2]
JUDGES = ("smollm2-135m", "gemma3-270m")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judge", action="append", choices=JUDGES, help="one judge only")
    parser.add_argument("--raw", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.raw:
        json.dump(raw(json.loads(Path(options.raw).read_text())), sys.stdout)
        return
    for judge in options.judge or JUDGES:
        with tempfile.TemporaryDirectory() as folder:
            report(judge, *measure(judge, Path(folder)))


def measure(judge: str, folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """(the appliance's, raw vLLM's) figures for one judge."""
    records = ROOT / "samples" / "competence" / "records.csv"
    config, store = folder / "audit.toml", folder / "audit.sqlite"
    config.write_text(
        f'audit = "competence"\nstore = "{store}"\n[input]\npath = "{records}"\n'
        f'[judges]\na = "{judge}"\nb = "scripted:keywords"\n[limits]\nmax_unscored = 1.0\n'
    )
    command = [sys.executable, "-m", "appliance.cli", "run", str(config), "--json"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(store) as database:
        asked = database.execute(
            "SELECT messages, reply_schema, reply_tokens FROM tasks JOIN attempts USING (task_id) "
            "JOIN judges USING (fingerprint) WHERE name = ? ORDER BY attempt_id",
            [judge],
        ).fetchall()
        (seconds,) = database.execute(
            "SELECT json_extract(detail, '$.seconds') FROM events WHERE kind = 'turn_ended' "
            "AND json_extract(detail, '$.judge') = ?",
            [judge],
        ).fetchone()
    ours = {"seconds": seconds, "tokens": sum(row[2] for row in asked), "calls": len(asked)}
    return ours, raw_process(judge, asked, folder)


def raw_process(judge: str, asked: list[tuple[str, str, int]], folder: Path) -> dict[str, float]:
    """A process of its own, so that the memory of the audit's worker is free again."""
    manifest = load_manifest(ROOT, judge)
    load = Load(
        weights=str(weights_dir(ROOT, manifest)),
        prompt=manifest.prompt,
        engine=manifest.engine,
        backend="guidance",
        seed=0,
        isolated=False,
    )
    work = folder / "raw.json"
    work.write_text(json.dumps({"load": load.model_dump(mode="json"), "asked": asked}))
    command = [sys.executable, str(Path(__file__).resolve()), "--raw", str(work)]
    environment = worker_environment(engine_environment(str(folder), folder / "cache", load))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def raw(work: dict[str, Any]) -> dict[str, float]:
    """The offline interface of vLLM, all prompts in one call."""
    from transformers import AutoTokenizer
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    from appliance.judges.budget import longest_reply
    from appliance.judges.grammar import engine_constraint
    from appliance.judges.tokens import PromptEncoder
    from appliance.judges.vllm_engine import ALTERNATIVES, engine_arguments

    load = Load.model_validate(work["load"])
    encoder = PromptEncoder(AutoTokenizer.from_pretrained(load.weights, local_files_only=True), load.prompt)
    prompts, guided, free = [], [], []
    for messages, schema_text, reply_tokens in work["asked"]:
        parsed = tuple(Message.model_validate(m) for m in json.loads(messages))
        prompts.append({"prompt_token_ids": list(encoder.encode(parsed).ids)})
        schema = json.loads(schema_text)
        common = {"temperature": 0.0, "seed": load.seed, "logprobs": ALTERNATIVES}
        guided.append(
            SamplingParams(
                max_tokens=longest_reply(schema),
                structured_outputs=StructuredOutputsParams(**engine_constraint(schema)),
                **common,
            )
        )
        free.append(SamplingParams(max_tokens=reply_tokens, ignore_eos=True, **common))
    engine = LLM(**engine_arguments(load))
    found: dict[str, float] = {}
    for name, parameters in (("guided", guided), ("free", free)):
        engine.generate(prompts[:1], parameters[:1], use_tqdm=False)  # first-request costs count in neither
        engine.reset_prefix_cache()
        started = time.monotonic()
        outputs = engine.generate(prompts, parameters, use_tqdm=False)
        found[f"{name}_seconds"] = time.monotonic() - started
        found[f"{name}_tokens"] = sum(len(output.outputs[0].token_ids) for output in outputs)
    return found


def report(judge: str, ours: dict[str, float], theirs: dict[str, float]) -> None:
    speed = ours["tokens"] / ours["seconds"]
    print(f"{judge}: {ours['calls']} calls, {ours['tokens']} reply tokens in {ours['seconds']:.1f} s")
    print(f"  appliance                     {speed:8.1f} tokens/s")
    for name, words in (("guided", "raw vLLM, same grammars"), ("free", "raw vLLM, no grammar")):
        other = theirs[f"{name}_tokens"] / theirs[f"{name}_seconds"]
        print(f"  {words:29} {other:8.1f} tokens/s   appliance / raw = {speed / other:.2f}")


if __name__ == "__main__":
    main()
