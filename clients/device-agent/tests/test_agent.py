import errno
import hashlib
import json
import logging
import os
import tempfile
import threading
import time
import unittest
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest import mock

from visionops_device import agent as agent_module
from visionops_device import client as client_module
from visionops_device import commands as commands_module
from visionops_device import download as download_module
from visionops_device import files as files_module
from visionops_device import predictors
from visionops_device.agent import Agent
from visionops_device.local_room import LocalRoom
from visionops_device.policy import Policy, Throttle
from visionops_device.predictors import BadModel
from visionops_device.settings import BadSettings, Settings, read_settings

from .platform_stand_in import StandIn

logging.disable(logging.CRITICAL)


class FakePredictor:
    """A model whose folder says its label, or that it is broken, or that it answers no picture."""

    def __init__(self, folder):
        self.record = json.loads((Path(folder) / "model.json").read_text())
        if self.record.get("broken"):
            raise BadModel("broken")

    def predict(self, data):
        if self.record.get("mute"):
            raise ValueError("the model takes pictures of another size")
        return {"label": self.record["label"], "score": 0.4, "scores": {}, "prediction_id": data.decode("latin-1")}


def model(label, **more):
    return {"model.json": json.dumps({"label": label, **more}).encode(), "data/weights": label.encode() * 100_000}


class FullDisk:
    """In the place of ``fsync``; counts how often each thread met it."""

    def __init__(self):
        self.met = Counter()

    def __call__(self, _):
        self.met[threading.current_thread().name] += 1
        raise OSError(errno.ENOSPC, "no space left on the disk")


class AgentCase(unittest.TestCase):
    def setUp(self):
        self.platform = StandIn()
        self.addCleanup(self.platform.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.settings = Settings(self.platform.url, "token", Path(folder.name), None, "hall 3", "test", 0.0, None)
        for target, name, value in [(predictors, "open_predictor", FakePredictor), (client_module, "LONGEST_PAUSE_S", 0.05),
                                    (agent_module, "FLUSH_S", 0.1)]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def start(self):
        agent = Agent(self.settings)
        thread = threading.Thread(target=agent.run, daemon=True)
        thread.start()
        self.addCleanup(lambda: (agent.stop.set(), thread.join(5)))
        return agent, thread

    def wait(self, condition, seconds=10):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.02)
        self.fail("it did not happen in time")

    def downloads(self):
        return [path for _, path in self.platform.requests if "/download" in path]

    def final_acks(self):
        return [(command, body) for command, body in self.platform.acks if body["status"] != "running"]

    def test_installs_a_model_reports_each_step_and_keeps_the_one_before(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two")}
        agent, _ = self.start()
        for version in (1, 2):
            self.platform.command(f"c{version}", "deploy", {"model_name": "digits", "version": version})
            self.wait(lambda version=version: len(self.final_acks()) == version)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["succeeded", "succeeded"])
        steps = [body["result"]["step"] for command, body in self.platform.acks if command == "c1" and body["status"] == "running"]
        self.assertEqual(list(dict.fromkeys(steps)), ["downloading", "installing", "verifying"])
        self.assertEqual(agent.installer.active, {"model_name": "digits", "version": 2, "previous": {"model_name": "digits", "version": 1}})
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "two")
        before = len(self.downloads())
        self.platform.command("back", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: len(self.final_acks()) == 3)
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")
        self.assertEqual(len(self.downloads()), before)

    def test_goes_on_with_a_cut_download(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.cuts = [100_000, 50_000]
        agent, _ = self.start()
        self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: self.final_acks())
        self.assertEqual(self.final_acks()[0][1]["status"], "succeeded")
        self.assertEqual(len([path for path in self.downloads() if "weights" in path]), 3)
        # Nothing is fetched twice.
        self.assertEqual(self.platform.sent_bytes, sum(len(data) for data in model("one").values()))
        progress = [body["result"]["progress"] for _, body in self.platform.acks if body.get("result", {}).get("step") == "downloading"]
        self.assertEqual(progress, sorted(progress))

    def test_installs_a_version_of_one_file_under_its_own_name(self):
        self.platform.models = {("digits", 1): {"model.json": json.dumps({"label": "one"}).encode()}}
        digest = hashlib.sha256(self.platform.models[("digits", 1)]["model.json"]).hexdigest()
        agent, _ = self.start()
        self.platform.command("c", "deploy", {"model_name": "digits", "version": 1, "sha256": digest})
        self.wait(lambda: self.final_acks())
        self.assertEqual(self.final_acks()[0][1]["status"], "succeeded")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def test_refuses_files_that_are_not_as_listed_that_lie_outside_or_for_which_there_is_no_room(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): {"../../escaped": b"x"}, ("digits", 3): model("three")}
        self.start()
        listed = {"items": [{"version": 1, "files": [{"path": "model.json", "size_bytes": 4, "sha256": "0" * 64}]}]}
        with mock.patch.object(self.platform, "listed", listed):
            self.platform.command("c1", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: len(self.final_acks()) == 1)
        self.platform.command("c2", "deploy", {"model_name": "digits", "version": 2})
        self.wait(lambda: len(self.final_acks()) == 2)
        full = mock.Mock(free=700_000, used=9_300_000, total=10_000_000)
        with mock.patch.object(download_module.shutil, "disk_usage", return_value=full):
            self.platform.command("c3", "deploy", {"model_name": "digits", "version": 3})
            self.wait(lambda: len(self.final_acks()) == 3)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["failed"] * 3)
        messages = [body["result"]["message"] for _, body in self.final_acks()]
        for message, words in zip(messages, ("was promised", "outside of its folder", "stay free")):
            self.assertIn(words, message)
        self.assertEqual(list(self.settings.folder.rglob("escaped")), [])
        self.assertEqual(list(self.settings.folder.rglob("*.part")), [])

    def test_keeps_its_model_when_the_new_one_is_broken_or_not_what_was_promised(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two", broken=True), ("digits", 3): model("three")}
        agent, _ = self.start()
        for version, sha256 in ((1, None), (2, None), (3, "0" * 64)):
            self.platform.command(f"c{version}", "deploy", {"model_name": "digits", "version": version, "sha256": sha256})
            self.wait(lambda version=version: len(self.final_acks()) == version)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["succeeded", "failed", "failed"])
        self.assertIn("does not start", self.final_acks()[1][1]["result"]["message"])
        self.assertIn("sha256", self.final_acks()[2][1]["result"]["message"])
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def deploy(self, name, version):
        """Waits for the end. @returns the last word of the agent"""
        before = len(self.final_acks())
        self.platform.command(f"{name}-{version}-{before}", "deploy", {"model_name": name, "version": version})
        self.wait(lambda: len(self.final_acks()) > before)
        return self.final_acks()[-1][1]

    def test_keeps_the_versions_of_each_model_and_predicts_with_the_one_that_was_deployed_last(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two"), ("shapes", 1): model("round"), ("shapes", 2): model("square")}
        agent, _ = self.start()
        for name, version, label in (("digits", 1, "one"), ("digits", 2, "two"), ("shapes", 1, "round"), ("shapes", 2, "square")):
            self.assertEqual(self.deploy(name, version)["status"], "succeeded")
            self.assertEqual(agent.predict(b"p", "a.png")["label"], label)
        fetched = len(self.downloads())
        # Each is rolled back by itself, with what is on the disk.
        self.assertEqual(self.deploy("digits", 1)["result"]["previous"], {"model_name": "digits", "version": 2})
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")
        self.assertEqual(self.deploy("shapes", 1)["result"]["previous"], {"model_name": "shapes", "version": 2})
        self.assertEqual(len(self.downloads()), fetched)
        again = Agent(self.settings)
        again.installer.open_active()
        self.assertEqual(again.predict(b"p", "a.png")["label"], "round")
        payload = again._heartbeat()["payload"]
        self.assertEqual(payload["model"], {"name": "shapes", "version": 1})
        self.assertEqual([(one["image"], one["status"]) for one in payload["containers"]], [("digits:1", "installed"), ("shapes:1", "running")])

    def test_keeps_its_model_when_the_new_one_answers_no_picture(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two", mute=True)}
        agent, _ = self.start()
        self.deploy("digits", 1)
        failed = self.deploy("digits", 2)
        self.assertEqual(failed["status"], "failed")
        self.assertIn("pictures of another size", failed["result"]["message"])
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def test_swaps_back_at_the_start_when_its_model_is_damaged_and_fetches_it_again_when_asked(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two")}
        agent, thread = self.start()
        self.deploy("digits", 1)
        self.deploy("digits", 2)
        agent.stop.set()
        thread.join(5)
        for version, label in ((2, "one"), (1, None)):
            file = self.settings.folder / f"models/digits/{version}/model.json"
            file.write_bytes(file.read_bytes()[:7])
            agent = Agent(self.settings)
            agent.installer.open_active()
            self.assertEqual(agent.installer.predictor and agent.predict(b"p", "a.png")["label"], label)
        agent, _ = self.start()
        self.assertEqual(agent.installer.active, {"model_name": "digits", "version": 1, "previous": None})
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def test_goes_on_with_what_an_earlier_run_has_downloaded_and_removes_what_nobody_asks_for(self):
        self.platform.models = {("digits", 1): model("one")}
        weights = model("one")["data/weights"]
        kept, left = (self.settings.folder / f"models/digits/{version}.part" for version in (1, 2))
        for folder in (kept, left):
            folder.mkdir(parents=True)
            (folder / hashlib.sha256(weights).hexdigest()).write_bytes(weights[:200_000])
        with mock.patch.object(commands_module, "LEASE_S", 0.0):
            self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
            self.start()
            self.wait(lambda: self.final_acks() and not left.exists())
        self.assertEqual(self.final_acks()[0][1]["status"], "succeeded")
        self.assertLess(self.platform.sent_bytes, 150_000)
        self.assertFalse(kept.exists())

    def test_goes_on_with_commands_after_one_that_broke_off_and_runs_no_containers(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        with mock.patch.object(agent.installer, "_fetch", side_effect=OSError("no space left on the disk")):
            self.platform.command("full", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: self.final_acks())
        self.platform.command("image", "deploy", {"model_name": "digits", "version": 1, "image": "digits:1"})
        self.wait(lambda: len(self.final_acks()) == 2)
        self.platform.command("good", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: len(self.final_acks()) == 3)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["failed", "failed", "succeeded"])
        self.assertIn("no space left", self.final_acks()[0][1]["result"]["message"])
        self.assertIn("containers", self.final_acks()[1][1]["result"]["message"])

    def test_renews_the_lease_over_a_step_that_says_nothing(self):
        sent = []
        report = commands_module.Progress(lambda body: sent.append(body["result"]["step"]), logging.getLogger("test"))
        with mock.patch.object(commands_module, "RENEW_S", 0.05), report.kept_alive():
            report("installing", 0.0)
            self.wait(lambda: len(sent) >= 3)
        self.assertEqual(set(sent), {"installing"})

    def test_keeps_records_while_the_platform_is_away_and_sends_each_once(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, thread = self.start()
        self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: self.final_acks())
        self.platform.is_away = True
        for number in range(20):
            agent.predict(f"a{number}".encode(), "a.png")
        agent.stop.set()
        thread.join(5)
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
        self.settings = replace(self.settings, images=self.settings.folder / "images")
        self.settings.images.mkdir()
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
        self.assertEqual(list(self.settings.folder.rglob("*.new")), [])

    def test_records_a_prediction_that_fails_with_its_error(self):
        self.settings = replace(self.settings, images=self.settings.folder / "images")
        self.settings.images.mkdir()
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        agent.installer.predictor.record["mute"] = True
        (self.settings.images / "bad.png").write_bytes(b"bad")
        self.wait(lambda: len(self.platform.batches) == 2)
        sent = [record for tries in self.platform.batches.values() for record in tries[0]]
        record = next(record for record in sent if "result" in record)
        self.assertEqual((record["model_name"], record["version"], record["result"]["file"]), ("digits", 1, "bad.png"))
        self.assertIn("pictures of another size", record["result"]["error"])
        self.assertNotIn("confidence", record)
        self.assertEqual([record["kind"] for record in sent if "kind" in record], ["prediction_error"])

    def sent_predictions(self):
        return [record["prediction_id"] for tries in self.platform.batches.values() for record in tries[0]]

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
            self.wait(lambda: not agent.uploads.held())
        self.assertEqual(seen, [(True, ["failed", "done"])])
        self.assertEqual(self.platform.refusals, [])
        self.assertEqual(len({session["filename"] for session in self.platform.uploads.values()}), 1)
        self.assertEqual(list(agent.uploads.folder.iterdir()), [])

    def test_acknowledges_after_a_restart_what_it_carried_out_before(self):
        done = {"c7": {"status": "succeeded", "result": {"version": 1}}}
        self.settings.folder.joinpath("commands.json").write_text(json.dumps(done))
        self.platform.command("c7", "deploy", {"model_name": "digits", "version": 1})
        self.start()
        self.wait(lambda: self.platform.acks)
        self.assertEqual(self.platform.acks[0], ("c7", done["c7"]))
        self.assertEqual(self.downloads(), [])

    def test_carries_out_nothing_that_has_expired_and_leaves_what_is_delivered_again_by_the_clock_of_the_platform(self):
        self.platform.ahead_s = 86_400.0 * 365
        self.platform.models = {("digits", 1): model("one")}
        args = {"model_name": "digits", "version": 1}
        self.platform.command("late", "deploy", args, expires_in_s=-5.0)
        self.platform.command("again", "deploy", args, lease_s=-5.0)
        self.platform.command("good", "refresh_config")
        agent, _ = self.start()
        self.wait(lambda: len(self.final_acks()) == 2)
        self.assertEqual([(command, body["status"]) for command, body in self.final_acks()], [("late", "failed"), ("good", "succeeded")])
        self.assertIn("expired", self.final_acks()[0][1]["result"]["message"])
        self.assertIsNone(agent.installer.active)

    def test_keeps_what_it_has_to_say_while_its_token_is_refused(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.refusals = [("/download", 401), (":ack", 401), (":ack", 403)]
        self.start()
        with mock.patch.object(commands_module.Progress, "_report"):
            self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: self.final_acks())
        self.assertEqual(self.platform.refusals, [])
        self.assertEqual([(command, body["status"]) for command, body in self.platform.acks], [("c", "succeeded")])

    def test_stops_an_installation_that_the_platform_does_not_wait_for_any_more(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.refusals = [(":ack", 409)]
        agent, _ = self.start()
        self.assertIn("over for the platform", self.deploy("digits", 1)["result"]["message"])
        self.assertEqual(self.downloads(), [])
        self.assertIsNone(agent.installer.active)

    def test_restarts_after_the_acknowledgement_and_refuses_what_it_does_not_know(self):
        with mock.patch.object(agent_module, "restart_process") as restarted:
            _, thread = self.start()
            self.platform.command("odd", "dance")
            self.wait(lambda: self.final_acks())
            self.platform.command("again", "restart")
            thread.join(5)
        restarted.assert_called_once()
        self.assertEqual([(command, body["status"]) for command, body in self.final_acks()], [("odd", "failed"), ("again", "succeeded")])


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
        for name, modified_at, size in files:
            path = folder / name
            path.write_bytes(bytes(size))
            os.utime(path, (modified_at, modified_at))
            self.paths.append(path)

    def held(self):
        return self.paths

    def forget(self, path):
        self.forgotten.append(path.name)


class SettingsCase(unittest.TestCase):
    def test_says_which_variable_is_missing(self):
        for env, name in (({}, "VISIONOPS_URL"), ({"VISIONOPS_URL": "http://h"}, "VISIONOPS_DEVICE_TOKEN")):
            with self.assertRaisesRegex(BadSettings, name):
                read_settings(env)
        with self.assertRaisesRegex(BadSettings, "VISIONOPS_UPLOAD_BELOW"):
            read_settings({"VISIONOPS_URL": "http://h", "VISIONOPS_DEVICE_TOKEN": "t", "VISIONOPS_UPLOAD_BELOW": "low"})


if __name__ == "__main__":
    unittest.main()
