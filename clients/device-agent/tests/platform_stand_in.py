"""A server that answers devices as the platform does, and can be made to be away, to cut answers and to break models."""

import base64
import hashlib
import io
import json
import re
import threading
import time
import zipfile
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


def archive_of(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def described(path, data):
    return {"path": path, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


class StandIn:
    def __init__(self):
        #: {(name, version): {path: bytes}}
        self.models = {}
        self.commands, self.acks, self.requests = [], [], []
        self.config = {"revision": 3, "heartbeat_interval_s": 0.2, "sync": {"interval_s": 0.1}}
        self.heartbeats, self.registrations = [], []
        #: Batches of inference records by their keys, and records of telemetry.
        self.batches, self.telemetry = {}, []
        #: Revision of the policy in answers to heartbeats; None: they say none, as those of older platforms.
        self.stated_revision = None
        #: {id: {state, chunks, ...}}
        self.uploads = {}
        #: How the next uploads end; the last one stands for all that follow.
        self.upload_ends = ["done"]
        self.is_away = False
        #: Bytes after which the next downloads are cut.
        self.cuts = []
        #: What is said of the versions of any model in place of the truth.
        self.listed = None
        #: Bytes of files of models.
        self.sent_bytes = 0
        self.cut_answers = 0
        #: Answers in place of the next ones to requests that have this in their path, the first first.
        self.refusals = []
        #: Changes when all polls end with nothing.
        self.ended_polls = 0
        #: A batch of records with this in it is refused.
        self.unwanted = None
        #: (status, bytes) that somebody on the way answers in the platform's place.
        self.portal = None
        #: Seconds by which the clock of its commands, and that of its answers, are ahead of the device's.
        self.ahead_s, self.answers_ahead_s = 0.0, 0.0
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"stand_in": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def command(self, command_id, kind, args=None, expires_in_s=600.0):
        times = {"expires_at": self.instant(expires_in_s), "lease_until": self.instant(60.0)}
        with self.lock:
            self.commands.append({"id": command_id, "type": kind, "args": args or {}, **times})

    def instant(self, in_s):
        return datetime.fromtimestamp(time.time() + self.ahead_s + in_s, timezone.utc).isoformat().replace("+00:00", "Z")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in = None

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() + self.stand_in.answers_ahead_s if timestamp is None else timestamp)

    def refuse(self, status, message, headers=None):
        return self.answer(status, {"error_id": "e-1", "code": "refused", "message": message, "detail": None}, headers)

    def is_turned_away(self):
        self.stand_in.requests.append((self.command, self.path))
        if self.stand_in.portal is not None:
            self.body()
            self.answer(*self.stand_in.portal)
            return True
        refusals = self.stand_in.refusals
        if self.stand_in.is_away:
            status = 503
        elif refusals and refusals[0][0] in self.path:
            status = refusals.pop(0)[1]
        else:
            return False
        self.body()
        self.refuse(status, "turned away", {"Retry-After": "0"})
        return True

    def do_GET(self):
        if self.is_turned_away():
            return None
        path, _, query = self.path.partition("?")
        if path.endswith("/config"):
            return self.answer(200, self.stand_in.config)
        if path.endswith("/commands"):
            deadline, ended = time.monotonic() + float(parse_qs(query)["wait"][0]), self.stand_in.ended_polls
            while time.monotonic() < deadline and not self.stand_in.commands and self.stand_in.ended_polls == ended:
                time.sleep(0.01)
            if self.stand_in.ended_polls != ended:
                return self.answer(200, {"items": [], "total": 0})
            with self.stand_in.lock:
                items, self.stand_in.commands = self.stand_in.commands, []
            return self.answer(200, {"items": items, "total": len(items)})
        if path.endswith("/download"):
            return self.download(path, query)
        if "/uploads/" in path:
            return self.look_at_upload(path.split("/")[-1])
        if path.endswith("/versions"):
            return self.versions(path.split("/")[-2], parse_qs(query).get("version"))
        return self.refuse(404, "unknown")

    def look_at_upload(self, upload_id):
        """What is assembled when it is looked at is over at the next look."""
        session = self.stand_in.uploads[upload_id]
        answer = self.answer(200, session)
        if session["state"] == "assembling":
            ends = self.stand_in.upload_ends
            session["state"] = ends.pop(0) if len(ends) > 1 else ends[0]
        return answer

    def do_PUT(self):
        if self.is_turned_away():
            return None
        upload_id, _, index = self.path.split("/")[-3:]
        self.body()
        self.stand_in.uploads[upload_id]["received"].append(int(index))
        return self.answer(200, {})

    def open_upload(self, asked):
        upload_id = f"u{len(self.stand_in.uploads) + 1}"
        size = asked["chunk_size"]
        session = {"upload_id": upload_id, "chunk_size": size, "chunk_count": -(-asked["size"] // size), "received": [],
                   "state": "open", "filename": asked["filename"]}
        self.stand_in.uploads[upload_id] = session
        return self.answer(201, session)

    def complete_upload(self, upload_id):
        self.stand_in.uploads[upload_id]["state"] = "assembling"
        return self.answer(202, self.stand_in.uploads[upload_id])

    def versions(self, name, only):
        if self.stand_in.listed is not None:
            return self.answer(200, self.stand_in.listed)
        found = [(version, files) for (model, version), files in self.stand_in.models.items() if model == name]
        if not found:
            return self.refuse(404, "no such model")
        items = [{"version": version, "files": [described(*file) for file in files.items()]} for version, files in found
                 if only in (None, [str(version)])]
        return self.answer(200, {"items": items, "total": len(items)})

    def download(self, path, query):
        name, version = path.split("/")[-3:-1]
        files = self.stand_in.models.get((name, int(version)), {})
        wanted = parse_qs(query).get("path", list(files))
        if len(wanted) == 1 and wanted[0] in files:
            return self.send_file(files[wanted[0]])
        return self.send_archive(files) if len(wanted) > 1 else self.refuse(404, "no such file")

    def send_file(self, data):
        digest = hashlib.sha256(data)
        tag = f'"{digest.hexdigest()}"'
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked.group(1)) if asked and self.headers.get("If-Range", tag) == tag else 0
        if start and start >= len(data):
            return self.refuse(416, "outside of the file")
        self.send_response(206 if asked and start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", tag)
        self.send_header("Repr-Digest", f"sha-256=:{base64.b64encode(digest.digest()).decode()}:")
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        part = data[start:]
        cuts = self.stand_in.cuts
        if cuts and len(part) > cuts[0]:
            part = part[: cuts.pop(0)]
            self.close_connection = True
        self.stand_in.sent_bytes += len(part)
        self.wfile.write(part)
        return None

    def send_archive(self, files):
        """Made while it is sent: it has no length, no ETag and no ranges."""
        data = archive_of(files)
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data))

    def is_cut(self, records):
        """Takes a batch of inference records, whose answer may be cut off."""
        self.stand_in.batches.setdefault(self.headers["Idempotency-Key"], []).append(records)
        if not self.stand_in.cut_answers:
            return False
        self.stand_in.cut_answers -= 1
        self.close_connection = True
        return True

    def do_POST(self):
        if self.is_turned_away():
            return None
        body = self.body()
        path = self.path.split("?")[0]
        if path.endswith(":ack"):
            self.stand_in.acks.append((path.split("/")[-1][:-4], json.loads(body)))
        elif path.endswith("/uploads"):
            return self.open_upload(json.loads(body))
        elif path.endswith(":complete"):
            return self.complete_upload(path.split("/")[-1].split(":")[0])
        elif path.endswith("/register"):
            self.stand_in.registrations.append(json.loads(body))
            return self.answer(200, {"id": "cam", "status": "ACTIVE", "config": self.stand_in.config})
        elif path.endswith("/heartbeat"):
            self.stand_in.heartbeats.append(json.loads(body))
            if self.stand_in.stated_revision is not None:
                return self.answer(200, {"status": "ok", "policy_revision": self.stand_in.stated_revision})
        elif path.endswith(("/telemetry", "/inference")):
            if self.stand_in.unwanted is not None and self.stand_in.unwanted in body:
                return self.refuse(422, "a record is not as it must be")
            try:
                records = json.loads(body, parse_constant=refuse_constant)["records"]
            except ValueError as error:
                return self.refuse(400, str(error))
            if path.endswith("/telemetry"):
                self.stand_in.telemetry += records
            elif self.is_cut(records):
                return self.connection.close()
            return self.answer(200, {"accepted": len(records), "received_at": self.stand_in.instant(0.0)})
        return self.answer(200, {"status": "ok", "message": ""})
