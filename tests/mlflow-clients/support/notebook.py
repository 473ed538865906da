"""What a data scientist's notebook does, with the stock client of MLflow and nothing of ours.

Called with the path where a summary is written as JSON. MLFLOW_TRACKING_URI and MLFLOW_TRACKING_TOKEN say where and who.
"""

import concurrent.futures
import hashlib
import json
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import mlflow
import mlflow.sklearn
from mlflow.store.artifact.http_artifact_repo import HttpArtifactRepository
import numpy
import pandas
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException, RestException
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split

SIZE = 60 * 1024 * 1024
VERSION = mlflow.__version__
NAME = f"digits-{VERSION}"
client = MlflowClient()
features, labels = load_digits(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(features, labels, random_state=0)


def experiments():
    mlflow.set_experiment(f"clients/{NAME}")
    experiment = mlflow.get_experiment_by_name(f"clients/{NAME}")
    client.set_experiment_tag(experiment.experiment_id, "team", "vision")
    assert client.get_experiment(experiment.experiment_id).tags["team"] == "vision"
    other = client.create_experiment(f"passing {NAME}", tags={"a": "b"})
    client.rename_experiment(other, f"renamed {NAME}")
    client.delete_experiment(other)
    assert client.get_experiment(other).lifecycle_stage == "deleted"
    client.restore_experiment(other)
    found = client.search_experiments(filter_string=f"name LIKE '%{NAME}'", order_by=["name DESC"])
    assert [one.name for one in found] == [f"renamed {NAME}", f"clients/{NAME}"], found
    client.delete_experiment(other)
    try:
        client.create_experiment(f"clients/{NAME}")
    except MlflowException as error:
        assert error.error_code == "RESOURCE_ALREADY_EXISTS", error.error_code
    else:
        raise AssertionError("the same experiment was made twice")
    return experiment.experiment_id


def default_experiment():
    run = client.create_run("0", run_name="without an experiment")
    client.set_terminated(run.info.run_id)
    assert client.get_experiment("0").name == "Default"
    assert client.get_run(run.info.run_id).info.status == "FINISHED"


def autologged():
    mlflow.sklearn.autolog(log_models=False)
    with mlflow.start_run(run_name="search") as run:
        GridSearchCV(LogisticRegression(max_iter=50), {"C": [0.01, 0.1]}, cv=2).fit(train_x, train_y)
    mlflow.sklearn.autolog(disable=True)
    parent = client.get_run(run.info.run_id)
    assert parent.info.status == "FINISHED"
    assert parent.data.params["best_C"] in ("0.01", "0.1"), parent.data.params
    assert parent.data.metrics["training_score"] > 0.9
    assert parent.inputs.dataset_inputs, "the training data is not named"
    children = mlflow.search_runs(filter_string=f"tags.mlflow.parentRunId = '{run.info.run_id}'", output_format="list")
    assert len(children) == 2, children
    files = {file.path for file in client.list_artifacts(run.info.run_id)}
    assert "cv_results.csv" in files, files
    mlflow.sklearn.autolog()
    with mlflow.start_run(run_name="fit") as fitted:
        LogisticRegression(max_iter=50).fit(train_x, train_y)
    mlflow.sklearn.autolog(disable=True)
    assert len(client.get_run(fitted.info.run_id).outputs.model_outputs) == 1
    return run.info.run_id


def threads(experiment_id):
    """Eight threads log into runs of their own and into one that they share."""
    shared = client.create_run(experiment_id, run_name="shared").info.run_id

    def work(thread):
        own = client.create_run(experiment_id, run_name=f"thread {thread}", tags={"thread": str(thread)}).info.run_id
        for step in range(20):
            client.log_metric(own, "loss", 1 / (step + 1), step=step)
            client.log_metric(shared, f"loss/{thread}", step, step=step)
        client.log_batch(own, params=[mlflow.entities.Param("thread", str(thread))])
        client.set_terminated(own)
        return own

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        own = list(pool.map(work, range(8)))
    for run_id in own:
        assert len(client.get_metric_history(run_id, "loss")) == 20
    assert all(len(client.get_metric_history(shared, f"loss/{thread}")) == 20 for thread in range(8))
    best = client.search_runs([experiment_id], "metrics.loss <= 0.05 AND params.thread = '3'", order_by=["metrics.loss ASC"])
    assert [run.info.run_id for run in best] == [own[3]], best
    pages, token = [], None
    while True:
        page = client.search_runs([experiment_id], "tags.thread LIKE '%'", max_results=3, order_by=["params.thread DESC"], page_token=token)
        pages += [run.data.params["thread"] for run in page]
        token = page.token
        if not token:
            break
    assert pages == [str(thread) for thread in reversed(range(8))], pages
    client.set_terminated(shared)


def values(experiment_id):
    """What JSON does not have, and what is too long."""
    run_id = client.create_run(experiment_id).info.run_id
    for step, value in enumerate([float("nan"), float("inf"), float("-inf"), 1.5]):
        client.log_metric(run_id, "odd", value, step=step)
    history = [metric.value for metric in client.get_metric_history(run_id, "odd")]
    assert numpy.isnan(history).sum() == 1 and sorted(v for v in history if v == v) == [float("-inf"), 1.5, float("inf")], history
    client.log_param(run_id, "text", "x" * 25_000)
    assert client.get_run(run_id).data.params["text"] == "x" * 6000
    client.log_param(run_id, "rate", 1)
    try:
        client.log_param(run_id, "rate", 2)
    except MlflowException as error:
        assert error.error_code == "INVALID_PARAMETER_VALUE", error.error_code
    else:
        raise AssertionError("a param was written twice")
    client.set_tag(run_id, "note", "a")
    client.set_tag(run_id, "note", "b")
    client.delete_tag(run_id, "note")
    assert "note" not in client.get_run(run_id).data.tags
    client.delete_run(run_id)
    assert client.get_run(run_id).info.lifecycle_stage == "deleted"
    client.restore_run(run_id)
    client.set_terminated(run_id, "KILLED")
    try:
        client.get_run("0" * 32)
    except RestException as error:
        assert error.error_code == "RESOURCE_DOES_NOT_EXIST", error.error_code
    else:
        raise AssertionError("an unknown run was found")


def large_artifact(experiment_id):
    """60 MiB there and back, in one piece and in parts."""
    there_and_back(experiment_id)
    joined, complete = [], HttpArtifactRepository.complete_multipart_upload

    def counted(self, *args, **kwargs):
        joined.append(complete(self, *args, **kwargs))

    HttpArtifactRepository.complete_multipart_upload = counted
    in_parts = {"MLFLOW_ENABLE_PROXY_MULTIPART_UPLOAD": "true", "MLFLOW_MULTIPART_UPLOAD_MINIMUM_FILE_SIZE": str(SIZE)}
    os.environ.update(in_parts)
    there_and_back(experiment_id)
    for name in in_parts:
        del os.environ[name]
    assert len(joined) == 1, "the file did not go in parts"


def there_and_back(experiment_id):
    with mlflow.start_run(experiment_id=experiment_id) as run, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights.bin")
        data = os.urandom(1024 * 1024) * (SIZE // 1024 // 1024)
        with open(path, "wb") as file:
            file.write(data)
        mlflow.log_artifact(path, "checkpoints")
        mlflow.log_text("", "empty.txt")
        mlflow.log_dict({"a": 1}, "notes/ä b.json")
        files = {file.path: file.file_size for file in client.list_artifacts(run.info.run_id, "checkpoints")}
        assert files == {"checkpoints/weights.bin": SIZE}, files
        back = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="checkpoints/weights.bin")
        with open(back, "rb") as file:
            assert hashlib.sha256(file.read()).digest() == hashlib.sha256(data).digest()
        assert mlflow.artifacts.load_dict(f"runs:/{run.info.run_id}/notes/ä b.json") == {"a": 1}
        assert mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/empty.txt") == ""


def registered():
    """A model logged, registered, named and loaded back, equal in what it predicts."""
    classifier = LogisticRegression(max_iter=50).fit(train_x, train_y)
    data = mlflow.data.from_pandas(pandas.DataFrame(train_x), name="digits", source="sklearn.datasets.load_digits")
    with mlflow.start_run(run_name="registered") as run:
        mlflow.log_input(data, context="training")
        info = mlflow.sklearn.log_model(classifier, name="classifier", input_example=train_x[:2], registered_model_name=NAME,
                                        serialization_format="cloudpickle", pip_requirements=["scikit-learn"])
        mlflow.log_metric("accuracy", classifier.score(test_x, test_y), model_id=info.model_id)
    assert client.get_run(run.info.run_id).outputs.model_outputs[0].model_id == info.model_id
    logged = client.get_logged_model(info.model_id)
    assert logged.metrics[0].key == "accuracy" and logged.status == "READY", logged
    best = mlflow.search_logged_models([logged.experiment_id], "metrics.accuracy > 0.5", output_format="list")
    assert info.model_id in [model.model_id for model in best]
    second = mlflow.register_model(info.model_uri, NAME, tags={"stage": "second"})
    assert second.version == "2" and second.status == "READY", second
    client.update_registered_model(NAME, description="Reads digits")
    client.set_registered_model_tag(NAME, "owner", "vision")
    client.set_model_version_tag(NAME, "2", "checked", "yes")
    client.update_model_version(NAME, "2", description="second")
    client.set_registered_model_alias(NAME, "champion", "2")
    model = client.get_registered_model(NAME)
    assert (model.description, model.tags, model.aliases) == ("Reads digits", {"owner": "vision"}, {"champion": "2"}), model
    assert client.get_model_version_by_alias(NAME, "champion").tags == {"stage": "second", "checked": "yes"}
    expected = classifier.predict(test_x)
    for uri in (f"models:/{NAME}/1", f"models:/{NAME}@champion", info.model_uri, f"models:/{NAME}/latest"):
        assert (mlflow.pyfunc.load_model(uri).predict(test_x) == expected).all(), uri
    assert (mlflow.sklearn.load_model(f"models:/{NAME}/2").predict(test_x) == expected).all()
    copied = client.copy_model_version(f"models:/{NAME}/2", f"{NAME}-copy")
    assert (copied.version, copied.run_id, copied.source) == ("1", run.info.run_id, f"models:/{NAME}/2"), copied
    again = mlflow.register_model(f"models:/{NAME}-copy/1", f"{NAME}-copy")
    assert again.version == "2", again
    assert (mlflow.pyfunc.load_model(f"models:/{NAME}-copy/2").predict(test_x) == expected).all()
    client.delete_registered_model(f"{NAME}-copy")
    client.transition_model_version_stage(NAME, "1", "Staging")
    assert [one.version for one in client.get_latest_versions(NAME, ["Staging"])] == ["1"]
    assert [one.version for one in client.search_model_versions(f"name = '{NAME}' AND run_id = '{run.info.run_id}'", order_by=["version_number ASC"])] == ["1", "2"]
    assert NAME in [one.name for one in client.search_registered_models("name LIKE 'digits-%'")]
    try:
        client.create_registered_model(NAME)
    except MlflowException as error:
        assert error.error_code == "RESOURCE_ALREADY_EXISTS", error.error_code
    else:
        raise AssertionError("the same model was made twice")
    return run.info.run_id


def evaluated():
    """Metrics of a model over a table, with its plots."""
    frame = pandas.DataFrame(test_x).assign(label=test_y)
    evaluate = getattr(mlflow, "evaluate", None) or mlflow.models.evaluate
    with mlflow.start_run(run_name="evaluated") as run:
        evaluate(f"models:/{NAME}@champion", frame, targets="label", model_type="classifier", evaluator_config={"log_explainer": False})
    metrics = client.get_run(run.info.run_id).data.metrics
    assert metrics["accuracy_score"] > 0.9, metrics


def main():
    experiment_id = experiments()
    default_experiment()
    threads(experiment_id)
    values(experiment_id)
    large_artifact(experiment_id)
    searched = autologged()
    run_id = registered()
    evaluated()
    summary = {"version": VERSION, "experiment_id": experiment_id, "model": NAME, "run_id": run_id, "searched": searched}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(summary, file)


main()
