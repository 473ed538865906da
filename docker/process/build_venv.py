"""Makes the virtual environment of one runtime, once. Prints a line of JSON for each step that a progress bar can show.

Called as ``build_venv.py --target DIR --requirements FILE [--reachable]`` by the interpreter that the environment shall
use. A file lock keeps other builders out (the kernel frees it when a builder dies); the marker ``ready`` is written
last, so an environment without it is built again from nothing. ``--reachable`` copies an interpreter that other users
cannot execute (one below a home directory, for instance) to a place beside the environment. Standard library only.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

# Exit codes that the caller turns into one line with the fix.
NO_PIP, NO_NETWORK, NO_SPACE, UNREACHABLE, FAILED = 10, 11, 12, 13, 1


def say(step, fraction, text):
    print(json.dumps({"step": step, "fraction": fraction, "text": text}), flush=True)


def fail(code, text):
    print(json.dumps({"error": text}), flush=True)
    sys.exit(code)


def reachable(path):
    """Whether any user may pass every folder above the path and read the path itself."""
    path = os.path.realpath(path)
    if not os.stat(path).st_mode & 0o005 == 0o005:
        return False
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 0o001:
            return False
    return True


def interpreter(target, copy_allowed):
    """The interpreter of the environment and where its shared libraries are, null when the system finds them itself: this
    one, or its copy beside the environment when others cannot reach it."""
    own = os.path.realpath(sys.executable)
    library = os.path.join(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    if not copy_allowed or (reachable(own) and reachable(library)):
        return own, None
    key = hashlib.sha256(f"{own} {sys.version}".encode()).hexdigest()[:16]
    place = os.path.join(os.path.dirname(target), f"python-{key}")
    copy = os.path.join(place, "bin", os.path.basename(own))
    if not os.path.exists(os.path.join(place, "ready")):
        say("python", 0.02, "Copying Python to where workloads can reach it")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(os.path.dirname(copy))
        shutil.copy2(own, copy)
        shutil.copytree(library, os.path.join(place, "lib", os.path.basename(library)), symlinks=True,
                        ignore=shutil.ignore_patterns("test", "tests", "idlelib", "site-packages", "__pycache__", "config-*", "*.a"))
        for name in os.listdir(os.path.dirname(library)):
            if name.startswith("libpython") and ".so" in name:
                shutil.copy2(os.path.join(os.path.dirname(library), name), os.path.join(place, "lib", name))
        subprocess.run(["chmod", "-R", "a+rX", place], check=True)
        # As the users who will run it: the original may still be found by root.
        check = subprocess.run([copy, "-I", "-c", "import ssl, ctypes, hashlib"], user=65534, group=65534, extra_groups=[], cwd="/",
                               env={"LD_LIBRARY_PATH": os.path.join(place, "lib")}, capture_output=True, text=True, check=False)
        if check.returncode != 0:
            fail(UNREACHABLE, f"{own} lies where other users cannot reach it, and its copy does not run")
        open(os.path.join(place, "ready"), "w", encoding="ascii").close()
    return copy, os.path.join(place, "lib")


def installer(target, python):
    """Command that installs into the environment: pip of this interpreter, or one put into the environment."""
    pip = [sys.executable, "-m", "pip"]
    version = subprocess.run(pip + ["--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"pip (\d+)\.(\d+)", version)
    create = [python, "-I", "-m", "venv", "--clear"]
    if found and (int(found[1]), int(found[2])) >= (22, 3):
        command, options = pip + ["--python", os.path.join(target, "bin", "python")], ["--without-pip"]
    else:
        command, options = [os.path.join(target, "bin", "python"), "-m", "pip"], []
    made = subprocess.run(create + options + [target], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        if "ensurepip" in made.stdout + made.stderr or "No module named venv" in made.stderr:
            fail(NO_PIP, "Python has neither pip nor ensurepip")
        fail(FAILED, (made.stderr.strip() or made.stdout.strip() or "venv failed").splitlines()[-1])
    return command


def install(command, requirements):
    with open(requirements, encoding="utf-8") as file:
        total = max(1, len(set(re.findall(r"^([A-Za-z0-9._-]+)==", file.read(), re.M))))
    arguments = command + ["install", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:",
                           "--require-hashes", "--progress-bar", "off", "-r", requirements]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
    seen, output = 0, []
    for line in process.stdout:
        output = (output + [line.rstrip()])[-40:]
        collected = re.match(r"Collecting ([A-Za-z0-9._-]+)", line)
        if collected:
            seen += 1
            say("download", 0.1 + 0.6 * min(1, seen / total), f"Fetching {collected[1]}")
        elif line.startswith("Installing collected"):
            say("install", 0.75, "Installing packages")
    if process.wait() == 0:
        return
    text = "\n".join(output)
    if "No space left" in text:
        fail(NO_SPACE, "no space left on the device")
    if re.search(r"Connection|Temporary failure|Max retries|resolve|timed out|Network is unreachable|No matching distribution", text):
        fail(NO_NETWORK, "the package index cannot be reached")
    errors = [line for line in output if line.startswith("ERROR")] or output[-1:]
    fail(FAILED, errors[0] if errors else "pip failed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--requirements", required=True)
    parser.add_argument("--reachable", action="store_true")
    options = parser.parse_args()
    os.umask(0o022)
    os.makedirs(os.path.dirname(options.target), exist_ok=True)
    with open(options.target + ".lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("wait", 0.0, "Another process prepares this runtime")
            fcntl.flock(lock, fcntl.LOCK_EX)
        ready = os.path.join(options.target, "ready")
        if not os.path.exists(ready):
            say("create", 0.05, "Creating the virtual environment")
            try:
                python, libraries = interpreter(options.target, options.reachable)
                install(installer(options.target, python), options.requirements)
            except BaseException:
                shutil.rmtree(options.target, ignore_errors=True)
                raise
            with open(ready + ".tmp", "w", encoding="utf-8") as file:
                json.dump({"libraryPath": libraries}, file)
            os.rename(ready + ".tmp", ready)
    say("done", 1.0, "Runtime ready")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        fail(NO_SPACE if error.errno == 28 else FAILED, str(error))
