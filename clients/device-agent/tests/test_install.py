import hashlib
import json
from unittest import mock

from visionops_device import commands as commands_module
from visionops_device import download as download_module
from visionops_device import predictors
from visionops_device.agent import Agent

from .agent_case import AgentCase, model


class InstallCase(AgentCase):
    def test_installs_a_model_reports_each_step_and_keeps_the_one_before(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two")}
        agent, _ = self.start()
        for version in (1, 2):
            self.platform.command(f"c{version}", "deploy", {"model_name": "digits", "version": version})
            self.wait(lambda version=version: len(self.final_acks()) == version)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["succeeded", "succeeded"])
        listed = [path for _, path in self.platform.requests if "/versions" in path]
        self.assertEqual([path.partition("?")[2] for path in listed], ["version=1", "version=2"])
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

    def test_fetches_again_what_the_platform_lists_with_other_bytes_and_refuses_what_was_not_promised(self):
        self.platform.models = {("digits", 1): {"model.json": b'{"label": "old"}'}}
        agent, _ = self.start()
        self.deploy("digits", 1)
        old = hashlib.sha256(self.platform.models[("digits", 1)]["model.json"]).hexdigest()
        # The version was removed and made anew, of the same length.
        self.platform.models = {("digits", 1): {"model.json": b'{"label": "new"}'}}
        self.platform.command("promised", "deploy", {"model_name": "digits", "version": 1, "sha256": old})
        self.wait(lambda: len(self.final_acks()) == 2)
        self.assertEqual(self.final_acks()[1][1]["status"], "failed")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "old")
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "new")
        # Nor is what was begun of such a version taken for it.
        left = self.settings.folder / "models/digits/2.part/files"
        left.mkdir(parents=True)
        for name in ("model.json", "model.skops"):
            (left / name).write_bytes(b'{"label": "old"}')
        self.platform.models[("digits", 2)] = {"model.json": b'{"label": "two"}'}
        self.assertEqual(self.deploy("digits", 2)["status"], "succeeded")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "two")
        self.assertEqual([path.name for path in (self.settings.folder / "models/digits/2").iterdir()], ["model.json"])
        # A file that does not belong there could decide how the folder is read.
        (self.settings.folder / "models/digits/1/model.skops").write_bytes(b"left")
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        self.assertEqual([path.name for path in (self.settings.folder / "models/digits/1").iterdir()], ["model.json"])

    def test_keeps_the_files_of_an_installed_version_that_cannot_be_tried_again(self):
        self.platform.models = {("digits", version): model(f"{version}") for version in (1, 2, 3)}
        agent, _ = self.start()
        self.deploy("digits", 1)
        self.deploy("digits", 2)
        with mock.patch.object(predictors, "open_tried", side_effect=MemoryError("no room")):
            for version in (1, 2, 3):
                self.assertEqual(self.deploy("digits", version)["status"], "failed")
        kept = sorted(path.name for path in (self.settings.folder / "models/digits").iterdir())
        self.assertEqual(kept, ["1", "2"])
        fetched = len(self.downloads())
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        self.assertEqual(len(self.downloads()), fetched)

    def test_keeps_its_model_when_the_new_one_answers_no_picture(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two", mute=True)}
        agent, _ = self.start()
        self.deploy("digits", 1)
        failed = self.deploy("digits", 2)
        self.assertEqual(failed["status"], "failed")
        self.assertIn("pictures of another size", failed["result"]["message"])
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def test_keeps_its_model_when_the_new_one_answers_what_is_no_number(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two", score=float("nan"))}
        agent, _ = self.start()
        self.deploy("digits", 1)
        failed = self.deploy("digits", 2)
        self.assertEqual(failed["status"], "failed")
        self.assertIn("NaN or infinite", failed["result"]["message"])
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")

    def test_swaps_back_at_the_start_when_its_model_is_damaged_and_fetches_it_again_when_asked(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two")}
        agent, thread = self.start()
        self.deploy("digits", 1)
        self.deploy("digits", 2)
        self.end(agent, thread)
        for version, label in ((2, "one"), (1, None)):
            file = self.settings.folder / f"models/digits/{version}/model.json"
            file.write_bytes(file.read_bytes()[:7])
            agent = Agent(self.settings)
            agent.installer.open_active()
            self.assertEqual(agent.installer.predictor and agent.predict(b"p", "a.png")["label"], label)
            said = agent._heartbeat()["payload"]
            self.assertEqual([one["status"] for one in said["containers"]], ["running"] if label else [])
            self.assertEqual(said["model"], label and {"name": "digits", "version": 1})
        agent, _ = self.start()
        self.assertEqual(agent.installer.active, {"model_name": "digits", "version": 1, "previous": None})
        # People see that it predicts with nothing: the platform takes the model from it, and gets a record of why.
        self.assertEqual(self.platform.registrations[-1]["models"], [])
        self.wait(lambda: "model_error" in self.kinds_sent())
        errors = [record["data"] for record in self.platform.telemetry if record["kind"] == "model_error"]
        self.assertEqual([(one["model"], one["version"]) for one in errors], [("digits", 1)])
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        self.assertEqual(agent.predict(b"p", "a.png")["label"], "one")
        self.assertEqual([one["status"] for one in agent._heartbeat()["payload"]["containers"]], ["running"])

    def test_goes_on_with_what_an_earlier_run_has_downloaded_and_removes_what_nobody_asks_for(self):
        self.platform.models = {("digits", 1): model("one")}
        weights = model("one")["data/weights"]
        kept, left = (self.settings.folder / f"models/digits/{version}.part" for version in (1, 2))
        for folder in (kept, left):
            folder.mkdir(parents=True)
            (folder / hashlib.sha256(weights).hexdigest()).write_bytes(weights[:200_000])
        self.platform.config["commands_poll_s"] = 1
        self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
        self.start()
        self.wait(self.final_acks)
        with mock.patch.object(commands_module, "LEASE_S", 0.0):
            self.wait(lambda: not left.exists())
        self.assertEqual(self.final_acks()[0][1]["status"], "succeeded")
        self.assertLess(self.platform.sent_bytes, 150_000)
        self.assertFalse(kept.exists())
