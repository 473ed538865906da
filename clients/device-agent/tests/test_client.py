import unittest

from visionops_device.client import Backoff, never


class BackoffCase(unittest.TestCase):
    def test_spreads_the_return_of_a_fleet_that_was_given_the_same_time(self):
        pauses = [Backoff(never()).pause_s(40) for _ in range(50)]
        self.assertGreater(len(set(pauses)), 1)
        # Not before the time that it was given, and not long after it.
        self.assertGreaterEqual(min(pauses), 40)
        self.assertLessEqual(max(pauses), 50)
