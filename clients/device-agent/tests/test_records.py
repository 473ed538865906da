import contextlib
import errno
import json
import threading
import time
from collections import Counter
from dataclasses import replace
from unittest import mock

from visionops_device import files as files_module
from visionops_device.agent import Agent
from visionops_device.client import Absent
from visionops_device.predictors import BadAnswer

from .agent_case import AgentCase, model


class RecordsCase(AgentCase):
    def test_keeps_records_while_the_platform_is_away_and_sends_each_once(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, thread = self.start()
        self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: self.final_acks())
        self.platform.is_away = True
        for number in range(20):
            agent.predict(f"a{number}".encode(), "a.png")
        self.end(agent, thread)
        self.assertEqual(self.platform.batches, {})
        # The answer of the first try is lost: the batch comes again under its key.
        self.platform.is_away, self.platform.cut_answers = False, 1
        again, _ = self.start()
        self.wait(lambda: any(len(tries) > 1 for tries in self.platform.batches.values()) and not again.inference.waiting())
        sent = [record["prediction_id"] for tries in self.platform.batches.values() for record in tries[0]]
        self.assertEqual(sorted(sent), sorted(f"a{number}" for number in range(20)))
        for tries in self.platform.batches.values():
            self.assertTrue(all(records == tries[0] for records in tries))
        self.assertEqual(again.predict(b"p", "a.png")["label"], "one")

    def test_keeps_records_in_memory_while_the_disk_is_full_and_goes_on_when_there_is_room(self):
        self.watch_images()
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        full = FullDisk()
        with mock.patch.object(files_module.os, "fsync", full):
            (self.settings.images / "new").write_bytes(b"first")
            (self.settings.images / "new").rename(self.settings.images / "first.png")
            for number in range(3):
                agent.predict(f"p{number}".encode(), "a.png")
            # Each thread meets the full disk more than once.
            self.platform.command("odd", "dance")
            self.platform.command("policy", "refresh_config")
            self.wait(lambda: len(self.final_acks()) == 3)
            self.wait(lambda: {"write_records", "watch_images", "commands"} <= {name for name, times in full.met.items() if times > 1})
            self.assertEqual(self.platform.batches, {})
            self.assertEqual([path.name for path in self.settings.images.iterdir()], ["first.png"])
        self.wait(lambda: len(self.sent_predictions()) == 4)
        self.assertEqual(sorted(self.sent_predictions()), ["first", "p0", "p1", "p2"])
        self.wait(lambda: not list(self.settings.images.iterdir()))
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        # The last word is acknowledged before what is left of it is on the disk.
        self.wait(lambda: not list(self.settings.folder.rglob("*.new")))

    def test_records_a_prediction_that_fails_with_its_error(self):
        self.watch_images()
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        agent.installer.predictor.record["mute"] = True
        (self.settings.images / "bad.png").write_bytes(b"bad")
        self.wait(lambda: self.platform.batches and "prediction_error" in self.kinds_sent())
        record, = (record for tries in self.platform.batches.values() for record in tries[0])
        self.assertEqual((record["model_name"], record["version"], record["result"]["file"]), ("digits", 1, "bad.png"))
        self.assertIn("pictures of another size", record["result"]["error"])
        self.assertNotIn("confidence", record)
        self.assertEqual(self.kinds_sent().count("prediction_error"), 1)

    def test_records_an_answer_that_is_no_number_as_a_failure(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        for number, score in enumerate((float("nan"), 0.4, float("inf"))):
            agent.installer.predictor.record["score"] = score
            with contextlib.suppress(BadAnswer):
                agent.predict(f"p{number}".encode(), "a.png")
        self.wait(lambda: len(self.sent_predictions()) == 3 and not agent.inference.held())
        sent = [record for tries in self.platform.batches.values() for record in tries[0]]
        failed = {record["prediction_id"]: record["result"].get("error") for record in sent}
        self.assertIsNone(failed.pop("p1"))
        for error in failed.values():
            self.assertIn("NaN or infinite", error)

    def test_sends_all_records_but_those_that_the_platform_refuses(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        self.platform.is_away = True
        for number in range(10):
            agent.predict(f"p{number}".encode(), "a.png")
        agent.inference.flush()
        self.platform.unwanted = b"p3"
        self.platform.is_away = False
        self.wait(lambda: len(self.sent_predictions()) == 9 and not agent.inference.waiting())
        self.assertEqual(sorted(self.sent_predictions()), sorted(f"p{number}" for number in range(10) if number != 3))
        refused = [json.loads(path.read_bytes())["records"] for path in agent.inference.held()]
        self.assertEqual([[record["prediction_id"] for record in records] for records in refused], [["p3"]])

    def test_halves_a_batch_that_is_refused_into_the_same_halves_after_a_power_cut(self):
        agent = Agent(self.settings)
        spool = agent.inference
        for number in range(3):
            spool.add({"prediction_id": f"p{number}"})
        spool.flush()
        self.platform.unwanted = b"p2"
        (batch,) = spool.waiting()
        whole = batch.read_bytes()
        found = []
        for _ in range(2):
            batch.write_bytes(whole)
            spool._send_one(agent.client(), agent.stop, batch)
            found.append({path.name: path.read_bytes() for path in spool.held()})
        self.assertEqual(found[0], found[1])
        self.assertEqual(len(found[0]), 2)

    def write_each(self, agent, names):
        for name in names:
            agent.inference.add({"prediction_id": name})
            agent.inference.flush()

    def ids_on_disk(self, agent):
        return [[record["prediction_id"] for record in json.loads(path.read_bytes())["records"]] for path in agent.inference.waiting()]

    def test_joins_small_batches_that_were_never_tried_up_to_the_size_of_the_policy(self):
        agent = Agent(self.settings)
        agent.policy.take({"sync": {"batch_size": 4}})
        self.write_each(agent, "ab")
        agent.inference.try_join(3)
        self.assertEqual(self.ids_on_disk(agent), [["a"], ["b"]])
        # What the platform may have under its key stays as it is.
        self.platform.is_away = True
        with self.assertRaises(Absent):
            agent.inference._send_one(agent.client(), agent.stop, agent.inference.waiting()[0])
        self.write_each(agent, "cdefg")
        for _ in range(2):
            agent.inference.try_join()
            self.assertEqual(self.ids_on_disk(agent), [["a"], ["b", "c", "d", "e"], ["f", "g"]])
        self.write_each(agent, "h")
        agent.inference.try_join()
        self.assertEqual(self.ids_on_disk(agent)[-1], ["f", "g", "h"])
        self.platform.is_away = False
        for path in agent.inference.waiting():
            agent.inference._send_one(agent.client(), agent.stop, path)
        self.assertEqual(self.sent_predictions(), list("abcdefgh"))
        self.assertEqual(len(self.platform.batches), 3)

    def test_sends_no_record_twice_when_the_power_went_between_a_join_and_the_removal_of_its_parts(self):
        agent = Agent(self.settings)
        written = {}
        for names in ("ab", "cd"):
            self.write_each(agent, names)
            written.update({path: path.read_bytes() for path in agent.inference.waiting()})
            agent.inference.try_join()
        self.write_each(agent, "e")
        for path, data in written.items():
            path.write_bytes(data)
        self.assertEqual(len(agent.inference.waiting()), 7)
        self.assertEqual(self.ids_on_disk(Agent(self.settings)), [["a", "b", "c", "d"], ["e"]])
        agent.inference.forget(agent.inference.waiting()[-1])
        # What comes later has numbers of its own.
        self.write_each(Agent(self.settings), "fg")
        self.assertEqual(self.ids_on_disk(Agent(self.settings)), [["a", "b", "c", "d"], ["f"], ["g"]])

    def test_halves_a_joined_batch_and_keeps_all_halves_after_a_start(self):
        agent = Agent(self.settings)
        self.write_each(agent, "abc")
        agent.inference.try_join()
        self.platform.unwanted = b'"b"'
        (joined,) = agent.inference.waiting()
        agent.inference._send_one(agent.client(), agent.stop, joined)
        self.assertEqual(sorted(map(len, self.ids_on_disk(Agent(self.settings)))), [1, 2])

    def test_sends_at_once_when_what_waits_on_the_disk_fills_a_batch(self):
        self.platform.config["sync"] = {"interval_s": 600, "batch_size": 5}
        agent, _ = self.start()
        self.wait(lambda: agent.policy.values.batch_size == 5)
        # The first look at what waits has passed.
        time.sleep(1.5)
        self.write_each(agent, "abcde")
        self.wait(lambda: len(self.sent_predictions()) == 5)

    def test_puts_a_damaged_batch_aside_and_sends_the_others(self):
        agent = Agent(self.settings)
        for names in ("a", "b", "c", "d"):
            self.write_each(agent, names)
        for path, damage in zip(agent.inference.waiting(), (b"\0" * 40, b'{"records": 3}', b"[]")):
            path.write_bytes(damage)
        again, _ = self.start()
        self.wait(lambda: self.sent_predictions() == ["d"] and not again.inference.waiting())
        self.assertEqual([path.suffix for path in again.inference.held()], [".refused"] * 3)
        self.write_each(again, "e")
        self.wait(lambda: self.sent_predictions() == ["d", "e"])

    def test_follows_a_policy_that_changes_and_says_so_only_then(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.config = {"revision": 4, "heartbeat_interval_s": 0.1, "commands_poll_s": 7,
                                "sync": {"enabled": False}, "retention": {"max_local_mb": None}}
        agent, _ = self.start()
        self.deploy("digits", 1)
        for number in range(5):
            agent.predict(f"a{number}".encode(), "a.png")
        self.wait(lambda: len(agent.inference.waiting()) > 0)
        beats = len(self.platform.heartbeats)
        self.wait(lambda: len(self.platform.heartbeats) > beats + 3)
        self.assertEqual(self.platform.batches, {})
        self.assertEqual({beat["policy_revision"] for beat in self.platform.heartbeats}, {4})
        self.assertIn("/api/v1/edge/commands?wait=7", [path for _, path in self.platform.requests])
        self.platform.config = {"revision": 5, "heartbeat_interval_s": 0.1, "commands_poll_s": 9,
                                "sync": {"enabled": True, "interval_s": 0.1, "batch_size": 2, "max_kbps": 10_000}}
        self.platform.command("refresh", "refresh_config")
        self.wait(lambda: len(self.sent_predictions()) == 5 and self.platform.heartbeats[-1]["policy_revision"] == 5)
        self.platform.batches.clear()
        for number in range(5):
            agent.predict(f"b{number}".encode(), "a.png")
        self.wait(lambda: len(self.sent_predictions()) == 5)
        self.assertLessEqual(max(len(tries[0]) for tries in self.platform.batches.values()), 2)
        self.wait(lambda: ("GET", "/api/v1/edge/commands?wait=9") in self.platform.requests)
        self.platform.config = {"revision": 6, "heartbeat_interval_s": "often"}
        self.platform.command("unreadable", "refresh_config")
        self.wait(lambda: len(self.final_acks()) == 3)
        self.assertEqual([body["result"] for _, body in self.final_acks()[1:]], [{"revision": 5}] * 2)

    def test_reads_a_policy_that_a_heartbeat_tells_of_once(self):
        agent, _ = self.start()
        self.wait(lambda: len(self.platform.heartbeats) > 0)

        def reads():
            return [path for _, path in self.platform.requests if "/edge/config" in path]

        self.platform.config = {"revision": 4, "heartbeat_interval_s": 0.1}
        self.platform.stated_revision = 4
        self.wait(lambda: self.platform.heartbeats[-1]["policy_revision"] == 4)
        self.platform.config = {"revision": 5, "heartbeat_interval_s": "often"}
        before, self.platform.stated_revision = len(reads()), 5
        self.wait(lambda: len(reads()) > before)
        beats = len(self.platform.heartbeats)
        self.wait(lambda: len(self.platform.heartbeats) > beats + 3)
        self.assertEqual(len(reads()), before + 1)
        self.assertEqual(agent.policy.values.revision, 4)

    def test_keeps_a_picture_until_its_upload_is_done_and_tries_again_when_it_fails(self):
        self.settings = replace(self.settings, upload_below=0.5)
        self.platform.models = {("digits", 1): model("one")}
        self.platform.upload_ends = ["failed", "done"]
        self.platform.refusals = [("/uploads", 422)]
        agent, _ = self.start()
        self.deploy("digits", 1)
        seen = []
        forget = agent.uploads.forget

        def note(path):
            seen.append((path.exists(), [session["state"] for session in self.platform.uploads.values()]))
            forget(path)

        with mock.patch.object(agent.uploads, "forget", note):
            agent.predict(b"unsure", "a.png")
            self.wait(lambda: not list(agent.uploads.folder.iterdir()))
        self.assertEqual(seen, [(True, ["failed", "done"])])
        self.assertEqual(self.platform.refusals, [])
        self.assertEqual(len({session["filename"] for session in self.platform.uploads.values()}), 1)
        self.assertEqual(list(agent.uploads.folder.iterdir()), [])


class FullDisk:
    """In the place of ``fsync``; counts how often each thread met it."""

    def __init__(self):
        self.met = Counter()

    def __call__(self, _):
        self.met[threading.current_thread().name] += 1
        raise OSError(errno.ENOSPC, "no space left on the disk")
