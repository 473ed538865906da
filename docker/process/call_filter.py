"""Closes the ways around Landlock's rule for connections, by a filter of system calls (seccomp): Landlock looks at
``connect`` on sockets of plain TCP alone. Multipath TCP speaks with every TCP server, the first packet of TCP Fast Open
connects by being sent, ``io_uring`` works without calls that a filter sees, and other families (vsock) leave the machine
too. What is left are sockets of the file system, netlink, plain TCP and UDP. A filter needs no rights once
``no_new_privs`` is set, and all descendants inherit it. Standard library only.
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from process_tree import LIBC, LINUX  # noqa: E402

PR_SET_SECCOMP, MODE_FILTER = 22, 2
ALLOW, ERROR = 0x7FFF0000, 0x00050000
LOAD, RETURN, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
# Offsets in struct seccomp_data; of an argument its lower half, which is all that the kernel uses of these.
NUMBER, ARCHITECTURE = 0, 4
FIRST_ARGUMENT, ARGUMENT_SIZE = 16, 8
# Calls of another calling convention of the same machine (x32) are counted from here on.
OTHER_CONVENTION = 0x40000000
SEND_FAST_OPEN = 0x20000000
FAMILIES = [socket.AF_UNIX, 16]  # 16: netlink, by which name look-ups ask for the machine's addresses
PROTOCOLS = [0, socket.IPPROTO_TCP, socket.IPPROTO_UDP]
# Architecture as the kernel names it, then numbers of socket, sendto, sendmsg, sendmmsg; by platform.machine().
MACHINES = {
    "x86_64": (0xC000003E, 41, 44, 46, 307),
    "aarch64": (0xC00000B7, 198, 206, 211, 269),
}
IO_URING_SETUP = 425


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def is_known():
    """Whether this kernel takes filters, and this program knows its calls."""
    if not LINUX or platform.machine() not in MACHINES:
        return False
    return LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, None, 0, 0) != 0 and ctypes.get_errno() == errno.EFAULT


def load(offset):
    return [(LOAD, 0, 0, offset)]


def argument(index):
    return load(FIRST_ARGUMENT + ARGUMENT_SIZE * index)


def answer(what):
    return [(RETURN, 0, 0, what)]


def when(test, value, steps):
    """``steps`` where the test of the loaded value holds; they must end with an answer."""
    return [(test, 0, len(steps), value), *steps]


def steps_of(machine):
    architecture, open_socket, send_to, send_message, send_messages = MACHINES[machine]
    refuse, unknown, allow = answer(ERROR | errno.EACCES), answer(ERROR | errno.ENOSYS), answer(ALLOW)
    by_protocol = [step for one in PROTOCOLS for step in when(IF_EQUAL, one, allow)] + refuse
    inet = argument(2) + by_protocol
    families = [step for one in FAMILIES for step in when(IF_EQUAL, one, allow)]
    families += [step for one in (socket.AF_INET, socket.AF_INET6) for step in when(IF_EQUAL, one, inet)]
    calls = {open_socket: argument(0) + families + refuse, IO_URING_SETUP: unknown}
    for call, flags in ((send_to, 3), (send_message, 2), (send_messages, 3)):
        calls[call] = argument(flags) + when(IF_ANY_BIT, SEND_FAST_OPEN, refuse) + allow
    steps = load(ARCHITECTURE) + [(IF_EQUAL, 1, 0, architecture)] + unknown
    steps += load(NUMBER) + when(IF_AT_LEAST, OTHER_CONVENTION, unknown)
    for call, what in calls.items():
        steps += when(IF_EQUAL, call, what)
    return steps + allow


def enter_filter():
    """Holds this process and all that it starts to the filter, for good. ``no_new_privs`` must be set."""
    steps = steps_of(platform.machine())
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = Program(len(steps), ctypes.cast(code, ctypes.c_void_p))
    if LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"The kernel refused the filter of system calls: {os.strerror(number)}")
