"""Fetches a dataset whose files and addresses the platform lists page by page. Standard library only."""

import concurrent.futures
import http.client
import json
import os
import threading
import time
from urllib.parse import urlsplit

from fetching import Canceled, Patience, StageError, THREADS, drop_connection, fetch, get


def tracker_address():
    """As it is now: the platform may have come back at another address since this program was started."""
    try:
        with open(os.environ.get("TRACKER_URL_FILE", ""), encoding="utf-8") as file:
            address = file.read().strip()
    except OSError:
        address = ""
    return (address or os.environ["TRACKER_URL"]).rstrip("/")


def ask_tracker(path):
    """The tracker's JSON; asked again for as long as the platform says, because the platform may be restarting."""
    headers = {"Authorization": f"Bearer {os.environ['JOB_TOKEN']}"}
    patience, pause = Patience(), 0.2
    while True:
        address = tracker_address()
        try:
            answer = get(address + path, headers)
            status, text = answer.status, answer.read()
            body = json.loads(text)
            if not isinstance(body, dict):
                raise ValueError("the answer is no object")
        except (OSError, http.client.HTTPException, ValueError) as error:
            status, body = 0, {"message": str(error)}
            drop_connection(urlsplit(address).scheme, urlsplit(address).netloc)
        if status == 200 and "files" in body:
            return body
        # A refusal without an error_code comes from another server that got the platform's port.
        if "error_code" in body and status in (401, 403, 409):
            raise Canceled(f"the platform answered {status}: this attempt is no longer valid")
        if "error_code" in body and 400 <= status < 500 and status not in (408, 429):
            raise StageError(f"the platform refused the list of files: {status} {body.get('message', '')[:300]}")
        if patience.is_over(pause):
            raise StageError(f"no list of files from the platform ({status or body.get('message')})")
        patience.wait(pause, f"the platform: no list of files ({status or body.get('message')})")
        pause = min(5.0, pause * 1.7)


class Page:
    """Some files of the dataset with addresses that live shortly."""

    def __init__(self, path, cursor):
        self.question = path if cursor is None else f"{path}?cursor={cursor}"
        self.lock = threading.Lock()
        self.ask()

    def ask(self):
        body = ask_tracker(self.question)
        self.files, self.next = body["files"], body["next"]
        self.urls = {entry["path"]: entry["url"] for entry in self.files}

    def renewed(self, path, stale):
        """The first who meets an address that has expired asks for the page again, for all that wait."""
        with self.lock:
            if self.urls[path] == stale:
                self.ask()
            return self.urls[path]


def fetch_pages(directory, path):
    """Fetches each page while the files of the one before come in; memory holds two pages, however long the list is."""
    root, manifest = os.path.join(directory, "dataset"), os.path.join(directory, "manifest.json")
    started, shown, done, running = time.monotonic(), time.monotonic(), 0, set()
    print("Fetching the dataset", flush=True)
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool, open(f"{manifest}.part", "w", encoding="utf-8") as listed:
        try:
            listed.write(f'{{"pages": {json.dumps(path)}, "files": [')
            cursor, is_first = None, True
            while is_first or cursor is not None:
                page = Page(path, cursor)
                for entry in page.files:
                    kept = {key: value for key, value in entry.items() if key != "url"}
                    listed.write(f"{',' if done + len(running) else ''}\n{json.dumps(kept)}")
                    running.add(pool.submit(fetch, root, entry, page))
                cursor, is_first = page.next, False
                done += finish(running, len(page.files) if cursor is not None else 0)
                if time.monotonic() - shown > 5:
                    shown = time.monotonic()
                    print(f"  {done} files", flush=True)
            listed.write("\n]}\n")
        except BaseException:
            for job in running:
                job.cancel()
            raise
    os.replace(f"{manifest}.part", manifest)
    print(f"Fetched {done} dataset files in {time.monotonic() - started:.1f} s", flush=True)


def finish(running, rest):
    """Waits until at most ``rest`` are under way. Returns how many ended."""
    ended = 0
    while len(running) > rest:
        for job in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
            job.result()
            running.discard(job)
            ended += 1
    return ended
