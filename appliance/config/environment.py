"""The only reader of the environment."""

from __future__ import annotations

import os
from pathlib import Path

from appliance.errors import ConfigError


def project_root() -> Path:
    """The folder that holds `models/` and `prompts/`: APPLIANCE_HOME, or the checkout around the package."""
    named = os.environ.get("APPLIANCE_HOME")
    root = Path(named).expanduser() if named else Path(__file__).resolve().parent.parent.parent
    if not (root / "prompts").is_dir():
        raise ConfigError(
            f"{root}: no prompts/ folder there",
            "Set APPLIANCE_HOME to the folder that holds models/ and prompts/.",
        )
    return root


def worker_environment(extra: dict[str, str]) -> dict[str, str]:
    """The environment of a worker: ours without secrets of other tools, plus `extra`."""
    kept = (
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "LD_LIBRARY_PATH",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "VIRTUAL_ENV",
    )
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    openblas = {k: v for k, v in os.environ.items() if k.startswith("OPENBLAS_")}
    return {**inherited, **openblas, **extra}
