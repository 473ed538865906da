"""What waits on the disk, records and pictures together: beyond what the policy allows, the oldest goes."""

import threading

from .numbers import number_of


class LocalRoom:
    def __init__(self, policy, stores, log):
        """@param stores each with ``held() -> [path]`` and ``forget(path)``"""
        self.policy = policy
        self.stores = stores
        self.log = log
        self.dropped = 0
        self.lock = threading.Lock()

    def keep(self):
        with self.lock:
            held = sorted(self._held(), key=lambda one: number_of(one[2]))
            excess = sum(size for size, _, _ in held) - self.policy.values.max_local_mb * 1_000_000
            for size, store, path in held:
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
                    yield path.stat().st_size, store, path
                except FileNotFoundError:  # sent meanwhile
                    continue
