"""The agent: threads that each do one thing and survive the platform's absence by themselves."""

import logging
import threading
import time
from datetime import datetime, timezone

from . import __version__
from . import client as client_module
from .client import Absent, Backoff, Client, Refused, TokenWatch
from .commands import Commands, restart_process
from .installer import Installer
from .local_room import LocalRoom
from .numbers import Numbers
from .pictures import REJECTED, Pictures, prediction_id_of, readable
from .policy import Policy, Throttle, rest
from .predictors import answer_of
from .spool import JOIN_FILES, Spool
from .uploads import Uploads
from .vitals import Vitals

#: A new policy is followed after this time at most; the command `refresh_config` makes it sooner.
POLICY_S = 60.0
#: How often the folder of pictures is looked at.
LOOK_S = 0.5
BATCH_PICTURES = 100
#: Records are written together after this time, so that a prediction does not cost a write of the disk each.
FLUSH_S = 2.0
#: Models that the platform takes with a registration.
MOST_MODELS = 1000
#: What is under way at the end has this time.
LAST_S = 2.0


class Agent:
    def __init__(self, settings):
        self.settings = settings
        self.log = logging.getLogger("visionops-device")
        settings.folder.mkdir(parents=True, exist_ok=True)
        self.stop = threading.Event()
        self.is_restarting = False
        self.is_registered = threading.Event()
        self.exit_code = 0
        self.policy = Policy(settings.folder / "policy.json", self.log)
        #: Revision of the policy for which a heartbeat had it read last.
        self.stated_revision = None
        self.installer = Installer(settings.folder, self.log)
        spool, shared = settings.folder / "spool", (Numbers(), self.policy, Throttle(self.policy), self.log)
        self.inference = Spool(spool / "inference", "/api/v1/edge/inference", *shared)
        self.telemetry = Spool(spool / "telemetry", "/api/v1/edge/telemetry", *shared)
        self.uploads = Uploads(spool / "uploads", settings.dataset, *shared)
        self.pictures = settings.images and Pictures(settings.images)
        self.room = LocalRoom(self.policy, [self.inference, self.telemetry, self.uploads], self.log)
        # By the time at which each came into the folder.
        self.pictures_room = LocalRoom(self.policy, [self.pictures] if self.pictures else [], self.log, lambda _, found: found.st_ctime_ns)
        self.watch = TokenWatch(self.log)
        self.vitals = Vitals(settings.folder)
        self.figures_due_at = 0.0
        self.commands = Commands(self)
        #: (picture, whether it was predicted) whose records are not known to be on the disk.
        self.asked = []
        # Read before anything is sent.
        newest = self.inference.newest(BATCH_PICTURES) if self.pictures else []
        #: {prediction_id: whether it was predicted} of pictures that an earlier run may not have settled any more.
        self.recorded = {one["prediction_id"]: "error" not in one["result"] for one in newest}

    def client(self):
        return Client(self.settings.url, self.settings.token, self.watch)

    def run(self):
        """@returns the exit code"""
        self._open_active()
        alone = [self._register, self._write_records, *([self._watch_images] if self.pictures is not None else [])]
        with_platform = [self._beat, self._follow_policy, self._commands,
                         self._send_inference, self._send_telemetry, self._send_uploads]
        threads = [threading.Thread(target=target, args=(work,), name=work.__name__.strip("_"), daemon=True)
                   for target, works in ((self._keep_up, alone), (self._once_registered, with_platform)) for work in works]
        for thread in threads:
            thread.start()
        while not self.stop.wait(0.5):
            pass
        self.inference.try_flush()
        self.telemetry.try_flush()
        # A thread may be held by the platform; what it has not sent lies on the disk.
        deadline = time.monotonic() + LAST_S
        for thread in threads:
            thread.join(timeout=max(0.0, deadline - time.monotonic()))
        self.commands.leave()
        if self.is_restarting:
            restart_process()
        return self.exit_code

    def _open_active(self):
        self.installer.open_active()
        for name, version, why in self.installer.failures:
            self.telemetry.add({"kind": "model_error", "ts": instant(), "data": {"model": name, "version": version, "message": why}})

    def restart(self):
        self.is_restarting = True
        self.stop.set()

    # ---- what the threads do ----

    def _once_registered(self, work):
        """What a command installs and what a registration says of it do not overtake each other, and the policy is known."""
        while not self.is_registered.wait(0.5):
            if self.stop.is_set():
                return
        self._keep_up(work)

    def _keep_up(self, work):
        """Whatever breaks off, such as by a disk that is full, is begun again after a pause, until it ends by itself."""
        backoff = Backoff(self.stop)
        while not self.stop.is_set():
            began_at = time.monotonic()
            try:
                return work()
            except Exception:
                self.log.exception("%s broke off", threading.current_thread().name)
                if time.monotonic() - began_at > client_module.LONGEST_PAUSE_S:
                    backoff.success()
                backoff.wait()

    def _register(self):
        """Beside all else: a device that cannot reach the platform predicts and keeps records all the same."""
        backoff = Backoff(self.stop)
        while not self.stop.is_set():
            try:
                self.register()
                return self.is_registered.set()
            except Absent as error:
                self.log.warning("registration waits: %s", error)
                backoff.wait(error.retry_after)
            except Refused as error:
                self.log.error("the platform refuses this device: %s", error)
                if error.status == 401:
                    # The token has no device any more, or will not have one again: people must act.
                    self.exit_code = 2
                    self.stop.set()
                backoff.wait(client_module.LONGEST_PAUSE_S)

    def register(self):
        """Says that the device is there, and all that it has and can use: the platform may not know of a swap back."""
        models = [{"name": one["model_name"], "version": one["version"]} for one in self.installer.usable]
        body = {"os": self.settings.os_name, "sdk_version": f"visionops-device/{__version__}", "models": models[-MOST_MODELS:]}
        if self.settings.location is not None:
            body["location"] = self.settings.location
        client = self.client()
        answer = client.json("POST", "/api/v1/edge/register", body)
        # The registration needs no scope, and reading the policy does: a token without it must not hold all else up.
        if answer.get("config") is not None:
            self.policy.take(answer["config"])
        self.log.info("registered at %s", self.settings.url)
        return True

    def refresh_policy(self, client):
        """@returns the revision that is in force now"""
        self.policy.take(client.json("GET", f"/api/v1/edge/config?applied_revision={self.policy.values.revision}"))
        return self.policy.values.revision

    def _beat(self):
        client = self.client()
        self._repeat("the heartbeat", lambda: self._say_how_it_is(client), lambda: self.policy.values.heartbeat_interval_s)

    def _follow_policy(self):
        client = self.client()
        self._repeat("the policy", lambda: self.refresh_policy(client), lambda: POLICY_S)

    def _repeat(self, what, work, seconds):
        backoff = Backoff(self.stop)
        while not self.stop.is_set():
            try:
                work()
            except (Absent, Refused) as error:
                self.log.warning("%s waits: %s", what, error)
                backoff.wait(getattr(error, "retry_after", None))
                continue
            backoff.success()
            rest(self.stop, seconds)

    def _say_how_it_is(self, client):
        figures = self.vitals.read()
        self._keep_figures(figures)
        answer = client.json("POST", "/api/v1/edge/heartbeat", {**figures, **self._heartbeat()})
        self._follow_revision(client, answer.get("policy_revision"))

    def _follow_revision(self, client, stated):
        """Reads the policy where the platform has another one, once for each: it may be one that cannot be read."""
        if stated not in (None, self.policy.values.revision, self.stated_revision):
            self.refresh_policy(client)
            self.stated_revision = stated

    def _keep_figures(self, figures):
        """As telemetry too, which shows afterwards how the device was while the platform was away."""
        now, values = time.monotonic(), self.policy.values
        if now >= self.figures_due_at:
            self.figures_due_at = now + max(values.heartbeat_interval_s, values.sync_interval_s)
            self.telemetry.add({"kind": "vitals", "ts": instant(), "data": figures})

    def _heartbeat(self):
        asked, _ = self.installer.asked
        payload = {"agent": __version__, "containers": [container(one, one is asked) for one in self.installer.usable],
                   "model": asked and {"name": asked["model_name"], "version": asked["version"]},
                   "waiting": {"inference": len(self.inference.waiting()), "uploads": len(self.uploads.waiting())},
                   "dropped": self.inference.dropped + self.telemetry.dropped + self.room.dropped + self.pictures_room.dropped}
        return {"policy_revision": self.policy.values.revision, "payload": payload}

    def _commands(self):
        self.commands.run(self.client(), self.stop)

    def _write_records(self):
        while not self.stop.wait(FLUSH_S):
            self.inference.try_flush()
            self.telemetry.try_flush()
            for spool in (self.inference, self.telemetry):
                spool.try_join(JOIN_FILES)
            self.room.keep()
            # With a model, the folder empties by itself.
            if self.installer.predictor is None:
                self.pictures_room.keep()

    def _send_inference(self):
        self.inference.send(self.client(), self.stop)

    def _send_telemetry(self):
        self.telemetry.send(self.client(), self.stop)

    def _send_uploads(self):
        self.uploads.send(self.client(), self.stop)

    def _watch_images(self):
        self.settings.images.mkdir(parents=True, exist_ok=True)
        while not self.stop.wait(LOOK_S):
            if self.installer.predictor is None:
                continue
            if not self.asked:
                for path in self.pictures.resting()[:BATCH_PICTURES]:
                    self.asked.append((path, self._predict_file(path)))
            # A picture goes when its record is on the disk: after a power cut it is asked for again, never lost.
            self.inference.flush()
            has_failures = not all(is_predicted for _, is_predicted in self.asked)
            while self.asked:
                self.pictures.settle(*self.asked[-1])
                self.asked.pop()
            if has_failures:
                self.pictures.trim()

    def _predict_file(self, path):
        """@returns whether it was predicted, now or by an earlier run that died before it could settle the picture"""
        _, written_at = self.pictures.seen[path]
        name = readable(path.name)
        try:
            data = path.read_bytes()
            prediction_id = prediction_id_of(self.installer.active, name, written_at, data)
            if prediction_id in self.recorded:
                return self.recorded.pop(prediction_id)
            self.predict(data, name, written_at)
        except Exception as error:  # a picture that cannot be read must not end the watch
            self.log.error("%s cannot be predicted and goes to the folder %s: %s", name, REJECTED, error)
            self.telemetry.add({"kind": "prediction_error", "data": {"file": name, "message": str(error)[:500]}})
            return False
        return True

    def predict(self, data, name, written_at=None):
        """
        Asks the active model, keeps an unsure picture for the platform, and spools the record, also of a failure.
        @returns the result @raises whatever the model raises
        """
        active, predictor = self.installer.asked
        prediction_id = prediction_id_of(active, name, written_at, data)
        started = time.perf_counter()
        try:
            result = {**answer_of(predictor, data), "prediction_id": prediction_id}
        except Exception as error:
            # By the share of such records the platform judges a deployment.
            failure = {"error": f"{type(error).__name__}: {error}"[:500], "prediction_id": prediction_id}
            self._record(active, failure, name, (time.perf_counter() - started) * 1000, None)
            raise
        latency_ms = (time.perf_counter() - started) * 1000
        confidence = confidence_of(result)
        # Before the record, with which the picture is done.
        if confidence is not None and confidence < self.settings.upload_below:
            self._keep_unsure(name, data, {"prediction_id": prediction_id, "confidence": confidence, "file": name})
        self._record(active, result, name, latency_ms, confidence)
        return result

    def _record(self, active, result, name, latency_ms, confidence):
        record = {"model_name": active["model_name"], "version": active["version"], "prediction_id": result["prediction_id"],
                  "ts": instant(),
                  "latency_ms": round(latency_ms, 3), "result": {**result, "file": name}}
        if confidence is not None:
            record["confidence"] = confidence
        self.inference.add(record)

    def _keep_unsure(self, name, data, meta):
        try:
            self.uploads.add(name, data, meta)
        except OSError as error:
            self.log.error("%s is not kept for the platform: %s", name, error)


def instant():
    """Now, as the platform takes times."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def confidence_of(result):
    """The best score; None where nothing was found."""
    if "score" in result:
        return result["score"]
    return max((one["score"] for one in result.get("detections", [])), default=None)


def container(installed, is_asked):
    """A model as the platform shows it with the device."""
    name, version = installed["model_name"], installed["version"]
    return {"name": name, "image": f"{name}:{version}", "status": "running" if is_asked else "installed"}
