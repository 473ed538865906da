"""Pictures on their way to the platform: a folder that is emptied in pieces, which go on where they were cut off."""

import hashlib
from pathlib import Path

from .client import Absent, Backoff, Refused, waiting_for_token
from .files import NEW, read_json, remove, remove_unfinished, write_json, write_whole

CHUNK = 1 << 20


class Uploads:
    """Each picture has a file with its bytes and, once begun, ``<name>.json`` with the session that takes it."""

    def __init__(self, folder, log, dataset, max_files=10_000):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.folder)
        self.log = log
        self.dataset = dataset
        self.max_files = max_files

    def add(self, name, data, meta):
        """The name is made from the bytes: the same picture is uploaded once. @raises OSError when the disk does not take it"""
        waiting = self.waiting()
        if len(waiting) >= self.max_files:
            self.log.warning("%s pictures wait to be uploaded: the oldest is dropped", len(waiting))
            self._forget(waiting[0])
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / f"{digest[:32]}{Path(name).suffix.lower()[:8]}"
        try:
            write_json(path.with_name(path.name + ".meta"), {"filename": path.name, "sha256": digest, "meta": meta})
            write_whole(path, data)
        except OSError:
            self._forget(path)
            raise

    def waiting(self):
        pictures = (path for path in self.folder.iterdir() if path.suffix not in (".json", ".meta", NEW))
        return sorted(pictures, key=lambda path: path.stat().st_mtime)

    def send(self, client, stop, wake):
        backoff = Backoff(stop)
        while not stop.is_set():
            try:
                for path in self.waiting():
                    self._send_one(client, path)
                    backoff.success()
                    if stop.is_set():
                        return
                wake.wait(5)
                wake.clear()
            except Absent as error:
                self.log.warning("uploads wait: %s", error)
                if not backoff.wait(error.retry_after):
                    return

    def _send_one(self, client, path):
        facts = read_json(path.with_name(path.name + ".meta"), {"filename": path.name, "meta": {}})
        try:
            with waiting_for_token():
                self._transfer(client, path, facts)
        except Refused as error:
            self.log.error("the upload of %s is refused: %s", path.name, error)
        self._forget(path)

    def _transfer(self, client, path, facts):
        session = self._session(client, path, facts)
        for index in range(session["chunk_count"]):
            if index in session["received"]:
                continue
            with open(path, "rb") as file:
                file.seek(index * session["chunk_size"])
                chunk = file.read(session["chunk_size"])
            headers = {"Content-Type": "application/octet-stream"}
            client.open("PUT", f"/api/v1/edge/uploads/{session['upload_id']}/chunks/{index}", chunk, headers).read()
        client.open("POST", f"/api/v1/edge/uploads/{session['upload_id']}:complete", b"").read()

    def _session(self, client, path, facts):
        """The session that takes the picture, with the numbers of chunks that the platform has."""
        place = path.with_name(path.name + ".json")
        known = read_json(place, None)
        if known is not None:
            try:
                return self._view(client.json("GET", f"/api/v1/edge/uploads/{known['upload_id']}"))
            except Refused as error:
                if error.status != 404:
                    raise
                self.log.info("the upload of %s begins again", path.name)
        body = {"filename": facts["filename"], "size": path.stat().st_size, "sha256": facts.get("sha256"), "chunk_size": CHUNK,
                "kind": "image", "dataset_id": self.dataset, "meta": facts["meta"]}
        made = client.json("POST", "/api/v1/edge/uploads", body)
        write_json(place, {"upload_id": made["upload_id"]})
        return self._view(made)

    @staticmethod
    def _view(session):
        received = session.get("received", [])
        return {**session, "received": set(received) if isinstance(received, list) else set()}

    def _forget(self, path):
        for name in (path.name, path.name + ".json", path.name + ".meta"):
            remove(self.folder / name)
