"""Classification: one label for a whole image."""

import numpy
import torch
from torch.nn import functional

import plots

MAIN = "accuracy"


def loss(network, images, targets, hp):
    return functional.cross_entropy(network(images).float(), torch.stack(targets).to(images.device), label_smoothing=hp["label_smoothing"])


def predict(network, images):
    """Scores of every class, one row an image."""
    return list(network(images).float().softmax(dim=1).cpu())


class Evaluation:
    def __init__(self, labels, points, evaluation):
        self.labels, self.rows, self.truth, self.indices = labels, [], [], []

    def add(self, prediction, target, square, index):
        self.rows.append(prediction.numpy())
        self.truth.append(int(target))
        self.indices.append(index)

    def metrics(self):
        truth, rows = numpy.array(self.truth), numpy.stack(self.rows)
        matrix = self.matrix()
        hits = numpy.diag(matrix).astype(float)
        precision = hits / numpy.maximum(matrix.sum(axis=0), 1)
        recall = hits / numpy.maximum(matrix.sum(axis=1), 1)
        f1 = 2 * precision * recall / numpy.maximum(precision + recall, 1e-12)
        top5 = numpy.mean([place in row.argsort()[-5:] for place, row in zip(truth, rows, strict=True)])
        loss_value = float(-numpy.log(numpy.maximum(rows[numpy.arange(len(truth)), truth], 1e-12)).mean())
        # A class of which the part holds no image could not be recognised.
        there = matrix.sum(axis=1) > 0
        self.per_class = [{"label": name, **{key: float(values[i]) if there[i] else None for key, values in
                                            (("precision", precision), ("recall", recall), ("f1", f1))},
                           "support": int(matrix[i].sum())} for i, name in enumerate(self.labels)]
        return {"accuracy": float(hits.sum() / len(truth)), "top5_accuracy": float(top5), "precision_macro": float(precision[there].mean()),
                "recall_macro": float(recall[there].mean()), "f1_macro": float(f1[there].mean()), "loss": loss_value}

    def matrix(self):
        matrix = numpy.zeros((len(self.labels), len(self.labels)), int)
        for place, row in zip(self.truth, self.rows, strict=True):
            matrix[place, int(row.argmax())] += 1
        return matrix

    def report(self, pictures, title):
        """Files of the report by path."""
        made = plots.confusion(self.labels, self.matrix(), title, self.per_class)
        curves = [(name, *plots.curve([row[i] for row in self.rows], [place == i for place in self.truth])) for i, name in enumerate(self.labels)]
        made |= plots.precision_recall(curves)
        order = sorted(range(len(self.rows)), key=lambda at: self.rows[at][self.truth[at]])
        worst = [(self.indices[at], f"{self.labels[self.truth[at]]} read as {self.labels[int(self.rows[at].argmax())]}, "
                  f"{self.rows[at][self.truth[at]]:.2f}", float(self.rows[at][self.truth[at]]), [], []) for at in order]
        return made | plots.worst(pictures, worst)
