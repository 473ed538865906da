"""How well the model did: metrics, the confusion matrix."""

import numpy
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, precision_recall_fscore_support


def quality(part, truth, scores):
    """Metrics of one part; macro averages count every class alike of which the part holds an image."""
    predicted = scores.argmax(axis=1)
    precision, recall, f1, _ = precision_recall_fscore_support(truth, predicted, labels=numpy.unique(truth), average="macro", zero_division=0)
    return {f"{part}/accuracy": float(accuracy_score(truth, predicted)), f"{part}/precision_macro": float(precision),
            f"{part}/recall_macro": float(recall), f"{part}/f1_macro": float(f1), f"{part}/loss": loss(truth, scores)}


def loss(truth, scores):
    """Cross entropy in nats."""
    return float(log_loss(truth, scores, labels=numpy.arange(scores.shape[1])))


def per_class(labels, truth, predicted):
    precision, recall, f1, support = precision_recall_fscore_support(truth, predicted, labels=numpy.arange(len(labels)), zero_division=0)
    return [{"label": label, **{key: float(values[i]) if support[i] else None for key, values in
                               (("precision", precision), ("recall", recall), ("f1", f1))}, "support": int(support[i])}
            for i, label in enumerate(labels)]


def matrix_of(labels, truth, predicted):
    """Rows are the true classes, columns the predicted ones."""
    return confusion_matrix(truth, predicted, labels=numpy.arange(len(labels)))
