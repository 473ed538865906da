"""Annotation files as text, decoded as the platform's validation does (formats/files/text-encoding.ts)."""

import codecs
import os
import re

from parts import BadDataset

#: What files of other languages declare and browsers read as something wider.
WIDER = {"iso8859-1": "windows-1252", "ascii": "windows-1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "gb2312": "gb18030",
         "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
#: Windows-1252 with a character for each byte.
WINDOWS_1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))
DECLARED = re.compile(rb"""\s*<\?xml\s[^>]{0,400}?\bencoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})["']""")


def bytes_of(root, path, most=64 << 20):
    """Bytes of an annotation file; one of more than ``most`` is refused."""
    full = os.path.join(root, path)
    if os.path.getsize(full) > most:
        raise BadDataset(f"{path} is larger than {most >> 20} MiB")
    with open(full, "rb") as file:
        return file.read()


def text_of(root, path, most=64 << 20):
    """Text by its byte order mark, the encoding that its XML declares, as UTF-8, or else as Windows-1252."""
    data = bytes_of(root, path, most)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    for encoding in (declared(data), "utf-8-sig"):
        try:
            return decoded(data, encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return decoded(data, "windows-1252")


def declared(data):
    """The encoding that an XML declaration names; text without a mark is none of UTF-16."""
    found = DECLARED.match(data[:512])
    try:
        name = codecs.lookup(found[1].decode("ascii")).name if found else "utf-8"
    except LookupError:
        return "utf-8-sig"
    return "utf-8-sig" if name.startswith("utf") else WIDER.get(name, name)


def decoded(data, encoding):
    return codecs.charmap_decode(data, "strict", WINDOWS_1252)[0] if encoding == "windows-1252" else data.decode(encoding)
