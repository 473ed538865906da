"""State of an unfinished training, from which it goes on: ``checkpoints/latest.<kind>``. Beside it ``measured.jsonl``:
what was measured since then, so that what is done again after a kill sends the same points once more."""

import hashlib
import json
import os

from invocations import BadModel
from tracker import TrackerUnreachable, points_of

MEASURED = "measured.jsonl"


def fingerprint(model, hp, labels, samples):
    """Names what a checkpoint belongs to; with other data or settings it is not used."""
    digest = hashlib.sha256(json.dumps([model, hp, labels], sort_keys=True).encode())
    for sample in samples:
        digest.update(f"{sample.path}\0{sample.label}\n".encode())
    return digest.hexdigest()


class Checkpoints:
    def __init__(self, root, tracker, identity, name, codec):
        """``name``: the file below ``checkpoints``. ``codec``: (object to bytes, path to object); neither may run code of the file."""
        self.folder, self.tracker, self.identity, self.name = os.path.join(root, "checkpoints"), tracker, identity, name
        self.encode, self.decode = codec
        self.kept_rounds = None
        #: Points that this training has measured, by (name, step), and which of them stand in the file.
        self.measured, self.written = {}, set()

    def save(self, state, finished_rounds):
        """Renamed into place, so a kill leaves the one before; then kept by the tracker, for a retry on another machine."""
        os.makedirs(self.folder, exist_ok=True)
        # Measurements that could not be sent yet go along: the rounds they belong to are not run again.
        data = self.encode({"fingerprint": self.identity, "rounds": finished_rounds, "unsent": json.dumps(self.tracker.metrics), "state": state})
        temporary = os.path.join(self.folder, self.name + ".tmp")
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(self.folder, self.name))
        # These rounds are not run again, and what was not sent of them went along.
        with open(os.path.join(self.folder, MEASURED), "w", encoding="ascii"):
            self.written.clear()
        try:
            self.tracker.artifact(f"checkpoints/{self.name}", data, patience_s=3)
            self.measure_kept(finished_rounds)
        except TrackerUnreachable as error:
            # The file on disk is what this machine goes on from.
            print(f"Warning: a checkpoint is on this machine alone: {error}", flush=True)

    def measure_kept(self, finished_rounds):
        """Which round the tracker's checkpoint belongs to; sent with the next measurements."""
        points = self.once("checkpoint", {"system/checkpoint": finished_rounds}, finished_rounds)
        if self.kept_rounds != finished_rounds:
            self.tracker.metrics += points
            self.kept_rounds = finished_rounds

    def once(self, name, values, step):
        """Points of what is measured under a name at a step, to be sent now: those of the first time, where a kill made the
        program measure it again. Not forced to the disk: where the machine loses them, there are two."""
        place = (name, int(step))
        points = self.measured.setdefault(place, points_of(values, step))
        if place not in self.written:
            os.makedirs(self.folder, exist_ok=True)
            with open(os.path.join(self.folder, MEASURED), "a", encoding="ascii") as file:
                file.write(json.dumps({"fingerprint": self.identity, "name": name, "round": place[1], "points": points}) + "\n")
            self.written.add(place)
        return points

    def read_measured(self):
        """What this very training measured before. A line that a kill cut off ends the file."""
        try:
            with open(os.path.join(self.folder, MEASURED), encoding="ascii") as file:
                for line in file:
                    state = json.loads(line)
                    if state["fingerprint"] == self.identity:
                        # Without a name where an earlier release wrote it.
                        self.measured[state.get("name", "round"), int(state["round"])] = state["points"]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self.written = set(self.measured)

    def load(self):
        """(state, finished rounds), or None when there is no checkpoint of this very training."""
        self.read_measured()
        try:
            kept = self.decode(os.path.join(self.folder, self.name))
            if kept["fingerprint"] != self.identity:
                return None
            state, rounds, unsent = kept["state"], int(kept["rounds"]), json.loads(kept["unsent"])
        except (OSError, ValueError, KeyError, TypeError, BadModel):
            return None
        self.tracker.metrics = unsent + self.tracker.metrics
        return state, rounds
