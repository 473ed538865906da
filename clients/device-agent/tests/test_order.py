import os
from unittest import mock

from visionops_device.agent import Agent
from visionops_device.numbers import number_of

from .agent_case import AgentCase

YEAR_2026 = f"{1_780_000_000 * 10**9:020d}"


def record(name):
    return {"prediction_id": name, "result": {"text": "x" * 400_000}}


def kept(agent):
    return [next(name for name in ("old", "first", "second", "third") if f'"{name}"'.encode() in path.read_bytes()) for path in agent.inference.waiting()]


class OrderCase(AgentCase):
    def test_drops_the_oldest_on_a_device_whose_clock_starts_at_1970_each_time(self):
        spool = self.settings.folder / "spool/inference"
        spool.mkdir(parents=True)
        # As an agent of before has left it.
        (spool / f"{YEAR_2026}-0a.json").write_text('{"records": [{"prediction_id": "old", "result": {"text": "%s"}}]}' % ("x" * 400_000))
        for seconds, name in enumerate(("first", "second", "third")):
            with mock.patch("time.time_ns", return_value=seconds * 10**9):
                agent = Agent(self.settings)
                agent.inference.add(record(name))
                agent.inference.flush()
            os.utime(agent.inference.waiting()[-1], (seconds, seconds))
        self.assertEqual(kept(agent), ["old", "first", "second", "third"])
        agent.policy.take({"retention": {"max_local_mb": 1}})
        agent.room.keep()
        self.assertEqual(kept(agent), ["second", "third"])

    def test_counts_records_and_pictures_together_and_keeps_one_of_the_same_picture(self):
        uploads = self.settings.folder / "spool/uploads"
        uploads.mkdir(parents=True)
        for name in ("0a.png", "0a.png.meta", "0b.png.meta", "0c.png.json"):
            (uploads / name).write_bytes(b"of an agent of before")
        agent = Agent(self.settings)
        self.assertEqual(sorted(path.name for path in uploads.iterdir()), ["0a.png", "0a.png.meta"])
        agent.uploads.add("a.png", b"picture", {})
        agent.inference.add(record("first"))
        agent.inference.flush()
        agent.uploads.add("b.png", b"picture", {})
        again = Agent(self.settings)
        again.uploads.add("c.jpg", b"another", {})
        self.assertEqual([number_of(path) for path in again.uploads.waiting()], [0, 1, 3])
        self.assertEqual([number_of(path) for path in again.inference.waiting()], [2])
