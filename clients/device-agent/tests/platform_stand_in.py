"""A server that answers devices as the platform does, and can be told to be away, to cut answers and to break models."""

import hashlib
import io
import json
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def archive_of(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


class StandIn:
    def __init__(self):
        self.archives = {}
        self.commands, self.acks, self.requests = [], [], []
        self.batches = {}
        self.uploads = {}
        self.is_away = False
        #: Bytes after which the next downloads are cut.
        self.cuts = []
        self.cut_answers = 0
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"stand_in": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def command(self, command_id, kind, args=None):
        with self.lock:
            self.commands.append({"id": command_id, "type": kind, "args": args or {}})


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

    def is_turned_away(self):
        self.stand_in.requests.append((self.command, self.path))
        if not self.stand_in.is_away:
            return False
        self.body()
        self.answer(503, {"message": "away"}, {"Retry-After": "0"})
        return True

    def do_GET(self):
        if self.is_turned_away():
            return None
        path = self.path.split("?")[0]
        if path.endswith("/config"):
            return self.answer(200, {"revision": 3, "heartbeat_interval_s": 0.2})
        if path.endswith("/commands"):
            deadline = time.monotonic() + 0.5
            while time.monotonic() < deadline and not self.stand_in.commands:
                time.sleep(0.01)
            with self.stand_in.lock:
                items, self.stand_in.commands = self.stand_in.commands, []
            return self.answer(200, {"items": items, "total": len(items)})
        if path.endswith("/download"):
            return self.download(path)
        return self.answer(404, {"message": "unknown"})

    def download(self, path):
        name, version = path.split("/")[-3:-1]
        data = self.stand_in.archives[(name, int(version))]
        tag = f'"{hashlib.sha256(data).hexdigest()}"'
        start = 0
        if self.headers.get("If-Range") == tag:
            start = int(self.headers["Range"].split("=")[1].rstrip("-"))
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.send_header("ETag", tag)
        self.end_headers()
        part = data[start:]
        if self.stand_in.cuts:
            part = part[: self.stand_in.cuts.pop(0)]
            self.close_connection = True
        self.wfile.write(part)
        return None

    def do_POST(self):
        if self.is_turned_away():
            return None
        body = self.body()
        path = self.path.split("?")[0]
        if path.endswith(":ack"):
            self.stand_in.acks.append((path.split("/")[-1][:-4], json.loads(body)))
        elif path.endswith(("/telemetry", "/inference")):
            self.stand_in.batches.setdefault(self.headers["Idempotency-Key"], []).append(json.loads(body)["records"])
            if self.stand_in.cut_answers:
                self.stand_in.cut_answers -= 1
                self.close_connection = True
                return self.connection.close()
        return self.answer(200, {"status": "ok", "message": ""})
