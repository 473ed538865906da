"""The one training loop of all tasks: epochs of steps, with checkpoints, early stop and a learning rate that warms up and falls."""

import contextlib
import math
import time

import numpy
import torch

from batches import augmented, epochs_order
from job import CHECKPOINT_EVERY_S, BadConfig, Terminated, say, terminating
from tracker import TrackerUnreachable

#: State of an epoch that has done nothing yet.
BEGINNING = {"step": 0, "losses": []}


def device_of():
    # Not tested by this project: no machine of its CI has a GPU.
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def precision_of(hp, device):
    """Context in which forward passes run. Losses are float32 in any case."""
    if hp["precision"] == "bfloat16":
        return lambda: torch.autocast(device.type, dtype=torch.bfloat16)
    return contextlib.nullcontext


class Loop:
    def __init__(self, task, network, pictures, parts, hp, evaluation, labels, points, tracker, checkpoints):
        self.task, self.pictures, self.parts, self.hp, self.tracker = task, pictures, parts, hp, tracker
        self.evaluation, self.labels, self.points, self.checkpoints = evaluation, labels, points, checkpoints
        self.device = device_of()
        self.network = network.to(self.device)
        self.precise = precision_of(hp, self.device)
        self.optimizer = torch.optim.AdamW(network.parameters(), lr=hp["learning_rate"], weight_decay=hp["weight_decay"])
        self.steps = max(1, math.ceil(len(parts["train"]) / hp["batch_size"]))
        #: ``epoch``: whose network it is; ``improved``: since when nothing was better; ``values``: what was measured of it.
        self.best = {"value": -1.0, "epoch": 0, "improved": 0, "network": None, "values": {}}
        self.says_unmeasured = True
        self.finished = 0
        self.within, self.saved_at, self.pause_s = BEGINNING, time.monotonic(), CHECKPOINT_EVERY_S

    def rate_at(self, step):
        """Share of the learning rate: a straight rise, then half a cosine down to a hundredth."""
        warm, total = min(self.hp["warmup_steps"], self.steps * self.hp["epochs"] // 2), self.steps * self.hp["epochs"]
        if step < warm:
            return (step + 1) / warm
        return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))

    def resume(self):
        """Epochs that a checkpoint has finished."""
        found = self.checkpoints.load()
        if found is None:
            return 0
        state, done = found
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.best, self.within = {**self.best, **state["best"]}, state["within"]
        say(f"Going on from the checkpoint after epoch {done} of {self.hp['epochs']}, step {self.within['step']} of {self.steps}")
        return done

    def save(self, epoch, within=BEGINNING):
        """``within``: what the epoch after the finished one has done. Saving takes at most a twentieth of the time."""
        began = time.monotonic()
        self.checkpoints.save({"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict(), "best": self.best, "within": within}, epoch)
        self.saved_at = time.monotonic()
        self.pause_s = max(CHECKPOINT_EVERY_S, 20 * (self.saved_at - began))

    def is_due(self):
        return time.monotonic() - self.saved_at > self.pause_s

    def fit(self):
        """Trains, and leaves the network as it was in its best epoch on the validation part (the last one without such a part)."""
        done = self.finished = self.resume()
        total = self.hp["epochs"]
        for epoch in range(done + 1, total + 1):
            if self.stops_early(epoch - 1):
                say(f"Stopped early: no better than epoch {self.best['improved']} for {self.hp['patience']} epochs")
                break
            began = time.monotonic()
            loss = self.train_epoch(epoch)
            self.finished = epoch
            values = {"train/loss": loss, "train/learning_rate": self.optimizer.param_groups[0]["lr"], **self.validate(epoch)}
            say(f"Epoch {epoch}/{total}  " + "  ".join(f"{key} {value:.4f}" for key, value in values.items() if key != "train/learning_rate")
                + f"  ({time.monotonic() - began:.1f} s)")
            try:
                self.tracker.add(self.checkpoints.once("round", values, epoch))
                self.tracker.progress(0.1 + 0.8 * epoch / total)
            except TrackerUnreachable:
                self.save(epoch)
                raise
            if epoch == total or terminating.is_set() or self.is_due():
                self.save(epoch)
            if terminating.is_set():
                raise Terminated
        if self.best["network"] is not None:
            self.network.load_state_dict(self.best["network"])
            if self.best["epoch"] < self.finished:
                # The last value of each curve is that of the network that is kept.
                self.tracker.add(self.checkpoints.once("round", self.best["values"], self.finished + 1))
        return self.network

    @property
    def chosen_epoch(self):
        """The epoch whose network ``fit`` leaves."""
        return self.finished if self.best["network"] is None else self.best["epoch"]

    def stops_early(self, epoch):
        """Only an epoch that was validated can have brought nothing better."""
        patience, validated = self.hp["patience"], epoch % self.hp["validate_every"] == 0
        return patience > 0 and validated and self.best["network"] is not None and epoch - self.best["improved"] >= patience

    def train_epoch(self, epoch):
        """Mean loss. Each step has random numbers of its own, so that an epoch goes on after any of them."""
        self.network.train()
        order, size = epochs_order(self.parts["train"], self.hp["seed"], epoch), self.hp["batch_size"]
        first, losses, self.within = self.within["step"], [*self.within["losses"]], BEGINNING
        for step in range(first, self.steps):
            if terminating.is_set() or self.is_due():
                self.save(epoch - 1, {"step": step, "losses": losses})
            if terminating.is_set():
                raise Terminated
            chosen = order[step * size:(step + 1) * size]
            if len(chosen) == 1 and size > 1 and step > 0:
                continue  # the rest of an epoch: statistics of a batch need more than one image
            number = (epoch - 1) * self.steps + step
            for group in self.optimizer.param_groups:
                group["lr"] = self.hp["learning_rate"] * self.rate_at(number)
            torch.manual_seed(self.hp["seed"] + number)
            losses.append(self.step(chosen, numpy.random.default_rng([self.hp["seed"], epoch, step])))
        return float(numpy.mean(losses))

    def step(self, chosen, generator):
        pairs = [augmented(*self.pictures[index][:2], self.hp, generator) for index in chosen]
        images = torch.stack([image for image, _ in pairs]).to(self.device)
        with self.precise():
            loss = self.task.loss(self.network, images, [target for _, target in pairs], self.hp)
        if not torch.isfinite(loss):
            raise BadConfig(f"hyperparameters: the loss became {loss.item()}; choose a smaller learning_rate")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.hp["clip_gradient"])
        self.optimizer.step()
        return float(loss.detach())

    def validate(self, epoch):
        """Values of the validation part, in every ``validate_every``-th epoch and the last; the best network is kept, of equally good ones the last."""
        if len(self.parts["val"]) == 0 or (epoch % self.hp["validate_every"] and epoch != self.hp["epochs"]):
            return {}
        metrics = self.judge(self.parts["val"]).metrics()
        main, values = metrics.get(self.task.MAIN), {f"val/{key}": float(value) for key, value in metrics.items()}
        if main is None and self.says_unmeasured:
            say(f"Warning: the validation part holds nothing that {self.task.MAIN} could be measured by: the network of the last epoch is kept")
            self.says_unmeasured = False
        if main is not None and main >= self.best["value"]:
            kept = {key: value.detach().cpu().clone() for key, value in self.network.state_dict().items()}
            improved = epoch if main > self.best["value"] else self.best["improved"]
            self.best = {"value": main, "epoch": epoch, "improved": improved, "network": kept, "values": values}
        return values

    def judge(self, indices):
        """``Evaluation`` of the network on some samples."""
        self.network.eval()
        found = self.task.Evaluation(self.labels, self.points, self.evaluation)
        for start in range(0, len(indices), self.hp["batch_size"]):
            if terminating.is_set():
                raise Terminated
            chosen = [int(index) for index in indices[start:start + self.hp["batch_size"]]]
            read = [self.pictures[index] for index in chosen]
            images = torch.stack([image for image, _, _ in read]).to(self.device).float() / 255
            with torch.no_grad(), self.precise():
                predictions = self.task.predict(self.network, images)
            for index, prediction, (_, target, square) in zip(chosen, predictions, read, strict=True):
                found.add(prediction, target, square, index)
        return found
