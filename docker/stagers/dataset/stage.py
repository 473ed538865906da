"""Fetches a workload's input into its directory before the entry point runs; the same program for process and pod.

Called as ``stage.py DIR``. Reads two lists from DIR, each optional:

* ``downloads.json``: ``[{"url", "path", "sha256"?, "unpack"?, "keep"?}]``, paths relative to DIR. ``unpack: true``
  means the bytes are a tar archive (plain or gzip) whose members go below ``path``; ``keep: true`` leaves a file that
  is there as it is, because the program writes newer ones in its place.
* ``manifest.json``, given as a file or fetched by the first list, the dataset; paths relative to DIR/dataset. Either
  ``{"pages": path}``, a path below TRACKER_URL that answers the files and their addresses page by page to whoever has
  JOB_TOKEN; the list is then written to ``manifest.json`` beside that path. Or ``[{"url", "path", "sha256"?}]`` (or the
  same list under the key ``files``); entries without a URL are left alone.

Files that exist with the right sha256 are not fetched again, so a repeat goes on where the last one ended. Beside what
was unpacked stands ``PATH.sha256`` with the digest of its archive. One of several stagers in a directory works, and the
others wait for it. Exit codes: 0 done, 2 a list is not valid, 4 something could not be fetched, 10 the attempt is no
longer valid. Standard library only.
"""

import concurrent.futures
import fcntl
import json
import os
import signal
import sys
import tarfile
import time

# Started with -I, which leaves out the program's own folder.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fetching import Canceled, StageError, THREADS, fetch, safe_path
from pages import fetch_pages
from unpacking import unpack

EXIT_INVALID, EXIT_FETCH, EXIT_CANCELED = 2, 4, 10


def read_json(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def wanted_of(value, name):
    entries = value.get("files") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise ValueError(f"{name} is not a list")
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
    with open(os.path.join(directory, ".staging"), "a", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return stage(directory)


def stage(directory):
    try:
        downloads = read_json(os.path.join(directory, "downloads.json"))
        fetch_all(directory, wanted_of(downloads, "downloads.json"), "inputs")
        manifest = read_json(os.path.join(directory, "manifest.json"))
        if isinstance(manifest, dict) and manifest.get("pages"):
            fetch_pages(directory, manifest["pages"])
        else:
            fetch_all(os.path.join(directory, "dataset"), wanted_of(manifest, "manifest.json"), "dataset files")
    except Canceled as error:
        print(f"Staging ended: {error}", file=sys.stderr, flush=True)
        return EXIT_CANCELED
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"The list of downloads is not valid: {error}", file=sys.stderr, flush=True)
        return EXIT_INVALID
    except (StageError, OSError, tarfile.TarError) as error:
        print(f"Staging failed: {error}", file=sys.stderr, flush=True)
        return EXIT_FETCH
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
