"""HTTP with the device's token. A refusal is final, an absence is not: the caller decides how long to try."""

import http.client
import json
import random
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

#: Seconds without a byte after which a connection counts as lost.
IDLE_S = 30
#: Longest pause between two tries; half of it or more is random, so that a fleet does not come back at once.
LONGEST_PAUSE_S = 60


class Refused(Exception):
    """The platform answered, and the answer will not change by asking again."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Absent(Exception):
    """No answer of the platform, or one that says "later" (429, 5xx): worth another try."""

    def __init__(self, message, retry_after=None, status=None):
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


@contextmanager
def waiting_for_token(*statuses):
    """A token that is refused may be replaced: what hangs on it waits as if the platform were away. @raises Absent"""
    try:
        yield
    except Refused as error:
        if error.status in (statuses or (401, 403)):
            raise Absent(str(error), status=error.status) from error
        raise


class TokenWatch:
    """Says what to do when the token is no longer taken, once, and when it is taken again. Shared by all clients of an agent."""

    def __init__(self, log):
        self.log = log
        self.is_refused = False
        self.changed_at = 0.0
        self.lock = threading.Lock()

    def heard(self, status, asked_at):
        """
        @param status of an answer; one that is neither a success nor 401 says nothing of the token
        @param asked_at when its request began: what was asked before the last change, such as a long poll, is no news
        """
        if status >= 300 and status != 401:
            return
        with self.lock:
            if asked_at < self.changed_at:
                return
            before, now = self.is_refused, status == 401
            if now != before:
                self.is_refused, self.changed_at = now, time.monotonic()
        if now and not before:
            self.log.error("the platform does not take this device's token, which is unknown, expired or revoked: "
                           "ask an operator for a new token (token:rotate) and start the agent again with it")
        elif before and not now:
            self.log.info("the platform takes this device's token again")


class Client:
    """One per thread: a connection is kept open and serves one request at a time."""

    def __init__(self, url, token, watch):
        self.address = urlsplit(url)
        self.token = token
        self.watch = watch
        self.connection = None
        #: When the last request began, and when its answer did.
        self.asked_at = self.answered_at = 0.0

    def json(self, method, path, body=None, timeout=IDLE_S):
        """The parsed answer. @raises Refused, Absent"""
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        return self.send(method, path, data, None if data is None else {"Content-Type": "application/json"}, timeout)

    def send(self, method, path, data=None, headers=None, timeout=IDLE_S):
        """As ``json`` for a body of bytes: whoever else answers on the way, such as a page to log in, speaks no JSON."""
        response = self.open(method, path, data, headers, timeout)
        try:
            answer = json.loads(response.read())
            if not isinstance(answer, dict):
                raise ValueError("no object")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Absent(f"{response.status}: the answer was cut off or is not one of the platform: {error}") from error
        self._recognize(response)
        return answer

    def open(self, method, path, data=None, headers=None, timeout=IDLE_S):
        """The open answer of a success, whose body the caller reads to its end. @raises Refused, Absent"""
        reused = self.connection is not None
        try:
            response = self._send(method, path, data, headers, timeout)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # The server may have closed a connection that rested; it has then seen nothing of this request.
            if not (reused and isinstance(error, (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError))):
                raise Absent(f"no answer: {error}") from error
            try:
                response = self._send(method, path, data, headers, timeout)
            except (OSError, http.client.HTTPException) as again:
                self.close()
                raise Absent(f"no answer: {again}") from again
        if response.status < 300:
            return response
        raise self._failure(response)

    def _send(self, method, path, data, headers, timeout):
        if self.connection is None:
            kind = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
            self.connection = kind(self.address.hostname, self.address.port, timeout=timeout)
        self.connection.timeout = timeout
        if self.connection.sock is not None:
            self.connection.sock.settimeout(timeout)
        self.asked_at = time.monotonic()
        self.connection.request(method, self.address.path + path, data, {"X-Edge-Token": self.token, **(headers or {})})
        response = self.connection.getresponse()
        self.answered_at = time.monotonic()
        return response

    def _recognize(self, response):
        """The answer is the platform's: what it says of the token counts."""
        self.watch.heard(response.status, self.asked_at)

    def _failure(self, response):
        """An answer without the platform's shape of errors is from somebody on the way, such as a proxy: it decides nothing."""
        status, message = response.status, response.reason
        is_platform = False
        try:
            said = json.loads(response.read(65536))
            response.close()
            if is_platform := all(isinstance(said.get(name), str) for name in ("error_id", "code")):
                message = said.get("message", "")
                self._recognize(response)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass
        if response.length:
            self.close()
        if is_platform and status < 500 and status not in (408, 425, 429):
            return Refused(status, message)
        after = response.getheader("Retry-After", "")
        return Absent(f"{status}: {message}", int(after) if after.isdigit() else None, status)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Backoff:
    """Growing pauses with jitter, which an event ends early."""

    def __init__(self, stop, first_s=1.0):
        self.stop = stop
        self.first_s = first_s
        self.failures = 0

    def success(self):
        self.failures = 0

    def pause_s(self, retry_after=None):
        """@param retry_after what the platform asks for at least; the whole fleet may have been given the same"""
        longest = min(LONGEST_PAUSE_S, self.first_s * 2**self.failures)
        self.failures = min(self.failures + 1, 16)
        return max((retry_after or 0) * (1 + random.random() / 4), longest * (0.5 + random.random() / 2))

    def wait(self, retry_after=None):
        """@returns False when the agent ends"""
        return not self.stop.wait(self.pause_s(retry_after))


def until_done(work, stop, log, what):
    """Repeats the work while the platform is absent. @returns its result, None when the agent ends. @raises Refused"""
    backoff = Backoff(stop)
    while not stop.is_set():
        try:
            return work()
        except Absent as error:
            log.warning("%s waits: %s", what, error)
            if not backoff.wait(error.retry_after):
                break
    return None


def never():
    """An event that nobody sets."""
    return threading.Event()
