"""Pascal VOC XML files: boxes."""

import re
import xml.etree.ElementTree as tree

from texts import text_of


#: Some programs write it elsewhere than at the start; the text is decoded already.
DECLARATION = re.compile(r"<\?xml(?=[\s?])", re.IGNORECASE)
MOST_NAME = 200


def read_matched(root, path, file, entries, found, thing):
    """Objects of a file whose image the manifest knows."""
    if not entries:
        found.unmatched += 1
        return
    document = document_of(root, path)
    if document is None:
        found.unread.append(path)
    else:
        take_objects(document, found.image(entries[0]), found, thing)


def document_of(root, path):
    """None for a file that is no annotation of Pascal VOC."""
    text = text_of(root, path)
    # Entities are the only way in which a small file becomes a large one.
    if "<!ENTITY" in text or "<!DOCTYPE" in text:
        return None
    try:
        document = tree.fromstring(DECLARATION.sub("<?declaration", text).strip())
    except tree.ParseError:
        return None
    return document if document.tag == "annotation" else None


def take_objects(document, things, found, thing):
    for entry in document.findall("object"):
        made = to_thing(entry, found, thing)
        if made is not None:
            things.append(made)


def read(root, paths, images, found, thing):
    """Reads every Pascal VOC file among ``paths`` into ``found``. Returns whether there was one. For manifests that say no matches."""
    seen = False
    for path in sorted(paths):
        if not path.lower().endswith(".xml"):
            continue
        document = document_of(root, path)
        if document is None:
            continue
        seen = True
        name = (document.findtext("filename") or "").strip()
        place = (images.named(name, path) if name else None) or images.alone(path.rpartition("/")[2])
        if place is None:
            found.unmatched += 1
            continue
        take_objects(document, found.image(place), found, thing)
    return seen


def to_thing(entry, found, thing):
    # Control characters and length as the validation has them in names.
    label, box = re.sub("[\x00-\x1f\x7f]", "?", (entry.findtext("name") or "").strip())[:MOST_NAME], entry.find("bndbox")
    if not label or box is None:
        return None
    try:
        sides = tuple(float(box.findtext(side) or "") for side in ("xmin", "ymin", "xmax", "ymax"))
    except ValueError:
        return None
    # Pixels of VOC count from 1, and the last one belongs to the box.
    return thing(found.name_class(label), (sides[0] - 1, sides[1] - 1, sides[2], sides[3]))
