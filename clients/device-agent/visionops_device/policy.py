"""What the platform sets for the device. Each part reads it whenever it acts, so that a new revision holds at once."""

import threading
import time
from dataclasses import dataclass

from .files import read_json, write_json

#: A new policy is heeded after this time at most by what rests.
LOOK_S = 1.0


@dataclass(frozen=True)
class Values:
    """The defaults hold until the platform has said something."""

    revision: int = 0
    heartbeat_interval_s: float = 30.0
    commands_poll_s: float = 30.0
    #: False: records and pictures wait on the disk.
    is_syncing: bool = True
    sync_interval_s: float = 2.0
    #: Records of one request at most.
    batch_size: int = 500
    #: Kilobits each second, for records and pictures together; None: no limit.
    max_kbps: "float | None" = None
    #: Limit of records and pictures that wait, in megabytes.
    max_local_mb: int = 512


def values_of(answer):
    """@param answer of the platform, whose nulls stand for defaults @raises TypeError, ValueError, AttributeError"""
    sync, retention = answer.get("sync") or {}, answer.get("retention") or {}
    said = {
        "revision": (int, answer.get("revision")),
        "heartbeat_interval_s": (float, answer.get("heartbeat_interval_s")),
        "commands_poll_s": (float, answer.get("commands_poll_s")),
        "is_syncing": (bool, sync.get("enabled")),
        "sync_interval_s": (float, sync.get("interval_s")),
        "batch_size": (int, sync.get("batch_size")),
        "max_kbps": (float, sync.get("max_kbps")),
        "max_local_mb": (int, retention.get("max_local_mb")),
    }
    return Values(**{name: kind(value) for name, (kind, value) in said.items() if value is not None})


class Policy:
    """``policy.json`` holds the last answer for the next start."""

    def __init__(self, file, log):
        self.file = file
        self.log = log
        self.values = Values()
        self._follow(read_json(file, {}))

    def take(self, answer):
        """Follows the answer; one that cannot be read changes nothing, and the revision before stays the one in force."""
        if not self._follow(answer):
            return
        try:
            write_json(self.file, answer)
        except OSError as error:
            self.log.error("the policy is followed but not on the disk: %s", error)

    def _follow(self, answer):
        try:
            self.values = values_of(answer)
        except (TypeError, ValueError, AttributeError) as error:
            self.log.error("the policy cannot be read, the one before stays in force: %s", error)
            return False
        return True


def rest(stop, seconds, wake=None, began_at=None):
    """
    Waits for as long as ``seconds()`` says, which a new policy changes under way. Either event ends it early.
    @param began_at from when on it counts; None: now
    """
    began_at = time.monotonic() if began_at is None else began_at
    while not stop.is_set():
        left = began_at + seconds() - time.monotonic()
        if left <= 0 or (wake or stop).wait(min(left, LOOK_S)):
            return


class Throttle:
    """Spreads over time what all threads send together."""

    def __init__(self, policy, now=time.monotonic):
        self.policy = policy
        self.now = now
        self.lock = threading.Lock()
        #: Bits that were sent and for which the time has not passed yet.
        self.debt = 0.0
        self.counted_at = now()

    def wait(self, size, stop):
        """Returns when ``size`` bytes may be sent, or the agent ends."""
        while not stop.is_set():
            with self.lock:
                left = self._left_s()
                if left <= 0:
                    self.debt = size * 8
                    return
            stop.wait(min(left, LOOK_S))

    def _left_s(self):
        now, kbps = self.now(), self.policy.values.max_kbps
        passed, self.counted_at = now - self.counted_at, now
        self.debt = 0.0 if kbps is None else max(0.0, self.debt - passed * kbps * 1000)
        return self.debt / (kbps * 1000) if self.debt else 0.0
