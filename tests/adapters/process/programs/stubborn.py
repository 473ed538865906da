"""Ignores SIGTERM and leaves a grandchild behind in a session of its own, without the environment it came with."""
import json
import os
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
code = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
middle = subprocess.run(
    [sys.executable, "-c", f"import subprocess,sys; print(subprocess.Popen([sys.executable, '-c', {code!r}], start_new_session=True, env={{}}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)"],
    capture_output=True, text=True, check=True)
print(json.dumps({"pids": [os.getpid(), int(middle.stdout)]}), flush=True)
time.sleep(600)
