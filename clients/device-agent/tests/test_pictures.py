import os
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from visionops_device import agent as agent_module
from visionops_device import pictures as pictures_module
from visionops_device.agent import Agent
from visionops_device.pictures import Pictures, prediction_id_of

from .agent_case import AgentCase, model


class PicturesCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.pictures = Pictures(self.folder)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def aside(self):
        return sorted(path.read_bytes() for path in (self.folder / "rejected").iterdir())

    def test_waits_for_pictures_that_are_still_being_written(self):
        slow, whole = self.write("a.png", b"1"), self.write("b.JPG", b"1")
        self.write("notes.txt", b"1")
        (self.folder / "folder.png").mkdir()
        self.assertEqual(self.pictures.resting(), [])
        slow.write_bytes(b"12")
        self.assertEqual(self.pictures.resting(), [whole])
        # As long as before, written later.
        os.utime(slow, ns=(1, 1))
        self.assertEqual(self.pictures.resting(), [whole])
        self.assertEqual(self.pictures.resting(), [slow, whole])

    def test_takes_every_format_that_datasets_take(self):
        for extension in ("png", "jpg", "JPEG", "gif", "tif", "tiff", "webp", "AVIF"):
            self.write(f"a.{extension}", b"1")
        self.write("a.bmp", b"1")
        self.pictures.resting()
        taken = {path.suffix.lower()[1:] for path in self.pictures.resting()}
        self.assertEqual(taken, {"png", "jpg", "jpeg", "gif", "tif", "tiff", "webp", "avif"})

    def test_leaves_a_picture_alone_that_changed_after_the_look(self):
        path = self.write("a.png", b"1")
        for is_predicted in (True, False):
            self.pictures.resting()
            path.write_bytes(path.read_bytes() + b"2")
            self.pictures.settle(path, is_predicted)
            self.assertTrue(path.exists())
        self.pictures.resting()
        self.pictures.settle(path, True)
        self.assertFalse(path.exists())
        # Somebody else has taken it.
        self.pictures.settle(path, False)

    def test_keeps_what_failed_and_only_the_newest_of_it(self):
        with mock.patch.object(pictures_module, "MOST_REJECTED", 3):
            for number in range(5):
                path = self.write("same.png", b"%d" % number)
                # The last write was long ago: what counts is when it failed.
                os.utime(path, ns=(9 - number, 9 - number))
                self.pictures.resting()
                self.pictures.settle(path, False)
                self.assertEqual(self.aside()[-1], b"%d" % number)
                self.pictures.trim()
                # The times of files have steps of up to 10 ms.
                time.sleep(0.02)
        self.assertEqual(len(self.aside()), 3)
        self.assertIn(b"4", self.aside())
        self.assertEqual(self.pictures.resting(), [])


class RejectedCase(AgentCase):
    def test_puts_a_picture_aside_that_cannot_be_predicted_and_removes_the_others(self):
        self.watch_images()
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        agent.installer.predictor.record["mute"] = True
        (self.settings.images / "bad.png").write_bytes(b"bad")
        self.wait(lambda: (self.settings.images / "rejected" / "bad.png").exists())
        agent.installer.predictor.record["mute"] = False
        (self.settings.images / "good.png").write_bytes(b"good")
        self.wait(lambda: [path.name for path in self.settings.images.iterdir()] == ["rejected"])
        self.assertEqual([(path.name, path.read_bytes()) for path in (self.settings.images / "rejected").iterdir()], [("bad.png", b"bad")])


    def test_keeps_within_the_limit_what_no_model_predicts_the_oldest_go(self):
        self.watch_images()
        self.platform.config["retention"] = {"max_local_mb": 1}
        agent, _ = self.start()
        self.wait(lambda: agent.policy.values.max_local_mb == 1)
        for number in range(4):
            (self.settings.images / f"{9 - number}.png").write_bytes(b"%d" % number * 400_000)
            time.sleep(0.02)
        self.wait(lambda: len(list(self.settings.images.iterdir())) == 2)
        self.assertEqual(sorted(path.name for path in self.settings.images.iterdir()), ["6.png", "7.png"])
        self.wait(lambda: agent._heartbeat()["payload"]["dropped"] == 2)

    def test_records_pictures_whose_names_are_no_utf_8(self):
        self.watch_images()
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        with mock.patch.object(agent_module, "prediction_id_of", prediction_id_of):
            with open(os.fsencode(self.settings.images) + b"/caf\xe9.png", "wb") as file:
                file.write(b"good")
            self.wait(lambda: len(self.sent_predictions()) == 1)
        sent = [record for tries in self.platform.batches.values() for record in tries[0]]
        self.assertEqual([record["result"]["file"] for record in sent], ["caf\ufffd.png"])
        self.wait(lambda: not list(self.settings.images.iterdir()))


class Death(BaseException):
    """Ends the agent as a power cut would: nothing more is done."""


class DeathCase(AgentCase):
    def setUp(self):
        super().setUp()
        self.watch_images()
        self.settings = replace(self.settings, upload_below=0.5)
        self.platform.models = {("digits", 1): model("one")}
        agent, thread = self.start()
        self.deploy("digits", 1)
        self.end(agent, thread)
        patch = mock.patch.object(agent_module, "prediction_id_of", prediction_id_of)
        patch.start()
        self.addCleanup(patch.stop)

    def dies(self, target, name):
        """An agent that dies where it would call what is named."""
        agent = Agent(self.settings)
        agent.installer.open_active()
        predict = agent.installer.predictor.predict
        agent.installer.predictor.predict = lambda data: {}["bad"] if data == b"bad" else predict(data)
        with mock.patch.object(target(agent), name, side_effect=Death), self.assertRaises(Death):
            agent._watch_images()
        return agent

    def test_records_a_picture_once_when_it_died_before_the_picture_was_gone(self):
        for name in ("good", "bad"):
            (self.settings.images / f"{name}.png").write_bytes(name.encode())
        self.dies(lambda agent: agent.pictures, "settle")
        self.assertEqual(len(list(self.settings.images.glob("*.png"))), 2)
        # Until it has looked, the first batch is not sent.
        self.platform.is_away = True
        self.start()
        self.wait(lambda: not list(self.settings.images.glob("*.png")))
        self.platform.is_away = False
        self.wait(lambda: len(self.sent_predictions()) >= 2)
        # The same picture under another time is another.
        (self.settings.images / "good.png").write_bytes(b"good")
        self.wait(lambda: not list(self.settings.images.glob("*.png")) and len(self.sent_predictions()) >= 3)
        self.assertEqual(len(set(self.sent_predictions())), 3)
        self.assertEqual(len(self.sent_predictions()), 3)
        self.assertEqual([path.name for path in (self.settings.images / "rejected").iterdir()], ["bad.png"])

    def test_keeps_an_unsure_picture_for_the_platform_before_its_record(self):
        (self.settings.images / "good.png").write_bytes(b"good")
        agent = self.dies(lambda agent: agent.inference, "add")
        self.assertEqual(len(agent.uploads.waiting()), 1)
