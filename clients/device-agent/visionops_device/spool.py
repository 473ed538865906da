"""Records that wait on the disk until the platform has them, oldest first."""

import json
import threading
import uuid
from pathlib import Path

from .client import Absent, Backoff, Refused, waiting_for_token
from .files import remove_unfinished, write_whole
from .numbers import in_order
from .policy import rest

#: What one request holds at most, below the platform's 5 MiB, whatever the policy says of records.
BATCH_BYTES = 4 << 20
#: What memory holds at most while the disk takes nothing; the oldest go.
MEMORY_RECORDS = 20_000
#: The answers of a platform that takes no batch with such a record in it, and would take the others.
OF_RECORDS = (400, 413, 422)


class Spool:
    """One kind of record: a folder of batches, each with the key that makes its repeats harmless."""

    def __init__(self, folder, path, numbers, policy, throttle, log):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.folder)
        self.numbers = numbers
        self.numbers.go_on_after(self.held())
        self.path = path
        self.log = log
        self.policy = policy
        self.throttle = throttle
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
            is_full = len(self.records) >= self.policy.values.batch_size
        if is_full:
            self.try_flush()

    def try_flush(self):
        """As ``flush``, where a failure is worth a line of the log."""
        try:
            self.flush()
        except OSError as error:
            self.log.error("%s records of %s wait in memory: the disk does not take them: %s", len(self.records), self.path, error)

    def flush(self):
        """What waits in memory becomes batches on the disk. @raises OSError, and the records stay in memory"""
        with self.one_at_a_time:
            while records := self.records[:self.policy.values.batch_size]:
                body = body_of(records)
                while len(body) > BATCH_BYTES and len(records) > 1:
                    records = records[:len(records) // 2]
                    body = body_of(records)
                write_whole(self.folder / f"{self.numbers.next()}-{uuid.uuid4().hex}.json", body)
                if len(records) >= self.policy.values.batch_size:
                    self.wake.set()
                with self.lock:
                    # By identity: others may have been dropped from the front meanwhile.
                    gone = set(map(id, records))
                    self.records = [record for record in self.records if id(record) not in gone]

    def held(self):
        """All that takes room."""
        return [*self.folder.glob("*.json"), *self.folder.glob("*.refused")]

    def forget(self, path):
        path.unlink(missing_ok=True)

    def waiting(self):
        return in_order(self.folder.glob("*.json"))

    def newest(self, count):
        """As many of the records on the disk, or some more where a batch has more."""
        found = []
        for path in reversed(self.waiting()):
            if len(found) >= count:
                break
            try:
                found += json.loads(path.read_bytes())["records"]
            except (OSError, ValueError) as error:
                self.log.error("%s cannot be read: %s", path.name, error)
        return found

    def send(self, client, stop):
        """
        Sends for ever, as often as the policy says and at once when a batch is full; a batch goes from the disk when the
        platform has acknowledged it.
        """
        backoff = Backoff(stop)
        while not stop.is_set():
            self.wake.clear()
            try:
                for path in self.waiting():
                    if stop.is_set() or not self.policy.values.is_syncing:
                        break
                    self._send_one(client, stop, path)
                    backoff.success()
            except Absent as error:
                self.log.warning("%s waits: %s", self.path, error)
                backoff.wait(error.retry_after)
                continue
            rest(stop, lambda: self.policy.values.sync_interval_s, self.wake)

    def _send_one(self, client, stop, path):
        try:
            body = path.read_bytes()
        except FileNotFoundError:  # dropped to make room
            return
        self.throttle.wait(len(body), stop)
        key = path.stem.rsplit("-", 1)[-1]
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        try:
            with waiting_for_token():
                receipt = client.send("POST", self.path, body, headers)
        except Refused as error:
            self._set_apart(path, json.loads(body)["records"], error)
            return
        if receipt.get("accepted") != len(json.loads(body)["records"]):
            raise Absent(f"the receipt is not for this batch: {str(receipt)[:200]}")
        path.unlink(missing_ok=True)

    def _set_apart(self, path, records, error):
        """Halves the batch until what the platform refuses is alone: the other records go their way."""
        if len(records) == 1 or error.status not in OF_RECORDS:
            self.log.error("the platform refuses a batch, which is put aside: %s", error)
            path.rename(path.with_suffix(".refused"))
            return
        number, key = path.stem.rsplit("-", 1)
        middle = len(records) // 2
        for half, part in (("1", records[:middle]), ("2", records[middle:])):
            # After a power cut the same halves come again, under the same keys.
            write_whole(path.with_name(f"{number}-{uuid.uuid5(uuid.UUID(key), half).hex}.json"), body_of(part))
        path.unlink(missing_ok=True)
        self.wake.set()


def body_of(records):
    return json.dumps({"records": records}, separators=(",", ":")).encode()
