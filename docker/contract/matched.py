"""Objects of images by what the frozen manifest says: which entries of which annotation files are theirs, and what classes are
called. Nothing is matched here, so a training learns from what the platform's validation counted."""

from dataclasses import replace

import coco
import voc
import yolo
from annotations import Found, Thing
from turned import upright


def says_matches(entries):
    """False of a manifest that was frozen before manifests said how files annotate, and of one without annotations."""
    return any("annotation" in entry for entry in entries.values())


def read_matched(root, entries):
    """``Found``. ``entries``: the files of the manifest by path."""
    files = {path: entry["annotation"] for path, entry in sorted(entries.items()) if "annotation" in entry}
    images, lying = images_of(entries)
    found = Found()
    labels = yolo.Labels(files.values(), found)
    readers = {"coco": coco.read_matched, "voc": voc.read_matched, "yolo": labels.read}
    for path, file in files.items():
        # Configurations, names of classes and lists of images have said their part in the manifest.
        if file["kind"] not in readers:
            continue
        own = replace(found, objects={})
        readers[file["kind"]](root, path, file, images.get(path, {}), own, Thing)
        for place, things in own.objects.items():
            merge(found.image(place), upright(root, place, things) if (path, place) in lying else things)
        found.unmatched, found.keypoints = own.unmatched, own.keypoints
    return found


def images_of(entries):
    """Paths of images by annotation file and position in it, and which of them a file describes in stored pixels."""
    images, lying = {}, set()
    for place, entry in sorted(entries.items()):
        for path, position, *coordinates in entry.get("entries", ()):
            images.setdefault(path, {})[position] = place
            if coordinates == ["stored"]:
                lying.add((path, place))
    return images, lying


def merge(things, more):
    earlier = {(known.label, known.box): at for at, known in enumerate(things)}
    for made in more:
        coco.keep(things, earlier, made)
