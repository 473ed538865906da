"""Objects of images from COCO, YOLO and Pascal VOC files, in one shape."""

from dataclasses import dataclass, field

import coco
import voc
import yolo
from matching import Images
from parts import BadDataset


@dataclass
class Found:
    """What annotation files hold. ``objects``: by path of the image; images with none stand there with an empty list."""

    objects: dict = field(default_factory=dict)
    classes: list = field(default_factory=list)
    keypoints: list = field(default_factory=list)
    unmatched: int = 0
    #: Annotation files that the validation read and the program cannot.
    unread: list = field(default_factory=list)

    def image(self, path):
        return self.objects.setdefault(path, [])

    def name_class(self, name):
        if name not in self.classes:
            self.classes.append(name)
        return name


@dataclass(frozen=True)
class Thing:
    """One object. ``box``: x1, y1, x2, y2; ``outline``: lists of x, y, x, y, ... or a COCO run-length mask; ``points``:
    rows of x, y, visibility (0 absent, 1 hidden, 2 seen). Lengths are pixels, or parts of the image when ``relative``."""

    label: str
    box: tuple
    outline: object = None
    points: tuple | None = None
    crowd: bool = False
    relative: bool = False


def read_annotations(root, paths):
    """``Found``, or None where no file annotates: the folders of the images are their classes then. For manifests that were frozen
    before they said which entries are of which image (`matched.py`): their images are found by rules of our own.

    @raises BadDataset for files of two formats
    """
    images, found = Images(paths), Found()
    readers = {"COCO": coco.read, "Pascal VOC": voc.read, "YOLO": yolo.read}
    formats = [name for name, read in readers.items() if read(root, paths, images, found, Thing)]
    if len(formats) > 1:
        raise BadDataset(f"annotations of {' and '.join(formats)} at once: nobody could say which of them counts")
    return found if formats else None
