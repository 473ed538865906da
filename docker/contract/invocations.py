"""Answers invocations by the MLflow scoring protocol on 127.0.0.1:PORT (HOST in a pod). Standard library server.

GET /ping, /health (200 when the model is loaded), /version (plain text); POST /invocations with JSON (``inputs``,
``instances``, ``dataframe_split`` or ``dataframe_records`` of base64 images, optional ``params``) or one raw PNG or
JPEG. The model folder is the first argument, MODEL_DIR, or ``model_dir`` of config.json; default ``model``. With
ENDPOINT_TOKEN set, /invocations answers only to who sends it as bearer: the platform's proxy.

A predictor has ``labels``, ``name``, and ``predict(images, params)``, which answers for a list of encoded images.
"""

import base64
import binascii
import hmac
import json
import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pictures import BadImage

VERSION = "1.0.0"
MAX_BODY_BYTES = 64 << 20
MAX_IMAGES = 1024
MAX_CONCURRENT = 8
IDLE_S = 75
BODY_FORMS = ("inputs", "instances", "dataframe_split", "dataframe_records")


class BadModel(Exception):
    """The folder does not hold a model of this runtime."""


class BadRequest(Exception):
    pass


class Unsupported(Exception):
    pass


def opened(images, read):
    """``read(bytes)`` of each image; a bad one is refused by its place in the request."""
    found = []
    for index, data in enumerate(images):
        try:
            found.append(read(data))
        except BadImage as error:
            raise BadRequest(f"item {index}: {error}") from error
    return found


def image_bytes(index, item):
    if isinstance(item, dict):
        item = item.get("b64", item.get("image"))
    if isinstance(item, list) and len(item) == 1:
        item = item[0]
    if not isinstance(item, str):
        raise BadRequest(f"item {index}: must be the base64 text of an image, or {{\"b64\": text}}")
    try:
        return base64.b64decode(item.partition(",")[2] if item.startswith("data:") else item, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"item {index}: not valid base64") from error


def advice(kind):
    """What to do with a body of another content type."""
    if kind == "multipart/form-data":
        return "Send one image as the body, not as a form: curl -H 'Content-Type: image/png' --data-binary @image.png"
    return "Name the one that the body has in the header Content-Type."


def items_of(body):
    """The images of a JSON body and its params."""
    if not isinstance(body, dict):
        raise BadRequest(f"The body must be an object with one of {', '.join(BODY_FORMS)}")
    forms = [form for form in BODY_FORMS if form in body]
    if len(forms) != 1:
        raise BadRequest(f"The body must hold exactly one of {', '.join(BODY_FORMS)}, it holds {', '.join(forms) or 'none'}")
    items = body[forms[0]]
    if forms[0] == "dataframe_split":
        if not isinstance(items, dict) or not isinstance(items.get("data"), list):
            raise BadRequest("dataframe_split must hold columns and data")
        columns = items.get("columns", ["image"])
        if not isinstance(columns, list) or "image" not in columns:
            raise BadRequest("dataframe_split must have the column image")
        place = columns.index("image")
        if not all(isinstance(row, list) and len(row) == len(columns) for row in items["data"]):
            raise BadRequest("each row of dataframe_split.data must have as many values as there are columns")
        items = [row[place] for row in items["data"]]
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_IMAGES:
        raise BadRequest(f"{forms[0]} must be a list of 1 to {MAX_IMAGES} images")
    params = body.get("params") or {}
    if not isinstance(params, dict):
        raise BadRequest("params must be an object")
    return [image_bytes(index, item) for index, item in enumerate(items)], checked(params)


def checked(params):
    """``top_k`` limits the scores of a classification, ``conf`` (0..1) and ``iou`` (0..1) the detections; others are left out."""
    top_k = params.get("top_k")
    if top_k is not None and (not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1):
        raise BadRequest("params.top_k must be a positive integer")
    for name in ("conf", "iou"):
        value = params.get(name)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1):
            raise BadRequest(f"params.{name} must be a number from 0 to 1")
    return {name: params[name] for name in ("top_k", "conf", "iou") if params.get(name) is not None}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = f"visionops/{VERSION}"
    sys_version = ""
    timeout = IDLE_S
    # Head and body leave in two writes; with Nagle's algorithm the second would wait 40 ms for the client's delayed ACK.
    disable_nagle_algorithm = True

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path in ("/ping", "/health"):
            self.answer(200, "text/plain; charset=utf-8", b"\n")
        elif path == "/version":
            self.answer(200, "text/plain; charset=utf-8", VERSION.encode())
        else:
            self.fail(404, "RESOURCE_DOES_NOT_EXIST", "There is nothing at this path.")

    def do_POST(self):
        if self.path.partition("?")[0] != "/invocations":
            self.close_connection = True
            self.fail(404, "RESOURCE_DOES_NOT_EXIST", "There is nothing at this path.")
            return
        try:
            # Read before anything is refused: an answer in the middle of a body resets the client's connection.
            body = self.body()
            if not self.is_from_proxy():
                self.fail(401, "UNAUTHENTICATED", "Send the request through the platform's proxy.")
                return
            images, params = self.read_images(body)
            with self.server.slots:
                predictions = self.server.predictor.predict(images, params)
            self.answer(200, "application/json", json.dumps({"predictions": predictions}).encode())
        except BadRequest as error:
            self.fail(400, "BAD_REQUEST", str(error))
        except Unsupported as error:
            self.fail(415, "UNSUPPORTED_MEDIA_TYPE", str(error))
        except MemoryError:
            self.fail(503, "TEMPORARILY_UNAVAILABLE", "Not enough memory for this request: send fewer images.")

    def is_from_proxy(self):
        token = os.environ.get("ENDPOINT_TOKEN", "")
        return not token or hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {token}".encode())

    def read_images(self, body):
        kind, charset = self.content_type()
        if charset not in ("", "utf-8"):
            raise Unsupported("The body must be encoded in utf-8.")
        if kind != "application/json":
            return [body], {}
        try:
            return items_of(json.loads(body.decode("utf-8")))
        except (ValueError, RecursionError) as error:
            raise BadRequest("The body is not valid JSON in utf-8.") from error

    def content_type(self):
        kind, *parameters = [part.strip().lower() for part in self.headers.get("Content-Type", "").split(";")]
        if kind not in ("application/json", "image/png", "image/jpeg"):
            raise Unsupported(f"This predictor takes application/json, image/png and image/jpeg. {advice(kind)}")
        values = dict(part.partition("=")[::2] for part in parameters if part)
        if set(values) - {"charset"}:
            raise Unsupported("The only content type parameter understood is charset.")
        return kind, values.get("charset", "").strip('"')

    def body(self):
        if self.headers.get("Transfer-Encoding"):
            return self.chunked_body()
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= MAX_BODY_BYTES:
            self.close_connection = True
            raise BadRequest(f"Content-Length must be given and at most {MAX_BODY_BYTES}.")
        data = self.rfile.read(length)
        if len(data) != length:
            self.close_connection = True
            raise BadRequest("The body ended early.")
        return data

    def chunked_body(self):
        """A proxy that streams sends chunks instead of a length."""
        data = bytearray()
        try:
            while True:
                size = int(self.rfile.readline(1026).partition(b";")[0].strip() or b"-1", 16)
                if size < 0 or len(data) + size > MAX_BODY_BYTES:
                    raise ValueError
                data += self.rfile.read(size)
                self.rfile.readline(1026)
                if size == 0:
                    return bytes(data)
        except ValueError as error:
            self.close_connection = True
            raise BadRequest(f"The body is not well chunked or exceeds {MAX_BODY_BYTES} bytes.") from error

    def fail(self, status, code, message):
        self.answer(status, "application/json", json.dumps({"error_code": code, "message": message}).encode())

    def answer(self, status, content_type, data):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, form, *values):
        """Probes are not worth a line."""
        if not self.path.startswith(("/ping", "/health")):
            print(f"{self.log_date_time_string()} {form % values}", flush=True)

    path = ""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, predictor):
        self.predictor = predictor
        self.slots = threading.BoundedSemaphore(MAX_CONCURRENT)
        super().__init__(address, Handler)

    def handle_error(self, request, client_address):
        """A client that went away is no error of the server."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def model_folder():
    if len(sys.argv) > 1:
        return sys.argv[1]
    if os.environ.get("MODEL_DIR"):
        return os.environ["MODEL_DIR"]
    try:
        with open("config.json", encoding="utf-8") as file:
            return json.load(file).get("model_dir", "model")
    except (OSError, ValueError):
        return "model"


def serve(load):
    """Loads the predictor of the model folder by ``load(folder)`` and answers until SIGTERM. Returns the exit code."""
    try:
        predictor = load(model_folder())
        server = Server((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), predictor)
    except BadModel as error:
        print(f"Model: {error}", file=sys.stderr, flush=True)
        return 3
    except OSError as error:
        print(f"Address: {error}", file=sys.stderr, flush=True)
        return 6
    # shutdown() waits for the serving loop, which runs in this very thread: it needs one of its own.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"Serving {len(predictor.labels)} classes at http://{server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever(poll_interval=0.25)
    server.server_close()
    return 0
