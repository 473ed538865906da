"""Client of the tracker subset that a training program may call: metrics, params, tags and artifacts of its own run.

Everything is retried for as long as the platform says: it may be restarting, upgraded or on its way to another machine.
A refused token (401, 403, 409) means that this attempt is no longer the valid one: ``Canceled`` is raised and the
program ends. Standard library only.
"""

import http.client
import json
import math
import os
import time
from urllib.parse import quote, urlsplit

# As the platform says; longer than a restart, an upgrade or a failover takes.
PATIENCE_S = int(os.environ.get("PLATFORM_PATIENCE_S", "60"))
SAYS_EVERY_S = 60
# Once the program is asked to end, waiting would cost it the time to save its state.
HURRIED_PATIENCE_S = 2
TIMEOUT_S = 30
BATCH = 1000


class Canceled(Exception):
    """The platform no longer accepts this attempt."""


class TrackerUnreachable(Exception):
    pass


def is_of_tracker(text):
    """Whether a refusal has the tracker's shape; one without may come from another server that got the platform's port."""
    try:
        return "error_code" in json.loads(text)
    except (ValueError, TypeError):
        return False


def points_of(values, step=0):
    """Values of one step as the tracker takes them. Sent twice with the same time, a value stays one point."""
    at = int(time.time() * 1000)
    return [{"key": key, "value": number_of(float(value)), "timestamp": at, "step": int(step)} for key, value in values.items()]


def number_of(value):
    """JSON has no word for NaN and the infinities; the tracker reads theirs as texts, as protobuf's JSON has them."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


class Flag:
    """Set by a signal handler. Not threading.Event: its lock may be held by the very code the handler interrupts."""

    def __init__(self):
        self.value = False

    def set(self):
        self.value = True

    def is_set(self):
        return self.value

    def nap(self, seconds):
        """Sleeps; returns early when the flag comes up meanwhile."""
        was_set, until = self.value, time.monotonic() + seconds
        while time.monotonic() < until and self.value == was_set:
            time.sleep(min(0.2, seconds))


class Tracker:
    """With no address every call does nothing: the program then runs by hand, without a platform."""

    def __init__(self, address, token, run_id, patience_s=PATIENCE_S, address_file=""):
        self.address = urlsplit(address) if address else None
        self.address_file = address_file
        self.token, self.run_id, self.patience_s = token, run_id, patience_s
        self.metrics = []
        self.flushed_at = 0.0
        self.ending = Flag()

    @classmethod
    def from_environment(cls):
        return cls(os.environ.get("TRACKER_URL", ""), os.environ.get("JOB_TOKEN", ""), os.environ.get("RUN_ID", ""),
                   address_file=os.environ.get("TRACKER_URL_FILE", ""))

    def add(self, points):
        """All values of one step are kept before any is sent: where sending fails, none of them is lost."""
        self.metrics += points
        if len(self.metrics) >= 500 or time.monotonic() - self.flushed_at > 0.5:
            self.flush()

    def metric(self, key, value, step=0):
        self.add(points_of({key: value}, step))

    def progress(self, fraction):
        self.metric("system/progress", round(min(1.0, max(0.0, fraction)), 4))

    def flush(self):
        self.flushed_at = time.monotonic()
        while self.metrics:
            batch = self.metrics[:BATCH]
            self.log_batch({"metrics": batch})
            del self.metrics[:len(batch)]  # only now: what is not sent goes into the checkpoint

    def params(self, values):
        items = [{"key": key, "value": str(value)[:6000]} for key, value in values.items()]
        for start in range(0, len(items), 100):
            self.log_batch({"params": items[start:start + 100]})

    def tags(self, values):
        self.log_batch({"tags": [{"key": key, "value": str(value)[:5000]} for key, value in values.items()]})

    def log_batch(self, body):
        payload = json.dumps({"run_id": self.run_id, **body}).encode()
        self.send("POST", "/api/2.0/mlflow/runs/log-batch", payload, "application/json")

    def artifact(self, path, data, patience_s=None):
        """``path`` is relative to the run's artifact root."""
        place = f"/api/2.0/mlflow-artifacts/artifacts/{quote(self.run_id)}/artifacts/{quote(path)}"
        self.send("PUT", place, data, "application/octet-stream", patience_s)

    def send(self, method, path, payload, content_type, patience_s=None):
        if self.address is None:
            return
        deadline = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        says_at = time.monotonic() + SAYS_EVERY_S
        pause = 0.2
        while True:
            self.look_for_address()
            try:
                status, text = self.once(method, path, payload, content_type)
            except (OSError, http.client.HTTPException) as error:
                status, text = 0, str(error)
            if 200 <= status < 300:
                return
            if 400 <= status < 500 and not is_of_tracker(text):
                status, text = 0, f"something else answers at {self.address.netloc}: {status}"
            if status in (401, 403, 409):
                raise Canceled(f"the platform answered {status}: this attempt is no longer valid")
            if status not in (0, 408, 429) and status < 500:
                raise RuntimeError(f"the tracker refused {method} {path}: {status} {text[:300]}")
            if self.ending.is_set():
                deadline = min(deadline, time.monotonic() + HURRIED_PATIENCE_S)
            if time.monotonic() + pause > deadline:
                raise TrackerUnreachable(f"no answer from the tracker ({status or text})")
            if time.monotonic() > says_at:
                says_at = time.monotonic() + SAYS_EVERY_S
                print(f"Waiting for the platform: no answer ({status or text})", flush=True)
            self.ending.nap(pause)
            pause = min(5.0, pause * 1.7)

    def look_for_address(self):
        """Before every try: the platform may have come back at another address since this program was started."""
        try:
            with open(self.address_file, encoding="utf-8") as file:
                address = file.read().strip()
        except OSError:
            return  # none is named, or the platform keeps none
        if address:
            self.address = urlsplit(address)

    def once(self, method, path, payload, content_type):
        kind = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
        client = kind(self.address.netloc, timeout=TIMEOUT_S)
        try:
            client.request(method, self.address.path.rstrip("/") + path, payload, {
                "Authorization": f"Bearer {self.token}", "Content-Type": content_type})
            answer = client.getresponse()
            return answer.status, answer.read(4096).decode("utf-8", "replace")
        finally:
            client.close()
