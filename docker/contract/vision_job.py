"""A training with PyTorch as docs/reference/runtime-contract.md says: reads config.json, manifest.json and dataset/ from its
directory, prints its log, sends metrics and artifacts to the tracker. The networks are those of the runtime's `models.py`."""

import os
import time

from job import read_config, read_json, say
from samples import list_samples

# Threads that wait by spinning take the processor from the neighbours they wait for: a hundred times slower on a shared
# machine (measured). Read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def train(root):
    began, settings = time.monotonic(), read_config(root)
    config, entry, _, split, _ = settings
    say(f"Experiment {config.get('experiment_id', '-')}, attempt {config.get('attempt', 1)}: {entry['name']}")
    manifest = read_json(os.path.join(root, "manifest.json"))
    samples = list_samples(os.path.join(root, "dataset"), manifest, config["task"], split["mode"], config.get("classes") or [])
    # Loads torch, which takes seconds: what is wrong with settings or annotations has been said by now.
    from training import Training

    training = Training(root, settings, samples)
    try:
        training.load()
        network = training.fit()
        training.finish(network, training.evaluate())
    except RuntimeError as error:
        if "alloc" in str(error) and "memory" in str(error):
            raise MemoryError(str(error)) from error
        raise
    say(f"{time.monotonic() - began:.0f} s in all, {time.process_time():.0f} s of processors")
