"""What waits on the disk, records and pictures together: beyond what the policy allows, the oldest goes."""

import threading

from .numbers import number_of


class LocalRoom:
    def __init__(self, policy, stores, log, place=lambda path, _: number_of(path)):
        """
        @param stores each with ``held() -> [path]`` and ``forget(path)``
        @param place called with a path and what ``stat`` says of it: what is least goes first
        """
        self.policy = policy
        self.stores = stores
        self.log = log
        self.place = place
        self.dropped = 0
        self.lock = threading.Lock()

    def keep(self):
        with self.lock:
            held = sorted(self._held(), key=lambda one: one[0])
            excess = sum(size for _, size, _, _ in held) - self.policy.values.max_local_mb * 1_000_000
            for _, size, store, path in held:
                if excess <= 0:
                    return
                store.forget(path)
                excess -= size
                self.dropped += 1
                self.log.warning("more waits than the policy allows: the oldest, %s, is dropped", path.name)

    def _held(self):
        for store in self.stores:
            for path in store.held():
                try:
                    found = path.stat()
                    yield self.place(path, found), room_of(found), store, path
                except FileNotFoundError:  # sent meanwhile
                    continue


def room_of(found):
    """Bytes of the disk: a small file takes a whole block of it."""
    return max(found.st_size, getattr(found, "st_blocks", 0) * 512)
