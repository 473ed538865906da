"""The networks of this runtime, made without weights; names are those of the catalog."""

import torch
import torchvision
from torch import nn
from torchvision import models as zoo
from torchvision.models import detection
from torchvision.models.detection.backbone_utils import BackboneWithFPN, resnet_fpn_backbone
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.fcos import FCOSHead
from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

import classify
import segment

FLAVOUR = "visionops_torchvision"
VERSIONS = {"torchvision_version": str(torchvision.__version__)}
#: How each task is trained and judged; the others are about objects: `detect.py`.
PROGRAMS = {"classification": classify, "semantic_segmentation": segment}

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
GROUPS = 16
SMALL_DETECTOR = "fcos_resnet18_fpn_small"


def group_norm(channels):
    """Normalises each image by itself: batches of a few images from scratch have no use for statistics of batches."""
    return nn.GroupNorm(GROUPS, channels)


class Normalised(nn.Module):
    """A network that takes images of 0..1; ``pick`` is the key of its answer where that is a dictionary."""

    def __init__(self, network, pick=None):
        super().__init__()
        self.network, self.pick = network, pick
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("deviation", torch.tensor(DEVIATION).view(1, 3, 1, 1), persistent=False)

    def forward(self, images):
        answer = self.network((images - self.mean) / self.deviation)
        return answer if self.pick is None else answer[self.pick]


def create(task, name, hp, classes, points=0):
    """A network for ``classes`` classes; those about objects count from 1 and have 0 as background."""
    if task == "classification":
        return Normalised(classifier(name, hp, classes))
    if task == "semantic_segmentation":
        return Normalised(segmenter(name, classes + 1), "out")
    return detector(name, hp, classes + 1, points)


def classifier(name, hp, classes):
    options = {"norm_layer": group_norm} if name.startswith("resnet") and hp["norm"] == "group" else {}
    network = zoo.get_model(name, weights=None, num_classes=classes, **options)
    return quick_statistics(network)


def segmenter(name, classes):
    return quick_statistics(zoo.get_model(name, weights=None, weights_backbone=None, num_classes=classes))


def quick_statistics(network):
    """With a momentum of 0.01, as MobileNets have it, running means lag so far behind a short training from scratch that
    the network is useless in evaluation though its loss is low."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 0.1
    return network


def detector(name, hp, classes, points):
    kind, _, rest = name.partition("_")
    backbone = rest.partition("_")[0]
    if name == SMALL_DETECTOR:
        return small_fcos(classes, hp)
    norm = group_norm if hp["norm"] == "group" else nn.BatchNorm2d
    size = {"min_size": hp["image_size"], "max_size": hp["image_size"]}
    if kind in ("fcos", "retinanet"):
        blocks = LastLevelP6P7(256 if kind == "fcos" else 2048 if backbone == "resnet50" else 512, 256)
        features = resnet_fpn_backbone(backbone_name=backbone, weights=None, norm_layer=norm, trainable_layers=5,
                                       returned_layers=[2, 3, 4], extra_blocks=blocks)
        made = detection.FCOS if kind == "fcos" else detection.RetinaNet
        return made(features, classes, score_thresh=0.01, **size)
    features = resnet_fpn_backbone(backbone_name=backbone, weights=None, norm_layer=norm, trainable_layers=5)
    options = {**size, "box_score_thresh": 0.01}
    if name.endswith("_small"):
        return small_two_stages(kind, features, classes, points, options)
    if kind == "fasterrcnn":
        return detection.FasterRCNN(features, classes, **options)
    if kind == "maskrcnn":
        return detection.MaskRCNN(features, classes, **options)
    return detection.KeypointRCNN(features, classes, num_keypoints=points, **options)


def small_fcos(classes, hp):
    """FCOS of half the width behind its backbone: twice as quick on a CPU, where the head takes most of the time."""
    norm = group_norm if hp["norm"] == "group" else nn.BatchNorm2d
    backbone = zoo.resnet18(weights=None, norm_layer=norm)
    width, layers = 128, {"layer2": "0", "layer3": "1", "layer4": "2"}
    features = BackboneWithFPN(backbone, layers, [128, 256, 512], width, extra_blocks=LastLevelP6P7(width, width))
    head = FCOSHead(width, 1, classes)
    return detection.FCOS(features, classes, head=head, score_thresh=0.01, min_size=hp["image_size"], max_size=hp["image_size"])


def small_two_stages(kind, features, classes, points, options):
    """Mask and Keypoint R-CNN with narrow heads, which see a quarter of a hundred places an image in training: those of the usual
    width take some 40 thousand million multiplications an image for masks and nine times as many for key points: seconds on a CPU."""
    channels, hidden = features.out_channels, 256
    heads = {"box_head": TwoMLPHead(channels * 7 * 7, hidden), "box_predictor": FastRCNNPredictor(hidden, classes), "box_batch_size_per_image": 100}
    if kind == "maskrcnn":
        width = 64
        made, parts = detection.MaskRCNN, {"mask_head": MaskRCNNHeads(channels, (width,) * 4, 1), "mask_predictor": MaskRCNNPredictor(width, width, classes)}
    else:
        width = 128
        made, parts = detection.KeypointRCNN, {"keypoint_head": KeypointRCNNHeads(channels, (width,) * 4), "keypoint_predictor": KeypointRCNNPredictor(width, points)}
    return made(features, **heads, **parts, **options)


def parameter_count(network):
    return sum(parameter.numel() for parameter in network.parameters())
