"""The parent's side of a worker, against workers that misbehave."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from appliance.domain.models import EngineSettings, PromptStyle
from appliance.domain.tasks import Message, Question, Reply, Sampling, Segment, Task, make_task
from appliance.errors import EngineError, IncompleteError
from appliance.judges.client import WorkerSession, engine_environment
from appliance.judges.protocol import Load, Ready, ToParent

READY = ToParent(ready=Ready(engine="e", device="d", interfaces=("lo",), canary="c", load_seconds=0))
LOAD = Load(
    weights="w",
    prompt=PromptStyle(),
    engine=EngineSettings(context=100),
    backend="guidance",
    seed=1,
    isolated=False,
)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> WorkerSession:
    """A session whose worker is a shell script: the test's parameter."""
    fake = tmp_path / "worker"
    fake.write_text(f"#!/bin/sh\nread -r load\n{request.param}\n", encoding="utf-8")
    fake.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(fake))
    made = WorkerSession("judge", LOAD, tmp_path / "cache")
    request.addfinalizer(made.close)
    return made


def never() -> bool:
    return False


def line(message: ToParent) -> str:
    return f"cat <<'END'\n{message.model_dump_json()}\nEND"


def task() -> Task:
    message = Message(role="user", segments=(Segment(text="x", trusted=True),))
    return make_task(
        "j", Question(messages=(message,), reply_schema={}, decisions=()), Sampling(temperature=0, seed=1)
    )


@pytest.mark.parametrize("session", ["echo garbage; sleep 30"], indirect=True)
def test_a_worker_that_sends_no_messages_is_an_error_and_no_wait(session: WorkerSession) -> None:
    with pytest.raises(EngineError, match="not a message"):
        session.start(never)


@pytest.mark.parametrize("session", ["echo 'RuntimeError: no room' >&2; exit 7"], indirect=True)
def test_a_worker_that_dies_while_loading_says_its_last_words(session: WorkerSession) -> None:
    with pytest.raises(EngineError, match="exit 7") as caught:
        session.start(never)
    assert "no room" in caught.value.hint


@pytest.mark.parametrize("session", [line(ToParent(fatal="broken", hint="mend it"))], indirect=True)
def test_a_workers_own_reason_and_hint_reach_the_user(session: WorkerSession) -> None:
    with pytest.raises(EngineError, match="judge judge: broken") as caught:
        session.start(never)
    assert caught.value.hint == "mend it"


@pytest.mark.parametrize("session", ["sleep 30"], indirect=True)
def test_loading_can_be_interrupted(session: WorkerSession) -> None:
    started = time.monotonic()
    with pytest.raises(IncompleteError):
        session.start(lambda: time.monotonic() - started > 0.2)


REPLY = Reply(task_id="t", kind="text", text="{}")


@pytest.mark.parametrize("session", [f"{line(READY)}\n{line(ToParent(reply=REPLY))}\nexit 9"], indirect=True)
def test_replies_before_a_death_come_first_and_then_the_error(session: WorkerSession) -> None:
    session.start(never)
    session.submit(task())
    assert list(session.receive(5)) == [REPLY]
    with pytest.raises(EngineError, match="exit 9"):
        session.receive(5)


@pytest.mark.parametrize("session", [f"{line(READY)}\nsleep 30"], indirect=True)
def test_nothing_yet_is_an_empty_answer_in_time(session: WorkerSession) -> None:
    session.start(never)
    assert list(session.receive(0.1)) == []


@pytest.mark.parametrize("session", [f"{line(READY)}\nsleep 300 & sleep 300"], indirect=True)
def test_closing_ends_the_worker_with_all_that_it_started(session: WorkerSession, tmp_path: Path) -> None:
    session.start(never)
    session.close()
    time.sleep(0.2)
    left = [p for p in Path("/proc").glob("[0-9]*/environ") if _mentions(p, str(tmp_path / "cache"))]
    assert left == []


def _mentions(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes()
    except OSError:
        return False


def test_the_worker_is_told_to_stay_offline_and_gets_none_of_our_secrets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from appliance.config import worker_environment

    monkeypatch.setenv("HF_TOKEN", "secret")
    made = worker_environment(engine_environment("/s", tmp_path, LOAD))
    assert "HF_TOKEN" not in made
    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "VLLM_NO_USAGE_STATS",
        "VLLM_DO_NOT_TRACK",
        "DO_NOT_TRACK",
    ):
        assert made[name] == "1"
    assert made["VLLM_HOST_IP"] == "127.0.0.1"


@pytest.mark.parametrize("session", [f"{line(READY)}\nsleep 300 &\nexit 4"], indirect=True)
def test_a_death_is_seen_although_a_child_holds_the_pipe(session: WorkerSession) -> None:
    session.start(never)
    with pytest.raises(EngineError, match="exit 4"):
        for _ in range(5):
            session.receive(0.3)
