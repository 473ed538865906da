import logging
import tempfile
import unittest
from pathlib import Path

from visionops_device.local_room import LocalRoom
from visionops_device.policy import Policy, Throttle


class PolicyCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.policy = Policy(self.folder / "policy.json", logging.getLogger("test"))

    def test_spreads_what_is_sent_over_time_and_heeds_a_change_under_way(self):
        clock = FakeTime()
        throttle = Throttle(self.policy, clock.now)
        throttle.wait(1_000_000, clock)
        throttle.wait(1_000_000, clock)
        self.assertEqual(clock.seconds, 0)
        self.policy.take({"sync": {"max_kbps": 80}})
        throttle.wait(1_000_000, clock)
        self.assertAlmostEqual(clock.seconds, 100, delta=1)
        clock.at = 150, lambda: self.policy.take({"sync": {"max_kbps": None}})
        throttle.wait(1, clock)
        self.assertAlmostEqual(clock.seconds, 150, delta=1.1)

    def test_drops_the_oldest_of_all_that_waits_beyond_what_is_allowed(self):
        stores = [Store(self.folder, ("a", 4, 400_000), ("b", 1, 400_000)), Store(self.folder, ("c", 3, 400_000), ("d", 2, 400_000))]
        room = LocalRoom(self.policy, stores, logging.getLogger("test"))
        room.keep()
        self.assertEqual([store.forgotten for store in stores], [[], []])
        self.policy.take({"retention": {"max_local_mb": 1}})
        room.keep()
        self.assertEqual([store.forgotten for store in stores], [["b"], ["d"]])


    def test_counts_what_small_files_take_of_the_disk(self):
        store = Store(self.folder, *((f"f{number}", number, 200) for number in range(400)))
        self.policy.take({"retention": {"max_local_mb": 1}})
        LocalRoom(self.policy, [store], logging.getLogger("test")).keep()
        blocks = sum(path.stat().st_blocks * 512 for path in store.paths[len(store.forgotten):])
        self.assertLessEqual(blocks, 1_000_000)
        self.assertEqual(store.forgotten, [f"f{number}" for number in range(len(store.forgotten))])
        self.assertGreater(len(store.forgotten), 100)


class FakeTime:
    """A clock, and an event that nobody sets and that makes the clock go on."""

    def __init__(self):
        self.seconds = 0.0
        #: What happens when.
        self.at = None

    def now(self):
        return self.seconds

    def is_set(self):
        return False

    def wait(self, seconds):
        self.seconds += seconds
        if self.at is not None and self.seconds >= self.at[0]:
            self.at[1]()
            self.at = None


class Store:
    def __init__(self, folder, *files):
        self.paths, self.forgotten = [], []
        for name, number, size in files:
            path = folder / f"{number:020d}-{name}"
            path.write_bytes(bytes(size))
            self.paths.append(path)

    def held(self):
        return self.paths

    def forget(self, path):
        self.forgotten.append(path.name.split("-")[1])
