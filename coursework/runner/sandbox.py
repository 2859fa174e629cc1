"""The walls around a submission, on Linux: what is put up before the first line of a student's code runs.

`separate` runs in the keeper, a process of the grader's that no student code enters, and gives it namespaces and a root
folder of its own; `confine` runs in the process that the keeper then forks, and gives up every right for good. Each
returns or raises; nothing is left out silently.
"""

import ctypes
import os
import struct

try:
    import resource
except ModuleNotFoundError:  # Windows, where students run `check` and nothing is graded
    resource = None

SPACES = ("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000), ("ipc", 0x8000000)
LAYERS = dict((*SPACES, ("uts", 0x4000000)))
SCRATCH = "/scratch"
# Refused outright, by number on x86_64 and on aarch64: sockets, tracing and signalling others, new namespaces and
# mounts, memory that no limit counts, keys, and doors into the kernel that a problem set has no use for.
REFUSED = """socket 41 198, socketpair 53 199, ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271,
kill 62 129, tkill 200 130, tgkill 234 131, pidfd_open 434 434, pidfd_send_signal 424 424, unshare 272 97,
setns 308 268, mount 165 40, shmget 29 194, msgget 68 186, semget 64 190, memfd_create 319 279, add_key 248 217,
request_key 249 218, keyctl 250 219, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282,
io_uring_setup 425 425"""
MACHINES = {"x86_64": (0xC000003E, 0, 155), "aarch64": (0xC00000B7, 1, 41)}  # audit number, column above, pivot_root


def _call(name, *arguments):
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)) == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def separate(layers, readable, root, scratch_bytes):
    """Put this process into namespaces of its own, and, with "mount", into a root folder that holds `readable` alone.

    A process without root's rights needs the layer "user" first, which gives it the right to make the others.
    """
    user, group = os.getuid(), os.getgid()
    for layer in layers:
        _call("unshare", LAYERS[layer])
        if layer == "user":
            maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
            for name, text in maps.items():
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
    if "mount" in layers:
        _private_root(readable, root.encode(), scratch_bytes)
        os.chdir(SCRATCH)
    else:
        os.chdir("/")


def _private_root(readable, root, scratch_bytes):
    _call("mount", None, b"/", None, 0x4000 | 0x40000, None)  # what is mounted from here on stays in this namespace
    _call("mount", b"tmpfs", root, b"tmpfs", 2 | 4, b"size=1m,mode=755")
    for path in readable:
        target = root + path.encode()
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.islink(path):  # /lib, which is usr/lib
            os.symlink(os.readlink(path).encode(), target)
        elif os.path.isdir(path):
            os.mkdir(target)
            _call("mount", path.encode(), target, None, 0x1000 | 0x4000, None)
            _read_only(target, 0x8000)
    scratch = root + SCRATCH.encode()
    os.mkdir(scratch)
    _call("mount", b"tmpfs", scratch, b"tmpfs", 2 | 4, f"size={scratch_bytes},nr_inodes=1000,mode=1777".encode())
    _read_only(root, 0)
    os.chdir(root)
    _call("syscall", MACHINES[os.uname().machine][2], b".", b".")  # pivot_root
    _call("umount2", b".", 2)


def _read_only(path, recursive):
    attributes = struct.pack("QQQQ", 1 | 2 | 4, 0, 0, 0)  # no writing, no set-uid programs, no devices
    _call("syscall", 442, -100, path, recursive, attributes, len(attributes))  # mount_setattr


def mapped_bytes():
    """How much memory this process has mapped; read before `separate`, after which nothing shows it."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def confine(user, limits, mapped, files):
    """Become `user` (None: stay), then limit this process, then give up every capability and the refused calls.

    `limits` holds cpu_seconds, memory_bytes (beyond the `mapped` ones) and file_bytes; `files` says whether files may
    be written at all: only where they land in a folder that is thrown away and whose size is bounded.
    """
    os.setsid()
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    written = limits["file_bytes"] if files else 0
    for name, most in (
        ("CPU", limits["cpu_seconds"]), ("AS", mapped + limits["memory_bytes"]), ("FSIZE", written), ("NPROC", 0),
        ("NOFILE", 64), ("CORE", 0), ("MEMLOCK", 0), ("MSGQUEUE", 0),
    ):  # fmt: skip
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    _call("prctl", 1, 9, 0, 0, 0)  # killed when the keeper ends, however it ends
    _call("prctl", 38, 1, 0, 0, 0)  # no_new_privs: no program that is started gives rights back
    _call("capset", struct.pack("Ii", 0x20080522, 0), bytes(24))
    _refuse_calls()


def _refuse_calls():
    audit, column, _ = MACHINES[os.uname().machine]
    refuse = (6, 0, 0, 0x50000 | 1)  # return EPERM
    steps = [(0x20, 0, 0, 4), (0x15, 1, 0, audit), refuse, (0x20, 0, 0, 0), (0x35, 0, 1, 0x40000000), refuse]
    for name_and_numbers in REFUSED.split(","):
        steps += [(0x15, 0, 1, int(name_and_numbers.split()[1 + column])), refuse]
    steps.append((6, 0, 0, 0x7FFF0000))  # anything else: allowed
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filter_ = struct.pack("HP", len(steps), ctypes.addressof(program))
    _call("prctl", 22, 2, filter_, 0, 0)
