"""The staged dataset: which images, what they show, which part."""

from collections import Counter
from dataclasses import dataclass, replace

from annotations import read_annotations
from job import say
from matched import read_matched, says_matches
from matching import part_of
from parts import PART_OF_FOLDER, BadDataset
from pictures import EXTENSIONS

NEEDS = {"detection": "boxes", "instance_segmentation": "outlines or masks", "semantic_segmentation": "outlines or masks",
         "pose": "key points", "obb": "turned boxes of four corners"}


#: A pixel holds its class in a byte: 0 is background, and 255 what does not count (`IGNORE` of pixels.py).
MOST_PAINTED = 254


@dataclass(frozen=True)
class Sample:
    path: str
    #: Class of the whole image; empty for tasks about objects.
    label: str
    part: str | None
    sha256: str | None
    things: tuple = ()


def list_samples(root, manifest, task, mode, classes):
    """Samples, class names in order, and names of key points. @raises BadDataset when the task cannot be trained with them"""
    files = manifest.get("files", []) if isinstance(manifest, dict) else manifest
    entries = {entry["path"]: entry for entry in files}
    if task == "classification":
        return *folder_samples(entries, mode, classes), []
    is_matched = says_matches(entries)
    found = read_matched(root, entries) if is_matched else read_annotations(root, list(entries))
    if found is None:
        raise BadDataset(f"{task} needs {NEEDS[task]}: the dataset has no annotations of COCO, YOLO or Pascal VOC")
    if found.unmatched:
        say(f"Warning: {found.unmatched} images that the annotations name are not in the dataset, or not by these names: their objects are left out")
    if found.unread:
        say(f"Warning: {len(found.unread)} annotation files cannot be read: their objects are left out; the first is {found.unread[0]}")
    wanted = [name for name in sorted(found.classes) if not classes or name in classes]
    missing = sorted(set(classes) - set(wanted))
    if missing:
        raise BadDataset(f"no annotation names the class {missing[0]!r}")
    samples, usable = [], Counter()
    for path in sorted(found.objects):
        part = entries[path].get("split") or (None if is_matched else part_of(path))
        if mode == "existing" and part is None:
            continue
        things = tuple(thing for thing in found.objects[path] if thing.label in wanted and stays(task, thing))
        usable.update(thing.label for thing in things if fits(task, thing))
        samples.append(Sample(path, "", part, entries[path].get("sha256"), things))
    labels = [name for name in wanted if usable[name] or not usable]
    if not usable:
        raise BadDataset(f"{task} needs {NEEDS[task]}: no object of the dataset has any")
    samples = [replace(sample, things=tuple(thing for thing in sample.things if usable[thing.label])) for sample in samples]
    if task == "semantic_segmentation" and len(labels) > MOST_PAINTED:
        raise BadDataset(f"semantic segmentation distinguishes at most {MOST_PAINTED} classes, and not {len(labels)}: name some in `classes`")
    points = found.keypoints
    if task == "pose" and not points:
        most = max(len(thing.points or ()) for sample in samples for thing in sample.things)
        points = [f"point_{number + 1}" for number in range(most)]
    return samples, labels, points


def stays(task, thing):
    """An object whose key points nobody has marked is no background: its box is learned and looked for."""
    return task == "pose" or fits(task, thing)


def fits(task, thing):
    """Whether an object has what the task is about."""
    if task == "pose":
        return thing.points is not None and any(point[2] > 0 for point in thing.points)
    if task in ("instance_segmentation", "semantic_segmentation"):
        return thing.outline is not None
    if task == "obb":
        return isinstance(thing.outline, list) and len(thing.outline) == 1 and len(thing.outline[0]) == 8
    return True


def folder_samples(entries, mode, classes):
    """Class and part are the entry's; without them the first folder is the class, with mode ``existing`` the part."""
    samples = []
    for path, entry in sorted(entries.items()):
        if not path.lower().endswith(EXTENSIONS):
            continue
        folders, part = path.split("/")[:-1], entry.get("split")
        if mode == "existing" and part is None and folders:
            part, folders = PART_OF_FOLDER.get(folders[0].lower()), folders[1:]
        label = entry.get("label") or (folders[0] if folders else None)
        if label is not None and (not classes or label in classes) and (mode != "existing" or part is not None):
            samples.append(Sample(path, label, part, entry.get("sha256")))
    labels = sorted({sample.label for sample in samples})
    missing = sorted(set(classes) - set(labels))
    if missing:
        raise BadDataset(f"no image of class {missing[0]!r}: the folder of a file is its class")
    if len(labels) < 2:
        raise BadDataset(f"{len(labels)} class found, at least two are needed: the folder of a file is its class")
    return samples, labels
