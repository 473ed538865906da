"""State of an unfinished training, from which a retry goes on: ``checkpoints/latest.skops`` and ``latest.json``."""

import hashlib
import json
import os

import skops.io

from model_folder import BadModel, load_estimator


def fingerprint(model, hp, labels, samples):
    """Names what a checkpoint belongs to; with other data or settings it is not used."""
    digest = hashlib.sha256(json.dumps([model, hp, labels], sort_keys=True).encode())
    for sample in samples:
        digest.update(f"{sample.path}\0{sample.label}\n".encode())
    return digest.hexdigest()


class Checkpoints:
    def __init__(self, root, tracker, identity):
        self.folder, self.tracker, self.identity = os.path.join(root, "checkpoints"), tracker, identity

    def save(self, estimator, finished_rounds, upload_patience_s=None):
        """Written under another name and renamed: a kill in between leaves the one before. The JSON goes last."""
        os.makedirs(self.folder, exist_ok=True)
        state = json.dumps({"fingerprint": self.identity, "rounds": finished_rounds}).encode()
        data = skops.io.dumps(estimator)
        for name, content in ((f"round-{finished_rounds}.skops", data), ("latest.json", state)):
            with open(os.path.join(self.folder, name + ".tmp"), "wb") as file:
                file.write(content)
            os.replace(os.path.join(self.folder, name + ".tmp"), os.path.join(self.folder, name))
        for name in os.listdir(self.folder):
            if name.startswith("round-") and name != f"round-{finished_rounds}.skops":
                os.unlink(os.path.join(self.folder, name))
        self.tracker.artifact(f"checkpoints/round-{finished_rounds}.skops", data, upload_patience_s)
        self.tracker.artifact("checkpoints/latest.json", state, upload_patience_s)

    def load(self):
        """(estimator, finished rounds), or None when there is no checkpoint of this very training."""
        try:
            with open(os.path.join(self.folder, "latest.json"), encoding="utf-8") as file:
                state = json.load(file)
            if state["fingerprint"] != self.identity:
                return None
            return load_estimator(os.path.join(self.folder, f"round-{state['rounds']}.skops")), int(state["rounds"])
        except (OSError, ValueError, KeyError, TypeError, BadModel):
            return None
