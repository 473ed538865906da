"""What a program of a workload may open, by Landlock: a rule of the kernel (Linux 5.13 and later) that a process puts on
itself without any rights, and that all its descendants inherit. Beside files it closes the memory, the environment and
the open files of every process that is not below it (``/proc/PID/environ``), whoever owns them; from Linux 6.7 on also
connections (with ``call_filter.py``), and from 6.12 on signals and abstract sockets of other processes. Standard library
only.
https://docs.kernel.org/userspace-api/landlock.html
"""

import ctypes
import glob
import json
import os
import struct
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from call_filter import enter_filter, is_known  # noqa: E402
from process_tree import LIBC, LINUX  # noqa: E402

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_FOR_VERSION = 1
PATH_BENEATH, NET_PORT = 1, 2
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_DEVICE = 1 << 6 | 1 << 11
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
CONNECT_TCP = 1 << 1
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1 << 0, 1 << 1

# What programs are made of and ask the system about; nothing of the platform lies there.
SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/proc", "/sys", "/run/systemd/resolve"]
# Of /etc what the loader, the C library, TLS and Python read, by name: administrators keep secrets there, those of the
# platform among them. A rule holds the file that is there now; one that takes its place later is closed to what runs.
ETC = [
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload",
    "gai.conf", "host.conf", "hostname", "hosts", "networks", "nsswitch.conf", "protocols", "resolv.conf", "services",
    "group", "passwd",
    "locale.alias", "locale.conf", "localtime", "timezone",
    "ca-certificates", "crypto-policies", "pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf",
    "ssl/ca-bundle.pem", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf",
    "fonts", "mime.types", "os-release", "python3*",
]
DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"]


def version():
    """Of the rules that this kernel knows; 0 where it has none."""
    return max(0, LIBC.syscall(CREATE_RULESET, None, 0, ASK_FOR_VERSION)) if LINUX else 0


def closes_connections():
    """Both are needed: Landlock's rule alone can be walked around (``call_filter.py``)."""
    return version() >= 4 and is_known()


def rights_of(abi):
    """Every right over files that this kernel can take away."""
    return (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1


def interpreter_folders():
    """Where this interpreter and the libraries that it has loaded lie, on whatever system."""
    folders = {sys.base_prefix}
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            path = line.rstrip("\n").partition("/")[2]
            if path:
                folders.add(os.path.dirname("/" + path))
    return sorted(folders - {"/"})


def files_of_etc():
    return [path for name in ETC for path in glob.glob(f"/etc/{name}")]


def make_ruleset(readable, writable, ports):
    """What leaves these paths open, and what every program needs, as a file descriptor for ``enter``; None where the
    kernel has no such rules. ``ports``: TCP ports, of whatever address, that may be connected to; None: all of them."""
    abi = version()
    if abi == 0:
        return None
    every = rights_of(abi)
    network = CONNECT_TCP if abi >= 4 and ports is not None else 0
    scope = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS if abi >= 6 else 0
    attributes = struct.pack("=QQQ", every, network, scope)
    ruleset = checked(LIBC.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0), "a set of rules")
    for path in SYSTEM + files_of_etc() + interpreter_folders() + readable:
        allow(ruleset, path, READ & every)
    for path in DEVICES + writable:
        allow(ruleset, path, every & ~MAKE_DEVICE)
    for port in ports or [] if network else []:
        rule = struct.pack("=QQ", CONNECT_TCP, port)
        checked(LIBC.syscall(ADD_RULE, ruleset, NET_PORT, rule, 0), f"the rule for port {port}")
    return ruleset


def allow(ruleset, path, rights):
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not on this system
    try:
        rule = struct.pack("=Qi", rights if os.path.isdir(path) else rights & OF_A_FILE, place)
        checked(LIBC.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0), f"the rule for {path}")
    finally:
        os.close(place)


def enter(ruleset, closes=False):
    """Holds this process and all that it starts to the rules, for good. ``closes``: to the filter of calls too."""
    if ruleset is not None:
        checked(LIBC.syscall(RESTRICT_SELF, ruleset, 0), "to apply the rules")
    if closes:
        enter_filter()


def checked(answer, what):
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock refused {what}: {os.strerror(number)}")
    return answer


if __name__ == "__main__":
    print(json.dumps({"version": version(), "closesConnections": closes_connections()}))
