"""Fills another MLflow server with what a team has: experiments, runs with their parents, metrics, files, models. Stock client alone."""

import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import mlflow
import numpy
import pandas
from mlflow import MlflowClient
from sklearn.linear_model import LogisticRegression

RUNS = int(sys.argv[1])
client = MlflowClient()


def runs(name, count, tags):
    experiment_id = client.create_experiment(name, tags=tags)
    parent = None
    for number in range(count):
        of = {"mlflow.parentRunId": parent} if parent and number % 3 else {}
        run_id = client.create_run(experiment_id, run_name=f"run {number} ä", tags={"number": str(number), "mlflow.user": "ada", **of}).info.run_id
        parent = run_id if number % 3 == 0 else parent
        now = 1_700_000_000_000 + number
        metrics = [mlflow.entities.Metric("loss", 1 / (step + 1), now + step, step) for step in range(300)]
        metrics += [mlflow.entities.Metric("odd/value", value, now, step) for step, value in enumerate([float("nan"), float("inf"), -1.5])]
        params = [mlflow.entities.Param(f"p{at}", f"{number} {at} é") for at in range(60)]
        client.log_batch(run_id, metrics=metrics, params=params, tags=[mlflow.entities.RunTag(f"t{at}", "x" * at) for at in range(50)])
        with tempfile.TemporaryDirectory() as folder:
            for path, data in (("a.bin", os.urandom(20_000 * (number + 1))), ("deep/er/b c.txt", f"run {number}".encode()), ("empty", b"")):
                file = os.path.join(folder, path)
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, "wb") as out:
                    out.write(data)
            client.log_artifacts(run_id, folder)
        client.set_terminated(run_id, "FAILED" if number % 5 == 4 else "FINISHED", end_time=now + 60_000)


def models():
    mlflow.set_experiment("team/models")
    x, y = numpy.random.rand(60, 3), numpy.arange(60) % 2
    frame = mlflow.data.from_pandas(pandas.DataFrame(x), name="noise", source="memory")
    client.create_registered_model("classifier", tags={"team": "vision"}, description="What it is")
    for number in range(3):
        with mlflow.start_run(run_name=f"model {number}"):
            mlflow.log_input(frame, context="training")
            info = mlflow.sklearn.log_model(LogisticRegression().fit(x, y), name="model", serialization_format="cloudpickle",
                                            pip_requirements=["scikit-learn"], params={"c": number})
            mlflow.log_metric("accuracy", number / 10, model_id=info.model_id)
            version = mlflow.register_model(info.model_uri, "classifier", tags={"n": str(number)}).version
            client.update_model_version("classifier", version, description=f"number {number}")
    # About files that a run logged, as clients before 3.0 did it.
    with mlflow.start_run(run_name="files") as run:
        mlflow.log_text("weights", "exported/weights.txt")
    client.create_registered_model("exported")
    client.create_model_version("exported", f"{run.info.artifact_uri}/exported", run.info.run_id)
    client.copy_model_version("models:/exported/1", "copied")
    client.copy_model_version("models:/copied/1", "copied")
    client.set_registered_model_alias("classifier", "champion", "2")
    client.set_registered_model_alias("classifier", "first", "1")
    client.transition_model_version_stage("classifier", "3", "Production")
    client.transition_model_version_stage("classifier", "1", "Staging")


runs("team/many", RUNS, {"purpose": "counting"})
runs("without a project", 3, {})
with mlflow.start_run(experiment_id="0", run_name="of the default experiment"):
    mlflow.log_param("a", 1)
gone = client.create_experiment("deleted")
client.delete_experiment(gone)
models()
