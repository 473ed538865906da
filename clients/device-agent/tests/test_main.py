import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from visionops_device.lock import locked
from visionops_device.settings import VARIABLES

AGENT = Path(__file__).parent.parent


def visionops_device(*args, **env):
    """@returns the ended program"""
    return subprocess.run([sys.executable, "-B", "-m", "visionops_device", *args], cwd=AGENT, capture_output=True, text=True,
                          timeout=30, check=False, env={"PATH": os.environ.get("PATH", ""), **env})


class MainCase(unittest.TestCase):
    def test_says_what_it_does_and_what_its_environment_may_hold(self):
        helped = visionops_device("--help")
        self.assertEqual((helped.returncode, helped.stderr), (0, ""))
        self.assertIn("device of a VisionOps platform", helped.stdout)
        readme = (AGENT / "README.md").read_text("utf-8")
        for text in (helped.stdout, readme, (AGENT / "visionops_device/settings.py").read_text("utf-8").split("class Settings")[1]):
            self.assertEqual(set(re.findall(r"VISIONOPS_\w+", text)), set(VARIABLES))
        self.assertEqual(visionops_device("--hlp").returncode, 2)

    def test_refuses_a_folder_that_another_agent_uses(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "device"
            env = {"VISIONOPS_URL": "http://127.0.0.1:9", "VISIONOPS_DEVICE_TOKEN": "t", "VISIONOPS_DEVICE_DIR": str(folder)}
            with locked(folder):
                refused = visionops_device(**env)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertIn(f"another agent (pid {os.getpid()}) uses this folder", refused.stderr)
                # It has touched nothing.
                self.assertEqual([path.name for path in folder.iterdir()], ["lock"])
            # A program in the place of the agent, as after the command `restart`, takes the folder again.
            code = ("import os, sys; from pathlib import Path; from visionops_device.lock import locked\n"
                    "with locked(Path(sys.argv[1])):\n"
                    "    len(sys.argv) > 3 or os.execv(sys.executable, [sys.executable, '-B', '-c', sys.argv[2], *sys.argv[1:], 'again'])\n")
            ended = subprocess.run([sys.executable, "-B", "-c", code, str(folder), code], cwd=AGENT, capture_output=True, text=True,
                                   timeout=30, check=False)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
