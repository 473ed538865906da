"""Trains with the networks of Ultralytics YOLO; `vision_job.py` says how."""

import sys

from job import BadConfig, read_config, run
from vision_job import train

#: Pixels that the coarsest layer sees as one.
STRIDE = 32


def checked(root):
    _, _, hp, _, _ = read_config(root)
    if hp["image_size"] % STRIDE:
        raise BadConfig(f"hyperparameters: image_size: must be a multiple of {STRIDE}, got {hp['image_size']}")
    train(root)


if __name__ == "__main__":
    sys.exit(run(checked))
