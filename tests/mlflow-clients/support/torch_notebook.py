"""What a notebook of torch does: MLflow's client follows a training of PyTorch Lightning by itself.

Called with the path where a summary is written as JSON. EXTRA_PACKAGES names the folders of torch and Lightning, which the environment
of the client does not have; its own packages count first.
"""

import json
import os
import site
import sys
import warnings

for folder in os.environ["EXTRA_PACKAGES"].split(os.pathsep):
    site.addsitedir(folder)
warnings.filterwarnings("ignore")

import mlflow.pytorch
import pytorch_lightning
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 3
client = mlflow.MlflowClient()
images, labels = load_digits(return_X_y=True)
pixels = torch.tensor(images, dtype=torch.float32) / 16


class Reader(pytorch_lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))

    def forward(self, batch):
        return self.layers(batch)

    def training_step(self, batch, _):
        loss = torch.nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


def trained():
    """Everything about the run is logged by the client itself."""
    pytorch_lightning.seed_everything(7, verbose=False)
    mlflow.pytorch.autolog()
    batches = DataLoader(TensorDataset(pixels, torch.tensor(labels)), batch_size=64, shuffle=True)
    trainer = pytorch_lightning.Trainer(max_epochs=EPOCHS, accelerator="cpu", logger=False, enable_progress_bar=False,
                                        enable_model_summary=False, default_root_dir=os.environ["HOME"])
    reader = Reader()
    with mlflow.start_run(run_name="lightning") as run:
        trainer.fit(reader, batches)
    mlflow.pytorch.autolog(disable=True)
    found = client.get_run(run.info.run_id)
    assert found.info.status == "FINISHED"
    assert found.data.params["optimizer_name"] == "Adam", found.data.params
    assert float(found.data.params["lr"]) == 0.01, found.data.params
    assert found.data.params["epochs"] == str(EPOCHS), found.data.params
    losses = [point.value for point in client.get_metric_history(run.info.run_id, "train_loss_epoch")]
    assert len(losses) == EPOCHS and losses[-1] < losses[0] / 2, losses
    assert "model_summary.txt" in {file.path for file in client.list_artifacts(run.info.run_id)}
    loaded = mlflow.pytorch.load_model(f"runs:/{run.info.run_id}/model")
    with torch.no_grad():
        answers = reader.eval()(pixels)
        assert torch.allclose(loaded(pixels), answers, atol=1e-6), "the model that came back answers otherwise"
    accuracy = (answers.argmax(1) == torch.tensor(labels)).float().mean().item()
    assert accuracy > 0.9, accuracy
    return run.info.run_id


def main():
    mlflow.set_experiment("clients/torch")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"run_id": trained(), "torch": torch.__version__}, file)


main()
