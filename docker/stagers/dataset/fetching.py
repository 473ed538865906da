"""Fetches one file from the address that an entry names. Standard library only."""

import errno
import hashlib
import http.client
import itertools
import os
import threading
import time
from urllib.parse import urlsplit

THREADS = 8
# As the platform says; longer than a restart, an upgrade or a failover takes.
PATIENCE_S = int(os.environ.get("PLATFORM_PATIENCE_S", "60"))
SAYS_EVERY_S = 60
MAX_RENEWALS = 5
TIMEOUT_S = 30
BLOCK = 1 << 20

local = threading.local()


class StageError(Exception):
    pass


class Canceled(Exception):
    """The platform no longer accepts this attempt."""


class Retry(Exception):
    pass


class Patience:
    """How long an answer is waited for. The log says once a minute that it is."""

    def __init__(self):
        now = time.monotonic()
        self.ends_at, self.says_at = now + PATIENCE_S, now + SAYS_EVERY_S

    def is_over(self, pause=0.0):
        return time.monotonic() + pause > self.ends_at

    def wait(self, pause, reason):
        if time.monotonic() > self.says_at:
            self.says_at = time.monotonic() + SAYS_EVERY_S
            print(f"Waiting for {reason}", flush=True)
        time.sleep(pause)


class Expired(Retry):
    """The store refused the address: a page that is asked for again has a new one."""


class WrongBytes(Retry):
    """May be a broken transfer, so it is tried once more."""


def safe_path(root, path):
    """Absolute path of a relative one that stays below root."""
    parts = path.split("/") if isinstance(path, str) else [""]
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise ValueError(f"not a safe relative path: {path!r}")
    return os.path.join(root, *parts)


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def connection(scheme, host):
    """One kept-alive connection a thread and host."""
    kept = local.__dict__.setdefault("connections", {})
    if (scheme, host) not in kept:
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        kept[scheme, host] = kind(host, timeout=TIMEOUT_S)
    return kept[scheme, host]


def drop_connection(scheme, host):
    found = local.__dict__.get("connections", {}).pop((scheme, host), None)
    if found:
        found.close()


def get(url, headers=None):
    address = urlsplit(url)
    if address.scheme not in ("http", "https"):
        raise StageError("only http and https addresses can be fetched")
    client = connection(address.scheme, address.netloc)
    client.request("GET", f"{address.path or '/'}{'?' + address.query if address.query else ''}", headers=headers or {})
    return client.getresponse()


def fetch_once(url, target, sha256):
    answer = get(url)
    if answer.status != 200:
        answer.read()
        if answer.status >= 500 or answer.status == 429:
            raise Retry(f"the store answered {answer.status}")
        if answer.status in (400, 401, 403):
            raise Expired(f"the store answered {answer.status}; the address has expired or is not valid")
        raise StageError(f"the store answered {answer.status}")
    digest, size = hashlib.sha256(), 0
    with open(target, "wb") as file:
        while block := answer.read(BLOCK):
            digest.update(block)
            file.write(block)
            size += len(block)
    expected = answer.getheader("Content-Length")
    if expected is not None and int(expected) != size:
        raise Retry(f"the connection ended after {size} of {expected} bytes")
    if sha256 and digest.hexdigest() != sha256:
        raise WrongBytes("the bytes do not have the expected sha256")


def is_final(error, attempt, page):
    """What waiting does not cure: an address that is refused again and again, bytes that are wrong twice, a closed port, this machine's disk."""
    if isinstance(error, Expired):
        return page is None or attempt >= MAX_RENEWALS
    if isinstance(error, WrongBytes):
        return attempt > 0
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EACCES) or getattr(error, "filename", None) is not None


def fetch(root, entry, page=None):
    """``page`` renews the address of the entry; without one an address that has expired ends the staging."""
    target = safe_path(root, entry["path"])
    sha256 = entry.get("sha256")
    if os.path.isfile(target) and (entry.get("keep") or (sha256 and digest_of(target) == sha256)):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    part = f"{target}.{threading.get_ident()}.part"
    url = entry["url"]
    patience = Patience()
    for attempt in itertools.count():
        try:
            fetch_once(url, part, sha256)
            os.replace(part, target)
            return
        except (Retry, OSError, http.client.HTTPException) as error:
            drop_connection(urlsplit(url).scheme, urlsplit(url).netloc)
            if is_final(error, attempt, page) or patience.is_over():
                raise StageError(f"{entry['path']}: {error}") from error
            if isinstance(error, Expired):
                url = page.renewed(entry["path"], url)
            patience.wait(min(8, 0.25 * 2 ** min(attempt, 5)), f"the store: {entry['path']}: {error}")
        except StageError as error:
            raise StageError(f"{entry['path']}: {error}") from error
