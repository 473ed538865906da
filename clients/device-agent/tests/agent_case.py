"""An agent in this process, at a platform that is played."""

import json
import logging
import tempfile
import threading
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from visionops_device import agent as agent_module
from visionops_device import client as client_module
from visionops_device import predictors
from visionops_device.agent import Agent
from visionops_device.predictors import BadModel
from visionops_device.settings import Settings

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
        return {"label": self.record["label"], "score": self.record.get("score", 0.4), "scores": {}}


def told_id(_model, _name, _written_at, data):
    """Pictures say the id of their prediction."""
    return data.decode("latin-1")


def model(label, **more):
    return {"model.json": json.dumps({"label": label, **more}).encode(), "data/weights": label.encode() * 100_000}


class AgentCase(unittest.TestCase):
    def setUp(self):
        self.platform = StandIn()
        self.addCleanup(self.platform.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.settings = Settings(self.platform.url, "token", Path(folder.name), None, "hall 3", "test", 0.0, None)
        for target, name, value in [(predictors, "open_predictor", FakePredictor), (client_module, "LONGEST_PAUSE_S", 0.05),
                                    (agent_module, "FLUSH_S", 0.1), (agent_module, "prediction_id_of", told_id)]:
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def watch_images(self):
        """The agents that are started from here on predict the pictures of a folder."""
        self.settings = replace(self.settings, images=self.settings.folder / "images")
        self.settings.images.mkdir()

    def start(self):
        agent = Agent(self.settings)
        thread = threading.Thread(target=agent.run, daemon=True)
        thread.start()
        self.addCleanup(lambda: self.end(agent, thread))
        return agent, thread

    def end(self, agent, thread):
        agent.stop.set()
        self.platform.ended_polls += 1
        thread.join(5)

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

    def deploy(self, name, version):
        """Waits for the end. @returns the last word of the agent"""
        before = len(self.final_acks())
        self.platform.command(f"{name}-{version}-{before}", "deploy", {"model_name": name, "version": version})
        self.wait(lambda: len(self.final_acks()) > before)
        return self.final_acks()[-1][1]

    def sent_predictions(self):
        return [record["prediction_id"] for tries in self.platform.batches.values() for record in tries[0]]

    def kinds_sent(self):
        return [record["kind"] for record in self.platform.telemetry]
