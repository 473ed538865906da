"""Tries what a workload must not be able to do and prints what came of it as one line of JSON."""
import errno
import json
import os
import pwd
import socket
import ssl
import struct
import sys

target = json.loads(sys.argv[1])
seen = {}


def attempt(name, action):
    try:
        seen[name] = action() or "done"
    except OSError as error:
        seen[name] = type(error).__name__


def read(path):
    with open(path, "rb") as file:
        return file.read(200).decode("latin-1")


def database():
    """What the server answers to a sign-in as the application's role without its password."""
    with socket.create_connection(("127.0.0.1", target["postgresPort"]), 5) as link:
        link.settimeout(5)
        body = struct.pack("!i", 196608) + b"user\0visionops_app\0database\0" + target["database"].encode() + b"\0\0"
        link.sendall(struct.pack("!i", len(body) + 4) + body)
        answer = link.recv(64)
        kind = answer[:1].decode()
        return "signed in" if kind == "R" and answer[5:9] == b"\0\0\0\0" else f"refused: {kind}{int.from_bytes(answer[5:9], 'big')}"


def connect(port):
    """``open``, or why the listener of that port on this machine is not reached."""
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return "open"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def ways_around(port):
    """By name what came of other ways to a listener of TCP than a connect of plain TCP."""
    address, came = ("127.0.0.1", port), {}

    def connect_by(*kind):
        with socket.socket(*kind) as link:
            link.connect(address)

    def fast_open(send):
        with socket.socket() as link:
            send(link)

    def deferred(link):
        link.setsockopt(socket.IPPROTO_TCP, tcp_fast_open_connect, 1)
        link.connect(address)

    msg_fast_open, tcp_fast_open_connect, ip_multipath = 0x20000000, 30, 262
    ways = {
        "multipath": lambda: connect_by(socket.AF_INET, socket.SOCK_STREAM, ip_multipath),
        "multipath6": lambda: connect_by(socket.AF_INET6, socket.SOCK_STREAM, ip_multipath),
        "vsock": lambda: connect_by(socket.AF_VSOCK, socket.SOCK_STREAM),
        "sendto": lambda: fast_open(lambda link: link.sendto(b"x", msg_fast_open, address)),
        "sendmsg": lambda: fast_open(lambda link: link.sendmsg([b"x"], [], msg_fast_open, address)),
        "fastOpenConnect": lambda: fast_open(deferred),
    }
    for name, way in ways.items():
        try:
            way()
            came[name] = "open"
        except OSError as error:
            came[name] = errno.errorcode.get(error.errno, str(error))
    return came


attempt("secrets", lambda: read(target["secrets"]))
attempt("etc", lambda: read(target["etc"]))
attempt("parentEnvironment", lambda: read(f"/proc/{os.getppid()}/environ"))
attempt("platformEnvironment", lambda: read(f"/proc/{target['platformPid']}/environ"))
attempt("ownSpec", lambda: read(os.path.join(os.getcwd(), "..", "spec.json")))
attempt("workloads", lambda: str(os.listdir(os.path.join(os.getcwd(), "..", ".."))))
attempt("otherTenant", lambda: str(os.listdir(target["otherWork"])))
attempt("killPlatform", lambda: os.kill(target["platformPid"], 0))
attempt("changeProgram", lambda: open(os.path.abspath(__file__), "a", encoding="ascii").close())
attempt("becomeRoot", lambda: os.setuid(0))
attempt("database", database)
attempt("lookUps", lambda: [pwd.getpwuid(0).pw_name, socket.getaddrinfo("localhost", 80, socket.AF_INET)[0][4][0],
                            ssl.create_default_context().cert_store_stats()["x509"] > 0])
seen["ports"] = {name: connect(port) for name, port in target.get("ports", {}).items()}
if "closedPort" in target:
    seen["waysAround"] = ways_around(target["closedPort"])
with open("/proc/self/status", encoding="ascii") as file:
    status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
seen["noNewPrivileges"] = status["NoNewPrivs"]
seen["capabilities"] = status["CapEff"]
seen["groups"] = status["Groups"].strip()
seen["uid"] = os.getuid()
seen["environment"] = sorted(os.environ)
print(json.dumps(seen), flush=True)
