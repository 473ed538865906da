"""One agent on one folder: two would run the same commands and send the same records."""

import fcntl
import os
from contextlib import contextmanager, suppress

from .settings import BadSettings


@contextmanager
def locked(folder):
    """
    Holds ``lock`` in the folder. The system frees it however the process ends, also where it becomes another program; the
    file stays, with the last number of a process in it. @raises BadSettings naming the process that holds it
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise BadSettings(f"another agent (pid {holder}) uses this folder: {folder}") from None
        # The number is for people: a disk that is full does not keep the agent from starting.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
