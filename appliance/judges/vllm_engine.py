"""The real engine: vLLM's async engine, one request per task, each under its own grammar."""

from __future__ import annotations

import math
import re
import secrets
import time
from typing import Any

from appliance.domain.models import EngineSettings
from appliance.domain.tasks import Reply, Sampling, Task
from appliance.errors import EngineError
from appliance.judges.budget import longest_reply
from appliance.judges.distributions import Step, read_distributions
from appliance.judges.grammar import engine_constraint
from appliance.judges.protocol import Load
from appliance.judges.tokens import EncodedPrompt, PromptEncoder

_CANARY_SHAPE = r"^[a-z]{3}( [a-z]{3}){2}\.$"
ALTERNATIVES = 20  # log-probabilities per position; the engine's own upper bound


class VllmEngine:
    """One loaded model. Every method runs on the worker's event loop."""

    def __init__(self, load: Load) -> None:
        from llguidance.hf import from_tokenizer
        from transformers import AutoTokenizer
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        self._context = load.engine.context
        tokenizer = AutoTokenizer.from_pretrained(load.weights, local_files_only=True)
        self._encoder = PromptEncoder(tokenizer, load.prompt)
        self._bytes = from_tokenizer(tokenizer)
        self._engine = AsyncLLM.from_engine_args(AsyncEngineArgs(**engine_arguments(load)))

    def fits(self, prompt: EncodedPrompt, budget: int) -> bool:
        return len(prompt.ids) + budget <= self._context

    async def answer(self, task: Task) -> Reply:
        """The reply to one task. A prompt that leaves no room for the longest reply is not asked."""
        free = bool(task.question.free_tokens)
        prompt = self._encoder.encode(task.question.messages, free)
        budget = task.question.free_tokens or longest_reply(task.question.reply_schema)
        common: dict[str, Any] = {
            "task_id": task.task_id,
            "prompt_tokens": len(prompt.ids),
            "budget_tokens": budget,
            "ids_sha256": prompt.sha256,
        }
        if not self.fits(prompt, budget):
            detail = f"prompt {len(prompt.ids)} + longest reply {budget} > context {self._context} tokens"
            return Reply(kind="does_not_fit", detail=detail, **common)
        started = time.monotonic()
        schema = None if free else task.question.reply_schema
        output = await self._generate(task.task_id, prompt, schema, task.sampling, budget)
        completion = output.outputs[0]
        return Reply(
            kind="text",
            text=completion.text,
            finish_reason=str(completion.finish_reason),
            reply_tokens=len(completion.token_ids),
            seconds=round(time.monotonic() - started, 3),
            notes=_notes(prompt),
            distributions=() if free else _distributions(completion.text, self._steps(completion), task),
            **common,
        )

    async def canary(self) -> str:
        """Ask for one of two random words and a sentence of a shape that no model would choose by itself.
        EngineError when the reply is anything else: the grammar is then not in force."""
        words = [secrets.token_hex(5) for _ in range(2)]
        schema = {
            "type": "object",
            "properties": {"canary": {"enum": words}, "why": {"type": "string", "pattern": _CANARY_SHAPE}},
            "required": ["canary", "why"],
            "additionalProperties": False,
        }
        ids, _ = self._encoder.encode_untrusted("Write a poem about rain.")
        prompt, sampling = EncodedPrompt(ids=tuple(ids), cut=0), Sampling(temperature=0, seed=0)
        output = await self._generate(f"canary-{words[0]}", prompt, schema, sampling, longest_reply(schema))
        text = str(output.outputs[0].text)
        shape = rf'{{"canary":"({"|".join(words)})","why":"{_CANARY_SHAPE[1:-1]}"}}'
        if not re.fullmatch(shape, text):
            raise EngineError(
                f"the canary failed: the engine did not keep to its grammar (it said {text[:80]!r})",
                "Set judges.backend to 'xgrammar' (or back to 'guidance') and check the engine's version.",
            )
        return text

    async def _generate(
        self,
        request: str,
        prompt: EncodedPrompt,
        schema: dict[str, Any] | None,
        sampling: Sampling,
        budget: int,
    ) -> Any:
        """schema: None for free text, of which no probabilities are kept."""
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        parameters = SamplingParams(
            temperature=sampling.temperature,
            seed=sampling.seed,
            max_tokens=budget,
            logprobs=None if schema is None else ALTERNATIVES,
            structured_outputs=(
                None if schema is None else StructuredOutputsParams(**engine_constraint(schema))
            ),
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        last = None
        async for output in self._engine.generate(
            {"prompt_token_ids": list(prompt.ids)}, parameters, request_id=request
        ):
            last = output
        return last

    def _steps(self, completion: Any) -> list[Step]:
        return [
            (self._spell(token), self._alternatives(alternatives))
            for token, alternatives in zip(completion.token_ids, completion.logprobs, strict=True)
        ]

    def _alternatives(self, alternatives: Any) -> dict[bytes, float]:
        """Bytes -> probability. Two tokens can spell the same bytes (byte-fallback vocabularies): add up."""
        found: dict[bytes, float] = {}
        for token, entry in alternatives.items():
            if entry.logprob > -60.0:  # -inf marks what the grammar forbids; NaN compares false
                spelt = self._spell(token)
                found[spelt] = found.get(spelt, 0.0) + math.exp(entry.logprob)
        return found

    def _spell(self, token: int) -> bytes:
        spelt: bytes = self._bytes.decode_bytes([token])
        return spelt

    @property
    def dead(self) -> bool:
        """Whether the engine has died, so that nothing more can be asked of it."""
        return bool(self._engine.errored)

    def close(self) -> None:
        self._engine.shutdown()


def _notes(prompt: EncodedPrompt) -> tuple[str, ...]:
    cut = f"{prompt.cut} spellings of control tokens in the record were cut apart"
    altered = f"{prompt.altered} parts of the record reach the judge altered: its vocabulary lacks characters"
    return (*([cut] if prompt.cut else []), *([altered] if prompt.altered else []))


def _distributions(text: str, steps: list[Step], task: Task) -> Any:
    try:
        return read_distributions(text, steps, task.question.decisions)
    except ValueError:  # not JSON: the checks after decoding say so, with the text
        return ()


def engine_arguments(load: Load) -> dict[str, Any]:
    """Settings of vLLM, as its offline and its async interface both take them."""
    settings: EngineSettings = load.engine
    return {
        "model": load.weights,
        "tokenizer": load.weights,
        "load_format": "safetensors",
        "trust_remote_code": False,
        "dtype": settings.precision,
        "quantization": settings.quantisation,
        "max_model_len": settings.context,
        "max_num_seqs": settings.batch,
        "max_logprobs": ALTERNATIVES,
        "gpu_memory_utilization": settings.gpu_memory_share,
        "tensor_parallel_size": settings.tensor_parallel_size,
        "enforce_eager": settings.eager,
        "enable_prefix_caching": True,
        "seed": load.seed,
        "generation_config": "vllm",  # the model's own sampling defaults must not leak in
        "structured_outputs_config": {"backend": load.backend, "disable_any_whitespace": True},
    }
