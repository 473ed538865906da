"""The processes below this one, and what the kernel is asked about them. Standard library only."""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PAGE = os.sysconf("SC_PAGE_SIZE")
LINUX = sys.platform.startswith("linux")
LIBC = ctypes.CDLL(None, use_errno=True) if LINUX else None


def prctl(option, value):
    if LIBC is not None:
        LIBC.prctl(option, value, 0, 0, 0)


def drop_capabilities():
    """What is started next has none, whoever its user is: the last of them is far below 64, others are no error."""
    for capability in range(64):
        prctl(PR_CAPBSET_DROP, capability)


def stat_fields(pid):
    """Fields of /proc/PID/stat from the third on (state, ppid, ...), or None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def start_time(pid):
    """Start of a process in clock ticks since boot; with the pid it names a process once and for all."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields else 0


def descendants():
    """Every living process below this one, orphans included (they come back to the subreaper)."""
    if not LINUX:
        return []
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat_fields(name)
            if fields and fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(int(name))
    found, queue = [], [os.getpid()]
    while queue:
        for pid in children.get(queue.pop(), ()):
            found.append(pid)
            queue.append(pid)
    return found


def quick_descendants():
    """Like ``descendants`` from the kernel's child lists: cheap enough to ask twice a second, may miss one."""
    found, queue = [], [os.getpid()]
    while queue:
        pid = queue.pop()
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                    kids = [int(text) for text in file.read().split()]
                found += kids
                queue += kids
        except FileNotFoundError:
            if pid == os.getpid():
                return descendants()
        except OSError:
            pass
    return found


def resident_bytes():
    total = 0
    for pid in quick_descendants():
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                total += int(file.read().split()[1]) * PAGE
        except (OSError, IndexError):
            pass
    return total
