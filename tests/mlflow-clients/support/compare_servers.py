"""Compares what two tracking servers hold, read by the stock client. Prints every difference and, last, their number as JSON.

Called with the addresses of the source and of its copy.
"""

import hashlib
import json
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import mlflow
from mlflow import MlflowClient

IMPORTED = ("mlflow.import.source", "mlflow.import.state")
SOURCE = "mlflow.import.source"


def own(tags):
    return {key: value for key, value in tags.items() if key not in IMPORTED}


def files(uri, root):
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        mlflow.artifacts.download_artifacts(artifact_uri=uri, dst_path=folder, tracking_uri=root)
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def described(address, is_copy):
    mlflow.set_tracking_uri(address)
    client = MlflowClient(address)
    # The copy is described with the ids of the source.
    experiments = client.search_experiments()
    all_runs = [run for experiment in experiments for run in client.search_runs([experiment.experiment_id], max_results=1000)]
    models = [model for experiment in experiments for model in client.search_logged_models([experiment.experiment_id])]
    ids = {run.info.run_id: run.data.tags.get(SOURCE) if is_copy else run.info.run_id for run in all_runs}
    ids |= {model.model_id: model.tags.get(SOURCE) if is_copy else model.model_id for model in models}
    assert len(set(ids.values())) == len(ids), "something is there twice"
    held = {}
    for experiment in experiments:
        held["experiment", experiment.name] = own(experiment.tags)
    for run in all_runs:
        tags = own(run.data.tags)
        if "mlflow.parentRunId" in tags:
            tags["mlflow.parentRunId"] = ids[tags["mlflow.parentRunId"]]
        history = {key: [(repr(point.value), point.timestamp, point.step) for point in client.get_metric_history(run.info.run_id, key)] for key in run.data.metrics}
        info = run.info
        held["run", ids[info.run_id]] = {
            "experiment": next(one.name for one in experiments if one.experiment_id == info.experiment_id),
            "info": (info.run_name, info.status, info.start_time, info.end_time),
            "params": run.data.params, "tags": tags, "metrics": {key: sorted(points) for key, points in history.items()},
            "datasets": [(one.dataset.name, one.dataset.digest, {tag.key: tag.value for tag in one.tags}) for one in run.inputs.dataset_inputs],
            "outputs": sorted(ids[one.model_id] for one in run.outputs.model_outputs) if run.outputs else [],
            "files": files(info.artifact_uri, address) if client.list_artifacts(info.run_id) else {},
        }
    for model in models:
        metrics = [(one.key, one.value, one.step, ids[one.run_id]) for one in model.metrics or []]
        held["logged model", ids[model.model_id]] = (model.name, str(model.status), model.params, own(model.tags), ids[model.source_run_id], sorted(metrics), files(model.artifact_location, address))
    for model in client.search_registered_models():
        held["model", model.name] = (model.description or "", model.tags, model.aliases)
        for version in client.search_model_versions(f"name = '{model.name}'"):
            uri = f"models:/{model.name}/{version.version}"
            held["version", model.name, version.version] = (version.description or "", own(version.tags), version.current_stage, ids.get(version.run_id), files(uri, address))
    return held


token = os.environ.pop("MLFLOW_TRACKING_TOKEN")
source = described(sys.argv[1], False)
os.environ["MLFLOW_TRACKING_TOKEN"] = token
copy = described(sys.argv[2], True)
differences = [key for key in source.keys() | copy.keys() if source.get(key) != copy.get(key)]
for key in differences[:5]:
    print(key, "\n  source", str(source.get(key))[:1500], "\n  copy  ", str(copy.get(key))[:1500])
print(json.dumps({"compared": len(source), "differences": len(differences)}))
