"""Pictures on their way to the platform: a folder that is emptied in pieces, which go on where they were cut off."""

import hashlib
from collections import Counter
from pathlib import Path

from .client import Absent, Backoff, Refused, waiting_for_token
from .files import NEW, read_json, remove, remove_unfinished, write_json, write_whole
from .numbers import in_order
from .policy import rest

CHUNK = 1 << 20


class Uploads:
    """
    Each picture has a file with its bytes and, once begun, ``<name>.json`` with the session that takes it. It goes when the
    platform says that the session is done.
    """

    def __init__(self, folder, dataset, numbers, policy, throttle, log):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.folder)
        self._remove_left()
        self.numbers = numbers
        self.numbers.go_on_after(self.held())
        #: How often the upload of a picture has begun again.
        self.failures = Counter()
        self.log = log
        self.dataset = dataset
        self.policy = policy
        self.throttle = throttle

    def _remove_left(self):
        """What a power cut has left beside a picture that was not whole yet, or that has gone."""
        for kind in (".json", ".meta"):
            for path in self.folder.glob("*" + kind):
                if not path.with_suffix("").exists():
                    remove(path)

    def add(self, name, data, meta):
        """The name is made from the bytes: the same picture is uploaded once. @raises OSError when the disk does not take it"""
        digest = hashlib.sha256(data).hexdigest()
        own = f"{digest[:32]}{Path(name).suffix.lower()[:8]}"
        if any(path.name.endswith(own) for path in self.held()):
            return
        path = self.folder / f"{self.numbers.next()}-{own}"
        try:
            write_json(path.with_name(path.name + ".meta"), {"filename": own, "sha256": digest, "meta": meta})
            write_whole(path, data)
        except OSError:
            self.forget(path)
            raise

    def held(self):
        return [path for path in self.folder.iterdir() if path.suffix not in (".json", ".meta", NEW)]

    def waiting(self):
        """Oldest first, and what failed behind the others."""
        return sorted(in_order(self.held()), key=lambda path: self.failures[path.name])

    def send(self, client, stop):
        """Sends for ever, as often as the policy says."""
        backoff = Backoff(stop)
        while not stop.is_set():
            try:
                for path in self.waiting():
                    if stop.is_set() or not self.policy.values.is_syncing:
                        break
                    self._send_one(client, stop, path)
                    backoff.success()
            except Absent as error:
                self.log.warning("uploads wait: %s", error)
                backoff.wait(error.retry_after)
                continue
            rest(stop, lambda: self.policy.values.sync_interval_s)

    def _send_one(self, client, stop, path):
        if not path.exists():  # dropped to make room
            return
        try:
            with waiting_for_token():
                session = self._session(client, path)
                if session["state"] == "open":
                    session = self._transfer(client, stop, path, session)
        except Refused as error:
            self._begin_again(path, error)
        if session["state"] == "done":
            self.forget(path)
        elif session["state"] != "assembling":
            self._begin_again(path, session.get("error") or session["state"])

    def _begin_again(self, path, why):
        """The picture stays and goes behind the others. @raises Absent, so that the next try comes after a pause"""
        remove(self._place(path))
        self.failures[path.name] += 1
        raise Absent(f"{path.name} is uploaded again: {why}")

    def _transfer(self, client, stop, path, session):
        """@returns the session, which the platform assembles or has assembled"""
        for index in range(session["chunk_count"]):
            if index in session["received"]:
                continue
            with open(path, "rb") as file:
                file.seek(index * session["chunk_size"])
                chunk = file.read(session["chunk_size"])
            self.throttle.wait(len(chunk), stop)
            headers = {"Content-Type": "application/octet-stream"}
            client.send("PUT", f"/api/v1/edge/uploads/{session['upload_id']}/chunks/{index}", chunk, headers)
        return client.json("POST", f"/api/v1/edge/uploads/{session['upload_id']}:complete")

    def _session(self, client, path):
        """The session that takes the picture, with the numbers of chunks that the platform has."""
        known = read_json(self._place(path), None)
        if known is not None:
            try:
                return client.json("GET", f"/api/v1/edge/uploads/{known['upload_id']}")
            except Refused as error:
                if error.status != 404:
                    raise
                self.log.info("the upload of %s begins again", path.name)
        facts = read_json(path.with_name(path.name + ".meta"), {"filename": path.name, "meta": {}})
        body = {"filename": facts["filename"], "size": path.stat().st_size, "sha256": facts.get("sha256"), "chunk_size": CHUNK,
                "kind": "image", "dataset_id": self.dataset, "meta": facts["meta"]}
        made = client.json("POST", "/api/v1/edge/uploads", body)
        write_json(self._place(path), {"upload_id": made["upload_id"]})
        return made

    @staticmethod
    def _place(path):
        return path.with_name(path.name + ".json")

    def forget(self, path):
        self.failures.pop(path.name, None)
        for name in (path.name, path.name + ".json", path.name + ".meta"):
            remove(self.folder / name)
