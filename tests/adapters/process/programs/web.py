"""Answers GET /ping; GET /die ends it; with an argument it ends at once."""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

if len(sys.argv) > 1:
    print("broken", flush=True)
    sys.exit(3)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/die":
            os._exit(1)
        data = json.dumps({"pid": os.getpid()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


print("listening", flush=True)
HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
