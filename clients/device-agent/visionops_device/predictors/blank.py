"""A picture that every model must be able to answer."""

import struct
import zlib


def blank_picture(side=32):
    """@returns a grey PNG, made without a package for pictures"""
    row = b"\0" + b"\x80\x80\x80" * side
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * side)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
