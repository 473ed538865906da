"""Records that wait on the disk until the platform has them, oldest first."""

import json
import threading
import uuid
from pathlib import Path

from .client import Absent, Backoff, Refused, waiting_for_token
from .files import remove_unfinished, sync_folder, write_whole
from .numbers import DIGITS, RANGE, in_order, number_of, range_of
from .policy import rest

#: What one request holds at most, below the platform's 5 MiB, whatever the policy says of records.
BATCH_BYTES = 4 << 20
#: While nothing is sent, so many batches that were never tried become one: a file takes a block of the disk at least.
JOIN_FILES = 20
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
        self._remove_joined()
        self.numbers = numbers
        self.numbers.go_on_after(self.held())
        self.path = path
        self.log = log
        self.policy = policy
        self.throttle = throttle
        self.dropped = 0
        self.records = []
        self.lock = threading.Lock()
        #: {name: records} of batches of this run that were never tried. Any other may be with the platform, and stays as it is.
        self.untried = {}
        #: Flushes and joins, which would write the same records twice, and the choice of what is tried.
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
                number = self.numbers.next()
                self._write_untried(f"{number}-{uuid.uuid4().hex}.json", body, len(records))
                if sum(self.untried.values()) >= self.policy.values.batch_size:
                    self.wake.set()
                with self.lock:
                    # By identity: others may have been dropped from the front meanwhile.
                    gone = set(map(id, records))
                    self.records = [record for record in self.records if id(record) not in gone]

    def _write_untried(self, name, body, count):
        write_whole(self.folder / name, body)
        self.untried[name] = count

    def try_join(self, least=2):
        """
        Makes one batch of neighbours that were never tried, as far as a request holds them. A failure is worth a line of the log.
        @param least nothing is done while fewer could be joined
        """
        try:
            with self.one_at_a_time:
                groups = self._joinable()
                if sum(map(len, groups)) >= least:
                    for paths in groups:
                        self._join(paths)
        except (OSError, ValueError) as error:
            self.log.error("batches of %s stay as small as they are: %s", self.path, error)

    def _joinable(self):
        """@returns groups of two batches or more"""
        groups, group, count, size = [], [], 0, 0
        for path in self.waiting():
            records, length = self.untried.get(path.name), size_of(path)
            if records is None or count + records > self.policy.values.batch_size or size + length > BATCH_BYTES:
                groups.append(group)
                group, count, size = [], 0, 0
            if records is not None:
                group = [*group, path]
                count, size = count + records, size + length
        return [group for group in [*groups, group] if len(group) > 1]

    def _join(self, paths):
        """The name says which batches it replaces: after a power cut that left some of them they go at the next start."""
        records = [record for path in paths for record in records_of(path.read_bytes())]
        first, last = paths[0].name[:DIGITS], range_of(paths[-1])[1]
        self._write_untried(f"{first}-{last:0{DIGITS}d}-{uuid.uuid4().hex}.json", body_of(records), len(records))
        for path in paths:
            self.untried.pop(path.name, None)
            path.unlink(missing_ok=True)
        # Before it is sent: what is sent must not come back.
        sync_folder(self.folder)

    def _remove_joined(self):
        there = self.waiting()
        for path in sorted(filter(lambda one: RANGE.match(one.name), there), key=lambda one: range_of(one)[1], reverse=True):
            if not path.exists():
                continue
            first, last = range_of(path)
            for other in there:
                if other != path and first <= number_of(other) <= last:
                    other.unlink(missing_ok=True)

    def held(self):
        """All that takes room."""
        return [*self.folder.glob("*.json"), *self.folder.glob("*.refused")]

    def forget(self, path):
        with self.one_at_a_time:
            self.untried.pop(path.name, None)
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
                found += records_of(path.read_bytes())
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
            if self.policy.values.is_syncing:
                self.try_join()
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
            with self.one_at_a_time:
                body = path.read_bytes()
                self.untried.pop(path.name, None)
            records = records_of(body)
        except FileNotFoundError:  # dropped to make room, or joined
            return
        except ValueError as error:
            self.log.error("%s is damaged and put aside: %s", path.name, error)
            path.rename(path.with_suffix(".refused"))
            return
        self.throttle.wait(len(body), stop)
        key = path.stem.rsplit("-", 1)[-1]
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        try:
            with waiting_for_token():
                receipt = client.send("POST", self.path, body, headers)
        except Refused as error:
            self._set_apart(path, records, error)
            return
        if receipt.get("accepted") != len(records):
            raise Absent(f"the receipt is not for this batch: {str(receipt)[:200]}")
        path.unlink(missing_ok=True)

    def _set_apart(self, path, records, error):
        """Halves the batch until what the platform refuses is alone: the other records go their way."""
        if len(records) <= 1 or error.status not in OF_RECORDS:
            self.log.error("the platform refuses a batch, which is put aside: %s", error)
            path.rename(path.with_suffix(".refused"))
            return
        number, key = path.name[:DIGITS], path.stem.rsplit("-", 1)[-1]
        middle = len(records) // 2
        for half, part in (("1", records[:middle]), ("2", records[middle:])):
            # After a power cut the same halves come again, under the same keys.
            write_whole(path.with_name(f"{number}-{uuid.uuid5(uuid.UUID(key), half).hex}.json"), body_of(part))
        path.unlink(missing_ok=True)
        self.wake.set()


def records_of(body):
    """@raises ValueError for what is no batch, such as a file that lost bytes"""
    batch = json.loads(body)
    if not isinstance(batch, dict) or not isinstance(batch.get("records"), list):
        raise ValueError("there are no records in it")
    return batch["records"]


def size_of(path):
    """@returns bytes; 0 where it has gone meanwhile"""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def body_of(records):
    return json.dumps({"records": records}, separators=(",", ":")).encode()
