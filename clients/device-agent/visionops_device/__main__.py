"""``visionops-device``: runs the agent until it is ended by a signal."""

import logging
import signal
import sys

from .agent import Agent
from .lock import locked
from .settings import BadSettings, read_settings


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        settings = read_settings()
        with locked(settings.folder):
            return run(settings)
    except BadSettings as error:
        print(f"visionops-device: {error}", file=sys.stderr)
        return 2


def run(settings):
    agent = Agent(settings)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: agent.stop.set())
    return agent.run()


if __name__ == "__main__":
    sys.exit(main())
