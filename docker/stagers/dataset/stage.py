"""Fetches a workload's input into its directory before the entry point runs; the same program for process and pod.

Called as ``stage.py DIR``. Reads two lists from DIR, each optional:

* ``downloads.json``: ``[{"url", "path", "sha256"?, "unpack"?, "keep"?}]``, paths relative to DIR. ``unpack: true``
  means the bytes are a tar archive (plain or gzip) whose members go below ``path``; ``keep: true`` leaves a file that
  is there as it is, because the program writes newer ones in its place.
* ``manifest.json``, given as a file or fetched by the first list: ``[{"url", "path", "sha256"?}]`` (or the same list
  under the key ``files``), the dataset; paths relative to DIR/dataset. Entries without a URL are left alone.

Files that exist with the right sha256 are not fetched again, so a repeat goes on where the last one ended. Exit codes:
0 done, 2 a list is not valid, 4 something could not be fetched. Standard library only.
"""

import concurrent.futures
import hashlib
import http.client
import json
import os
import signal
import sys
import tarfile
import threading
import time
from urllib.parse import urlsplit

THREADS = 8
TRIES = 6
TIMEOUT_S = 30
BLOCK = 1 << 20
MAX_UNPACKED_BYTES = 32 << 30
EXIT_INVALID, EXIT_FETCH = 2, 4

local = threading.local()


class StageError(Exception):
    pass


class Retry(Exception):
    pass


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


def fetch_once(url, target, sha256):
    address = urlsplit(url)
    if address.scheme not in ("http", "https"):
        raise StageError("only http and https addresses can be fetched")
    question = f"{address.path or '/'}{'?' + address.query if address.query else ''}"
    client = connection(address.scheme, address.netloc)
    client.request("GET", question)
    answer = client.getresponse()
    if answer.status != 200:
        answer.read()
        if answer.status >= 500 or answer.status == 429:
            raise Retry(f"the store answered {answer.status}")
        hint = "; the address has expired or is not valid" if answer.status in (400, 401, 403) else ""
        raise StageError(f"the store answered {answer.status}{hint}")
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


def fetch(root, entry):
    target = safe_path(root, entry["path"])
    sha256 = entry.get("sha256")
    if os.path.isfile(target) and (entry.get("keep") or (sha256 and digest_of(target) == sha256)):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    part = f"{target}.{threading.get_ident()}.part"
    address = urlsplit(entry["url"])
    for attempt in range(TRIES):
        try:
            fetch_once(entry["url"], part, sha256)
            os.replace(part, target)
            return
        except (Retry, OSError, http.client.HTTPException) as error:
            drop_connection(address.scheme, address.netloc)
            if attempt == TRIES - 1 or (attempt > 0 and isinstance(error, WrongBytes)) or getattr(error, "errno", None) == 28:
                raise StageError(f"{entry['path']}: {error}") from error
            time.sleep(min(8, 0.25 * 2 ** attempt))
        except StageError as error:
            raise StageError(f"{entry['path']}: {error}") from error


def unpack(root, entry):
    """Extracts regular files and folders only; anything else in the archive is refused."""
    archive, target = safe_path(root, entry["path"] + ".archive"), safe_path(root, entry["path"])
    fetch(root, {**entry, "path": entry["path"] + ".archive"})
    total = 0
    with tarfile.open(archive, "r|*") as members:
        for member in members:
            name = member.name.removeprefix("./").rstrip("/")
            if name in ("", "."):
                continue
            place = safe_path(target, name)
            if member.isdir():
                os.makedirs(place, exist_ok=True)
            elif member.isfile():
                total += member.size
                if total > MAX_UNPACKED_BYTES:
                    raise StageError(f"{entry['path']}: the archive unpacks to more than {MAX_UNPACKED_BYTES} bytes")
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file, members.extractfile(member) as source:
                    while block := source.read(BLOCK):
                        file.write(block)
            else:
                raise StageError(f"{entry['path']}: the archive holds {name!r}, which is neither file nor folder")
    os.unlink(archive)


def read_list(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    entries = value.get("files") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise ValueError(f"{os.path.basename(path)} is not a list")
    wanted = [entry for entry in entries if entry.get("url")]
    for entry in wanted:
        safe_path("/", entry["path"])
    return wanted


def fetch_all(root, entries, what):
    if not entries:
        return
    started, done, shown = time.monotonic(), 0, time.monotonic()
    print(f"Fetching {len(entries)} {what}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        jobs = [pool.submit(unpack if entry.get("unpack") else fetch, root, entry) for entry in entries]
        try:
            for job in concurrent.futures.as_completed(jobs):
                job.result()
                done += 1
                if time.monotonic() - shown > 5:
                    shown = time.monotonic()
                    print(f"  {done} of {len(entries)}", flush=True)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    print(f"Fetched {len(entries)} {what} in {time.monotonic() - started:.1f} s", flush=True)


def main(directory):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(12))
    try:
        fetch_all(directory, read_list(os.path.join(directory, "downloads.json")), "inputs")
        fetch_all(os.path.join(directory, "dataset"), read_list(os.path.join(directory, "manifest.json")), "dataset files")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"The list of downloads is not valid: {error}", file=sys.stderr, flush=True)
        return EXIT_INVALID
    except (StageError, OSError, tarfile.TarError) as error:
        print(f"Staging failed: {error}", file=sys.stderr, flush=True)
        return EXIT_FETCH
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
