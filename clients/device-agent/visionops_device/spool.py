"""Records that wait on the disk until the platform has them, oldest first."""

import json
import threading
import time
import uuid
from pathlib import Path

from .client import Absent, Backoff, Refused, waiting_for_token
from .files import remove_unfinished, write_whole

#: What one request carries at most, below the platform's 10,000.
BATCH_RECORDS = 500
#: Records are written together after this time, so that a prediction does not cost a write of the disk each.
FLUSH_S = 2.0
#: What memory holds at most while the disk takes nothing; the oldest go.
MEMORY_RECORDS = 20_000


class Spool:
    """One kind of record: a folder of batches, each with the key that makes its repeats harmless."""

    def __init__(self, folder, path, log, max_bytes=256 * 1024 * 1024):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.folder)
        self.path = path
        self.log = log
        self.max_bytes = max_bytes
        self.dropped = 0
        self.records = []
        self.lock = threading.Lock()
        #: Flushes: two of them would write the same records.
        self.one_at_a_time = threading.Lock()
        self.wake = threading.Event()

    def add(self, record):
        """Never fails: on a disk that is full the record waits in memory."""
        with self.lock:
            self.records.append(record)
            excess = len(self.records) - MEMORY_RECORDS
            if excess > 0:
                del self.records[:excess]
                self.dropped += excess
            is_full = len(self.records) >= BATCH_RECORDS
        if is_full:
            self.try_flush()

    def try_flush(self):
        """@returns whether nothing waits in memory any more"""
        try:
            self.flush()
        except OSError as error:
            self.log.error("%s records of %s wait in memory, the disk does not take them: %s", len(self.records), self.path, error)
            return False
        return True

    def flush(self):
        """What waits in memory becomes batches on the disk. @raises OSError, and the records stay in memory"""
        with self.one_at_a_time:
            written = False
            while records := self.records[:BATCH_RECORDS]:
                body = json.dumps({"records": records}, separators=(",", ":"))
                write_whole(self.folder / f"{time.time_ns():020d}-{uuid.uuid4().hex}.json", body.encode())
                written = True
                with self.lock:
                    # By identity: others may have been dropped from the front meanwhile.
                    gone = set(map(id, records))
                    self.records = [record for record in self.records if id(record) not in gone]
            if written:
                self._stay_below_limit()
                self.wake.set()

    def _stay_below_limit(self):
        batches = self.waiting()
        size = sum(path.stat().st_size for path in batches)
        for path in batches:
            if size <= self.max_bytes:
                break
            size -= path.stat().st_size
            path.unlink()
            self.dropped += 1
            self.log.warning("the spool is full: the oldest batch of %s is dropped", self.path)

    def waiting(self):
        return sorted(self.folder.glob("*.json"))

    def send(self, client, stop):
        """Sends for ever; a batch goes from the disk when the platform has acknowledged it."""
        backoff = Backoff(stop)
        while not stop.is_set():
            self.wake.clear()
            self.try_flush()
            try:
                for path in self.waiting():
                    self._send_one(client, path)
                    backoff.success()
                    if stop.is_set():
                        return
                self.wake.wait(FLUSH_S)
            except Absent as error:
                self.log.warning("%s waits: %s", self.path, error)
                if not backoff.wait(error.retry_after):
                    return

    def _send_one(self, client, path):
        body = path.read_bytes()
        key = path.stem.rsplit("-", 1)[-1]
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        try:
            with waiting_for_token():
                client.open("POST", self.path, body, headers).read()
        except Refused as error:
            self.log.error("the platform refuses a batch, which is put aside: %s", error)
            path.rename(path.with_suffix(".refused"))
            return
        path.unlink(missing_ok=True)
