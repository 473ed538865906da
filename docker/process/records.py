"""Records of an instance as files that are never seen half written. Standard library only."""

import json
import os
import time
from datetime import datetime, timezone


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_json(path, value):
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, path)


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def failure(launch, started_at, error):
    return {"attempt": launch["attempt"], "code": None, "signal": None, "reason": "unstartable", "stage": "start",
            "peakBytes": 0, "startedAt": started_at, "finishedAt": now(), "error": str(error)}


def record_exit(directory, result):
    """A full disk must not lose the exit code at the first try."""
    for attempt in range(30):
        try:
            write_json(os.path.join(directory, "exit.json"), result)
            return
        except OSError:
            time.sleep(min(10, 0.5 * 2 ** attempt))
