"""Trains with the networks of Ultralytics YOLO; `vision_job.py` says how."""

import sys

from job import run
from vision_job import train

if __name__ == "__main__":
    sys.exit(run(train))
