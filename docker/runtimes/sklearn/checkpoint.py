"""State of an unfinished training, from which it goes on: ``checkpoints/latest.skops``. Beside it ``measured.jsonl``:
what the rounds since then measured, so that rounds that are run again send the same points once more."""

import hashlib
import json
import os

import skops.io

from model_folder import BadModel, load_file
from tracker import TrackerUnreachable

NAME = "latest.skops"
MEASURED = "measured.jsonl"


def fingerprint(model, hp, labels, samples):
    """Names what a checkpoint belongs to; with other data or settings it is not used."""
    digest = hashlib.sha256(json.dumps([model, hp, labels], sort_keys=True).encode())
    for sample in samples:
        digest.update(f"{sample.path}\0{sample.label}\n".encode())
    return digest.hexdigest()


class Checkpoints:
    def __init__(self, root, tracker, identity):
        self.folder, self.tracker, self.identity = os.path.join(root, "checkpoints"), tracker, identity

    def save(self, estimator, finished_rounds):
        """Renamed into place, so a kill leaves the one before; then kept by the tracker, for a retry on another machine."""
        os.makedirs(self.folder, exist_ok=True)
        # Measurements that could not be sent yet go along: the rounds they belong to are not run again.
        data = skops.io.dumps({"fingerprint": self.identity, "rounds": finished_rounds, "unsent": json.dumps(self.tracker.metrics), "estimator": estimator})
        temporary = os.path.join(self.folder, NAME + ".tmp")
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(self.folder, NAME))
        # These rounds are not run again, and what was not sent of them went along.
        with open(os.path.join(self.folder, MEASURED), "w", encoding="ascii"):
            pass
        try:
            self.tracker.artifact(f"checkpoints/{NAME}", data, patience_s=3)
        except TrackerUnreachable:
            pass  # the file on disk is what this machine goes on from

    def note_measured(self, number, points):
        """To be called before they are sent. Not forced to the disk: where it is lost, the round is measured twice."""
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, MEASURED), "a", encoding="ascii") as file:
            file.write(json.dumps({"fingerprint": self.identity, "round": number, "points": points}) + "\n")

    def measured(self):
        """Points by round, of this very training. A line that a kill cut off ends the file."""
        rounds = {}
        try:
            with open(os.path.join(self.folder, MEASURED), encoding="ascii") as file:
                for line in file:
                    state = json.loads(line)
                    if state["fingerprint"] == self.identity:
                        rounds[int(state["round"])] = state["points"]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return rounds

    def load(self):
        """(estimator, finished rounds), or None when there is no checkpoint of this very training."""
        try:
            state = load_file(os.path.join(self.folder, NAME))
            if state["fingerprint"] != self.identity:
                return None
            self.tracker.metrics = json.loads(state["unsent"]) + self.tracker.metrics
            return state["estimator"], int(state["rounds"])
        except (OSError, ValueError, KeyError, TypeError, BadModel):
            return None
