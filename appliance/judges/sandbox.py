"""How a worker is kept from the network: namespaces of its own, given by the kernel."""

from __future__ import annotations

import subprocess
from functools import cache

from appliance.errors import EngineError

# Own user, network and process namespaces: no interface but loopback, and when the first process ends the
# kernel ends all others in it, so no engine process can be orphaned.
NAMESPACES = (
    "unshare",
    "--user",
    "--map-root-user",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
)


@cache
def namespaces_work() -> bool:
    """True when this kernel and user may make such namespaces."""
    try:
        done = subprocess.run([*NAMESPACES, "true"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def sandbox_prefix(wanted: bool) -> tuple[str, ...]:
    """The command prefix of an isolated worker; empty when isolation is not wanted."""
    if not wanted:
        return ()
    if not namespaces_work():
        raise EngineError(
            "this machine does not let the appliance isolate its judges (unshare of user and network "
            "namespaces fails)",
            "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0), or pass --no-sandbox, which is recorded.",
        )
    return NAMESPACES
