"""The networks of this runtime, made from the architecture files of the package without weights; names are those of the catalog."""

import offline

import torch
import ultralytics
from torch import nn
from torch.nn import functional
from torchvision.ops import batched_nms
from ultralytics.cfg import get_cfg
from ultralytics.nn.tasks import ClassificationModel, DetectionModel, OBBModel, PoseModel, SegmentationModel
from ultralytics.utils.metrics import batch_probiou

import classify
import oriented

offline.restore()

FLAVOUR = "visionops_ultralytics"
VERSIONS = {"ultralytics_version": ultralytics.__version__}
#: How each task is trained and judged; the others are about objects: `detect.py`.
PROGRAMS = {"classification": classify, "obb": oriented}
NETWORKS = {"detection": DetectionModel, "instance_segmentation": SegmentationModel, "pose": PoseModel, "obb": OBBModel}

LEAST_SCORE, MOST_OVERLAP, MOST_OBJECTS = 0.01, 0.6, 100
#: Pixels of an image that are one of the masks it is trained with.
MASK_RATIO = 4


def create(task, name, hp, classes, points=0):
    """A network for ``classes`` classes."""
    options = {"cfg": f"{name}.yaml", "nc": classes, "verbose": False}
    if task == "classification":
        return steady(Classifier(ClassificationModel(**options)))
    if task == "pose":
        options["data_kpt_shape"] = (points, 3)
    network = NETWORKS[task](**options)
    network.args = get_cfg(overrides={"overlap_mask": False})
    return steady(Objects(network, task))


def steady(network):
    """With a momentum of 0.03 running means lag behind a short training from scratch."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 0.1
    return network


def parameter_count(network):
    return sum(parameter.numel() for parameter in network.parameters())


class Classifier(nn.Module):
    """Logits of images of 0..1, in training and in evaluation."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images):
        answer = self.network(images)
        return answer if self.training else answer[1]


class Objects(nn.Module):
    """Asked as TorchVision's detectors are: a list of images of 0..1 with targets gives losses, without targets the objects.

    Boxes are left, top, right, bottom in pixels; labels count from 1.
    """

    def __init__(self, network, task):
        super().__init__()
        self.network, self.task = network, task

    def forward(self, images, targets=None):
        batch = torch.stack(images)
        if targets is not None:
            return self.losses(batch, targets)
        answer = self.network(batch)[0]
        answer, prototypes = answer if self.task == "instance_segmentation" else (answer, None)
        return [self.found(one, batch.shape[-1], None if prototypes is None else prototypes[place]) for place, one in enumerate(answer)]

    def losses(self, batch, targets):
        size = batch.shape[-1]
        given = {"img": batch, "batch_idx": torch.cat([torch.full((len(one["labels"]),), place, device=batch.device) for place, one in enumerate(targets)]),
                 "cls": torch.cat([one["labels"] for one in targets]).float() - 1}
        boxes = torch.cat([one["boxes"] for one in targets])
        given["bboxes"] = torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], dim=1) / size
        if self.task == "instance_segmentation":
            masks = torch.cat([one["masks"] for one in targets]).float()
            given["masks"] = (functional.avg_pool2d(masks.unsqueeze(1), MASK_RATIO).squeeze(1) >= 0.5).float()
        if self.task == "pose":
            points = torch.cat([one["keypoints"] for one in targets])
            given["keypoints"] = torch.cat([points[..., :2] / size, points[..., 2:]], dim=-1)
        if self.task == "obb":
            turned = turned_of(torch.cat([one["corners"] for one in targets]))
            given["bboxes"] = torch.cat([turned[:, :4] / size, turned[:, 4:]], dim=1)
        return {"loss": self.network.loss(given)[0].sum() / len(batch)}

    def found(self, answer, size, prototypes):
        """``answer``: box, scores of all classes and what the task adds, one column for each place of the image."""
        classes = self.network.model[-1].nc
        scores, labels = answer[4:4 + classes].max(dim=0)
        sure = (scores > LEAST_SCORE).nonzero().squeeze(1)
        boxes, scores, labels, more = answer[:4, sure].T, scores[sure], labels[sure], answer[4 + classes:, sure].T
        corners = corners_of(torch.cat([boxes, more], dim=1)) if self.task == "obb" else None
        if corners is None:
            flat = torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], dim=1).clamp(0, size)
            kept = batched_nms(flat, scores, labels, MOST_OVERLAP)[:MOST_OBJECTS]
        else:
            flat = torch.cat([corners.amin(dim=1), corners.amax(dim=1)], dim=1)
            kept = apart(torch.cat([boxes, more], dim=1), scores, labels)[:MOST_OBJECTS]
        made = {"boxes": flat[kept], "labels": labels[kept] + 1, "scores": scores[kept]}
        if corners is not None:
            made["corners"] = corners[kept]
        if self.task == "pose":
            made["keypoints"] = more[kept].reshape(-1, *self.network.kpt_shape)
        if self.task == "instance_segmentation":
            made["masks"] = masks_of(more[kept], prototypes, made["boxes"], size)
        return made


def apart(turned, scores, labels):
    """Places of turned boxes that no surer one of the same class overlaps."""
    order = scores.argsort(descending=True)
    same = labels[order].unsqueeze(0) == labels[order].unsqueeze(1)
    overlap = (batch_probiou(turned[order], turned[order]) * same).triu(diagonal=1)
    return order[((overlap > MOST_OVERLAP).sum(dim=0) == 0).nonzero().squeeze(1)]


def masks_of(coefficients, prototypes, boxes, size):
    """Probability of each pixel, objects x 1 x size x size; 0 outside of the box."""
    large = functional.interpolate(prototypes.unsqueeze(0), size=(size, size), mode="bilinear", align_corners=False)[0]
    fine = (coefficients @ large.flatten(1)).reshape(-1, size, size).sigmoid()
    place = torch.arange(size, device=boxes.device, dtype=boxes.dtype)
    left, top, right, bottom = (side.reshape(-1, 1) for side in boxes.unbind(dim=1))
    columns, rows = (place >= left) & (place < right), (place >= top) & (place < bottom)
    return (fine * rows.unsqueeze(2) * columns.unsqueeze(1)).unsqueeze(1)


def corners_of(turned):
    """Corners, N x 4 x 2, of boxes of centre, width, height and angle."""
    cosine, sine = turned[:, 4].cos(), turned[:, 4].sin()
    along = torch.stack([turned[:, 2] / 2 * cosine, turned[:, 2] / 2 * sine], dim=1)
    across = torch.stack([-turned[:, 3] / 2 * sine, turned[:, 3] / 2 * cosine], dim=1)
    centre = turned[:, :2]
    return torch.stack([centre - along - across, centre + along - across, centre + along + across, centre - along + across], dim=1)


def turned_of(corners):
    """Centre, width, height and angle (0 to a right angle) of the smallest rectangle around four corners each."""
    rows = [oriented.rectangle(one) for one in corners.detach().cpu().numpy()]
    return torch.tensor(rows, dtype=torch.float32, device=corners.device).reshape(-1, 5)
