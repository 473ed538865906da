"""Holds one instance of a workload: starts it without privileges, keeps its log, enforces its limits, records how it ended.

Called as ``shim.py INSTANCE_DIR``. The directory holds ``launch.json`` (what to run, written before this program is
started) and gets ``pid.json`` (this program's pid and start time) and ``exit.json`` (how the instance ended). Both are
written to a temporary name and renamed, so a reader never sees half a record. ``stop.json`` (grace and reason) is
written by whoever sends SIGTERM here.

Where the kernel has rules for it the program can open nothing but its own directory, its runtime and the system's
folders, and connect to nothing but the ports of ``connect`` (``file_access.py``). It has no capabilities.

The shim outlives the worker that started it. It is the reaper of every descendant of the workload, so a daemonised
grandchild is found by its ancestry, and ends nothing but what it started. Standard library only, and the modules beside
it: isolated mode (``-I``) leaves this folder out of the path, so it is added here, last. Only root may write to it where
workloads run under users of their own.
"""

import fcntl
import os
import resource
import select
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from file_access import closes_connections, enter, make_ruleset  # noqa: E402
from log_segments import Log  # noqa: E402
from process_tree import (  # noqa: E402
    LINUX, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, descendants, drop_capabilities, prctl,
    resident_bytes, start_time)
from records import failure, now, read_json, record_exit, write_json  # noqa: E402

TIMEOUT_GRACE_S = 20
SAMPLE_S = 0.5


class Shim:
    def __init__(self, directory, launch):
        self.directory, self.launch = directory, launch
        self.log = Log(os.path.join(directory, "log"), launch["logMaxBytes"], launch["kind"] == "service")
        self.statuses = {}
        self.stop_asked = False
        self.reason = None
        self.kill_at = None
        self.peak = 0
        self.wake_read, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self.on_term)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def on_term(self, *_):
        self.stop_asked = True

    def path(self, name):
        return os.path.join(self.directory, name)

    def send(self, signal_number):
        """One signal to everything below; answers how many processes there were."""
        pids = descendants()
        for pid in pids:
            try:
                os.kill(pid, signal_number)
            except OSError:
                pass
        return len(pids)

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.statuses[pid] = status

    def end_with(self, reason, grace_s):
        if self.reason is None:
            self.reason = reason
            self.kill_at = time.monotonic() + grace_s
            self.send(signal.SIGTERM if grace_s > 0 else signal.SIGKILL)

    def check(self, started):
        """Stop wishes and limits; called at least every half second."""
        if self.stop_asked and self.reason is None:
            stop = read_json(self.path("stop.json")) or {}
            self.end_with(stop.get("reason", "stopped"), float(stop.get("graceS", TIMEOUT_GRACE_S)))
        timeout = self.launch["timeoutS"]
        if timeout is not None and time.monotonic() - started > timeout:
            if self.reason is None:
                self.log.line(f"The time limit of {timeout} s is reached: the program is asked to end.")
            self.end_with("timeout", TIMEOUT_GRACE_S)
        used = resident_bytes() if LINUX else 0
        self.peak = max(self.peak, used)
        if used > self.launch["memoryBytes"] and self.reason != "memory":
            self.log.line(f"More memory in use ({used} bytes) than the limit of {self.launch['memoryBytes']} bytes: the program is ended.")
            self.reason, self.kill_at = "memory", time.monotonic()
        if self.kill_at is not None and time.monotonic() >= self.kill_at:
            self.send(signal.SIGKILL)

    def rules(self, argv, ports):
        """What one program may open: its directory, its interpreter, what lies beside the program, and these ports."""
        # The first, not every: what follows the program are its arguments.
        program = next((part for part in argv[1:] if part.endswith(".py")), "")
        files = [os.path.dirname(argv[0]), program, self.launch["env"].get("TRACKER_URL_FILE", "")]
        return make_ruleset([os.path.dirname(file) for file in files if file], [self.launch["cwd"]], ports)

    def spawn(self, argv, output, ports):
        launch = self.launch
        ruleset = self.rules(argv, ports)
        closes = ports is not None and closes_connections()
        identity = {}
        if launch["uid"] is not None:
            identity = {"user": launch["uid"], "group": launch["uid"], "extra_groups": []}

        def before_exec():
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if launch["kind"] == "job":
                os.nice(5)
            drop_capabilities()
            enter(ruleset, closes)

        try:
            return subprocess.Popen(
                argv, cwd=launch["cwd"], env=launch["env"], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                umask=0o077, start_new_session=True, preexec_fn=before_exec, close_fds=True, **identity)
        finally:
            if ruleset is not None:
                os.close(ruleset)

    def run(self, argv, started, ports):
        """Runs one program to its end and answers its wait status."""
        read_end, write_end = os.pipe2(os.O_CLOEXEC)
        child = self.spawn(argv, write_end, ports)
        os.close(write_end)
        child_status = None
        next_check = 0.0
        sources = [read_end, self.wake_read]
        while True:
            wait = max(0.0, min(SAMPLE_S, next_check - time.monotonic()))
            for source in select.select(sources, [], [], wait)[0]:
                data = os.read(source, 65536)
                if source == read_end:
                    if data:
                        self.log.write(data)
                    else:
                        sources.remove(read_end)
            self.reap()
            if child.pid in self.statuses:
                child_status = self.statuses.pop(child.pid)
                child.returncode = 0
                break
            if time.monotonic() >= next_check or self.stop_asked:
                self.check(started)
                next_check = time.monotonic() + SAMPLE_S
        self.end_rest(read_end if read_end in sources else None)
        os.close(read_end)
        return child_status

    def end_rest(self, read_end):
        """What the program left behind ends with it; what it still had to say is kept."""
        for _ in range(200):
            if self.send(signal.SIGKILL) == 0:
                break
            time.sleep(0.01)
            self.reap()
        deadline = time.monotonic() + 1
        while read_end is not None and time.monotonic() < deadline:
            if not select.select([read_end], [], [], 0.05)[0]:
                continue
            data = os.read(read_end, 65536)
            if not data:
                break
            self.log.write(data)

    def result(self, status, stage, started_at):
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        return {"attempt": self.launch["attempt"], "code": code, "signal": killed_by, "reason": self.reason,
                "stage": stage, "peakBytes": self.peak, "startedAt": started_at, "finishedAt": now(), "error": None}


def main(directory):
    lock = open(os.path.join(directory, "lock"), "a", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # another shim holds this instance
    launch = read_json(os.path.join(directory, "launch.json"))
    if launch is None:
        return
    known = read_json(os.path.join(directory, "pid.json"))
    if known is not None and known["attempt"] >= launch["attempt"]:
        return  # this attempt ran already
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # Inherited by the workload: no core files (they would hold tenant data) and, where the user is the tenant's own, a
    # bound on processes and threads against fork bombs.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if launch["uid"] is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (2048, 2048))
    shim = Shim(directory, launch)
    started_at, started = now(), time.monotonic()
    write_json(os.path.join(directory, "pid.json"),
               {"attempt": launch["attempt"], "pid": os.getpid(), "start": start_time(os.getpid()), "port": launch["port"], "startedAt": started_at})
    if launch["attempt"] > 1:
        shim.log.line(f"Start {launch['attempt']}")
    try:
        status, stage, ports = 0, "run", launch.get("connect")
        if launch["stageArgv"] is not None:
            stage = "stage"
            status = shim.run(launch["stageArgv"], started, ports)
        if status == 0 and shim.reason is None:
            stage = "run"
            # A training measures by the tracker; a served model is only asked.
            status = shim.run(launch["argv"], started, ports if launch["kind"] == "job" else [])
        result = shim.result(status, stage, started_at)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        shim.send(signal.SIGKILL)
        shim.log.line(f"The program could not be started: {error}")
        result = failure(launch, started_at, error)
    try:
        shim.log.close()
    finally:
        record_exit(directory, result)


if __name__ == "__main__":
    main(sys.argv[1])
