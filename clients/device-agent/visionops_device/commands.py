"""Commands of the platform: each is run once, whatever is cut off in between."""

import math
import os
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from .client import Absent, Backoff, Refused, until_done, waiting_for_token
from .files import read_json, write_json
from .policy import rest
from .download import InstallFailed

#: Seconds that the platform holds a request at most when there is nothing to do; the device rests where its policy says more.
WAIT_S = 50
#: A report of progress at most this often.
REPORT_S = 2.0
#: A step that says nothing new is reported again after this time; the platform waits for 60 s.
RENEW_S = 20.0
#: For so long after its last word, or its delivery, the platform keeps a command from other polls.
LEASE_S = 60.0
#: A command on which the device died so often is not begun again.
MAX_DEATHS = 2


class Commands:
    """
    ``commands.json`` holds {id: {status, result}} of commands that were run and whose acknowledgement may not have
    arrived: after a restart they are acknowledged again, not run again. For one that is being run it holds {id: times
    that it was begun}: a command on which the device dies each time is given up.
    """

    def __init__(self, agent):
        self.agent = agent
        self.log = agent.log
        self.file = Path(agent.settings.folder) / "commands.json"
        kept = read_json(self.file, {})
        self.done = {command_id: end for command_id, end in kept.items() if isinstance(end, dict)}
        self.begun = {command_id: times for command_id, times in kept.items() if isinstance(times, int)}
        self.saving = threading.Lock()
        self.deliveries = Deliveries()
        self.handlers = {"deploy": self._deploy, "restart": self._restart, "refresh_config": self._refresh}

    def run(self, client, stop):
        for command_id in list(self.done):
            self._acknowledge(client, stop, command_id)
        backoff, policy = Backoff(stop), self.agent.policy
        started_at = time.monotonic()
        while not stop.is_set():
            asked_at = time.monotonic()
            wait = min(int(policy.values.commands_poll_s), WAIT_S)
            try:
                answer = client.json("GET", f"/api/v1/edge/commands?wait={wait}", timeout=wait + 30)
                backoff.success()
            except Absent as error:
                self.log.warning("commands wait: %s", error)
                backoff.wait(error.retry_after)
                continue
            except Refused as error:
                self.log.error("commands are refused: %s", error)
                backoff.wait(30)
                continue
            commands = answer.get("items", [])
            delivered = [(command, self.deliveries.moment_of(command, client.answered_at)) for command in commands]
            for command, delivered_at in delivered:
                self._carry_out(client, stop, command, delivered_at)
            if commands:
                continue
            if asked_at - started_at > LEASE_S:
                # What a command of an earlier run was at would have come again.
                self.agent.installer.remove_parts()
                self.leave()
            # An answer before its time says that another machine polls with the same token, or that the platform goes.
            rest(stop, lambda: policy.values.commands_poll_s, began_at=asked_at)

    def _carry_out(self, client, stop, command, delivered_at):
        """@param delivered_at by the clock of the process: those of the device and of the platform's hosts may be wrong"""
        command_id, kind, args = str(command["id"]), command["type"], command.get("args") or {}
        if command_id in self.done:
            return self._acknowledge(client, stop, command_id)
        # Others stood before it, or its answer was long on its way.
        age_s = time.monotonic() - delivered_at
        if age_s >= lasts_s(command):
            # That is no failure: the platform ends it, and asks again where it still wants it.
            self.log.info("command %s has expired", command_id)
            return None
        if age_s >= LEASE_S:
            self.log.info("the lease of command %s is over: the platform delivers it again", command_id)
            return None
        deaths = self.begun.get(command_id, 0)
        if deaths >= MAX_DEATHS:
            return self._end(client, stop, command_id, "failed", {"message": f"the device died {deaths} times on it"})
        self.log.info("command %s: %s", command_id, kind)
        self.begun[command_id] = deaths + 1
        self._save()
        handler = self.handlers.get(kind)
        try:
            if args.get("image"):
                raise InstallFailed("this agent runs no containers: it installs the files of a model")
            if handler is None:
                raise InstallFailed(f"this agent knows no command of the type {kind}")
            status, result = "succeeded", handler(client, stop, command_id, args)
        except (InstallFailed, Refused) as error:
            status, result = "failed", {"message": str(error)}
        except Exception as error:  # such as a disk that is full: the next command may do, and people must know
            self.log.exception("command %s broke off", command_id)
            status, result = "failed", {"message": f"{type(error).__name__}: {error}"}
        if result is None:
            self.leave()
            return None
        self._end(client, stop, command_id, status, result)
        if kind == "restart":
            self.agent.restart()
        return None

    def leave(self):
        """No command is at work any more, and the device did not die on one: an end of the agent is no death."""
        if self.begun:
            self.begun = {}
            self._save()

    def _end(self, client, stop, command_id, status, result):
        self.begun.pop(command_id, None)
        self.done[command_id] = {"status": status, "result": result}
        self._save()
        self._acknowledge(client, stop, command_id)

    def _save(self):
        try:
            with self.saving:
                write_json(self.file, {**self.begun, **self.done})
        except OSError as error:
            self.log.error("what became of commands is not on the disk: %s", error)

    def _acknowledge(self, client, stop, command_id):
        try:
            arrived = until_done(lambda: self._ack(client, command_id, self.done[command_id]), stop, self.log, "acknowledgement")
        except Refused as error:
            self.log.error("the acknowledgement of %s is refused: %s", command_id, error)
            arrived = self._register_again(stop)
        if arrived is not None:
            del self.done[command_id]
            self._save()

    def _register_again(self, stop):
        """What the platform did not take a word of may have changed what is installed. @returns None when the agent ends"""
        def register():
            with waiting_for_token():
                return self.agent.register()

        try:
            return until_done(register, stop, self.log, "registration")
        except Refused as error:
            self.log.error("the registration is refused: %s", error)
            return True

    def _ack(self, client, command_id, body):
        with waiting_for_token():
            return client.json("POST", f"/api/v1/edge/commands/{command_id}:ack", body)

    # ---- what the agent can do ----

    def _deploy(self, client, stop, command_id, args):
        # A client of their own: reports are sent while the download flows.
        reporter = self.agent.client()
        report = Progress(lambda body: self._ack(reporter, command_id, body), self.log)
        name, version = args.get("model_name"), args.get("version")
        if not name or not isinstance(version, int):
            raise InstallFailed("the command names no model_name and version")

        def install():
            with report.kept_alive():
                self.agent.installer.install(client, name, version, args.get("sha256"), report)
            return True

        try:
            if until_done(install, stop, self.log, f"{name} version {version}") is None:
                return None
        finally:
            reporter.close()
        active = self.agent.installer.active
        self.log.info("%s version %s is active", active["model_name"], active["version"])
        return {"model_name": active["model_name"], "version": active["version"], "previous": active["previous"]}

    def _restart(self, _client, _stop, _command_id, _args):
        return {"message": "the agent restarts"}

    def _refresh(self, client, stop, _command_id, _args):
        def refresh():
            with waiting_for_token(401):
                return {"revision": self.agent.refresh_policy(client)}

        return until_done(refresh, stop, self.log, "the policy")


class Deliveries:
    """
    When commands were delivered, by the clock of the process. The answers that were quickest on their way say how far it and
    the platform's are apart.
    """

    def __init__(self):
        self.apart = deque(maxlen=20)

    def moment_of(self, command, answered_at):
        """@param answered_at when its answer came @returns as ``time.monotonic`` counts"""
        if command.get("lease_until") is None:
            return answered_at
        at = instant_of(command["lease_until"]) - LEASE_S
        self.apart.append(at - answered_at)
        return at - max(self.apart)


def lasts_s(command):
    """Seconds from its delivery to its end, both of which one clock of the platform says: the lease begins with the delivery."""
    if command.get("expires_at") is None or command.get("lease_until") is None:
        return math.inf
    return instant_of(command["expires_at"]) - (instant_of(command["lease_until"]) - LEASE_S)


def instant_of(text):
    """@param text in ISO 8601 @returns seconds"""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Progress:
    """
    Reports each new step to the platform at once, and progress within one now and then. A report may fail: only ends count.
    A command that is over for the platform, expired or called off, is not gone on with.
    """

    def __init__(self, send, log):
        self.send = send
        self.log = log
        self.step = None
        self.progress = 0.0
        self.is_over = False
        self.one_at_a_time = threading.Lock()
        self.sent_at = 0.0

    @contextmanager
    def kept_alive(self):
        """Repeats the last report while nothing new is said: the lease of the command must not run out over a long step."""
        over = threading.Event()

        def repeat():
            while not over.wait(RENEW_S):
                if self.step is not None and time.monotonic() - self.sent_at >= RENEW_S:
                    self._report(self.step, self.progress)

        thread = threading.Thread(target=repeat, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def __call__(self, step, progress):
        """@raises InstallFailed when the platform does not wait for the end any more"""
        if step != self.step or time.monotonic() - self.sent_at >= REPORT_S:
            self._report(step, progress)
        if self.is_over:
            raise InstallFailed("the command is over for the platform")

    def _report(self, step, progress):
        self.step, self.progress, self.sent_at = step, progress, time.monotonic()
        try:
            with self.one_at_a_time:
                self.send({"status": "running", "result": {"step": step, "progress": round(progress, 3)}})
        except (Absent, Refused) as error:
            self.is_over = isinstance(error, Refused) and error.status in (404, 409)
            self.log.warning("the report of %s did not arrive: %s", step, error)


def restart_process():
    """The same program with the same arguments in the place of this one."""
    os.execv(sys.executable, [sys.executable, "-m", "visionops_device", *sys.argv[1:]])
