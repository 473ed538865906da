"""Pascal VOC XML files: boxes."""

import xml.etree.ElementTree as tree

from texts import text_of


def read(root, paths, images, found, thing):
    """Reads every Pascal VOC file among ``paths`` into ``found``. Returns whether there was one."""
    seen = False
    for path in sorted(paths):
        if not path.lower().endswith(".xml"):
            continue
        text = text_of(root, path)
        # Entities are the only way in which a small file becomes a large one.
        if "<!ENTITY" in text or "<!DOCTYPE" in text:
            continue
        try:
            document = tree.fromstring(text)
        except tree.ParseError:
            continue
        if document.tag != "annotation":
            continue
        seen = True
        name = (document.findtext("filename") or "").strip()
        place = (images.named(name, path) if name else None) or images.alone(path.rpartition("/")[2])
        if place is None:
            found.unmatched += 1
            continue
        things = found.image(place)
        for entry in document.iter("object"):
            made = to_thing(entry, found, thing)
            if made is not None:
                things.append(made)
    return seen


def to_thing(entry, found, thing):
    label, box = (entry.findtext("name") or "").strip(), entry.find("bndbox")
    if not label or box is None:
        return None
    try:
        sides = tuple(float(box.findtext(side) or "") for side in ("xmin", "ymin", "xmax", "ymax"))
    except ValueError:
        return None
    # Pixels of VOC count from 1, and the last one belongs to the box.
    return thing(found.name_class(label), (sides[0] - 1, sides[1] - 1, sides[2], sides[3]))
