"""``visionops-device``: runs the agent until it is ended by a signal."""

import argparse
import logging
import signal
import sys

from .agent import Agent
from .lock import locked
from .settings import VARIABLES, BadSettings, read_settings


ABOUT = """Runs this machine as a device of a VisionOps platform until a signal ends it: registers, sends heartbeats, runs
commands, installs models, predicts pictures, and sends records. It takes no arguments; its environment holds all settings."""


def main():
    read_arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        settings = read_settings()
        with locked(settings.folder):
            return run(settings)
    except BadSettings as error:
        print(f"visionops-device: {error}", file=sys.stderr)
        return 2


def read_arguments():
    """Only `--help` is known; anything else ends the program with 2."""
    lines = [f"  {name:26}{meaning}" for name, meaning in VARIABLES.items()]
    argparse.ArgumentParser(
        prog="visionops-device",
        description=ABOUT,
        epilog="\n".join(["environment variables (after the semicolon: what holds without it):", *lines]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()


def run(settings):
    agent = Agent(settings)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: agent.stop.set())
    return agent.run()


if __name__ == "__main__":
    sys.exit(main())
