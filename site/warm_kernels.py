"""Kernels that begin with the libraries imported: one process imports them, and is forked for each page.

To import PyTorch and Matplotlib takes a kernel longer than most pages take to run. A forked kernel has them, and
nothing else: the book's package is imported by each page, as by a reader. `started` starts the process; a
`WarmKernelManager` then makes kernels from it, with a connection file, an environment and a folder of their own, as
Jupyter's own does.

Run as a program, this file is that process: each line of its stdin is an order in JSON, each line of its stdout the
number of the process that is now a kernel.
"""

import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
import uuid
from contextlib import contextmanager, suppress
from importlib import import_module

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

LIBRARIES = (
    "anywidget array_api_compat.numpy array_api_compat.torch ipykernel.kernelapp ipywidgets jaxtyping "
    "matplotlib.backends.backend_svg matplotlib.pyplot myst_nb.ext.glue numpy sacrebleu "
    "safetensors.torch scipy.optimize scipy.stats tokenizers torch torch._dynamo tqdm"
)
GRAMMAR = "rfc3987_syntax"
"""The grammar of addresses, which jsonschema would read where it is installed. That takes seconds; none is needed."""
INLINE = "module://matplotlib_inline.backend_inline"
"""What a kernel sets before Matplotlib is imported. The module itself is imported in the kernel, which it joins."""


class Forks:
    """The process that forks, and the pipe to it, which several threads may use."""

    def __init__(self, process):
        self.process, self.turn = process, threading.Lock()

    def fork(self, command, cwd, env):
        """A kernel that runs `command`, the command line of ``ipykernel_launcher``; the number of its process."""
        order = json.dumps({"command": [str(part) for part in command], "cwd": str(cwd), "env": dict(env)})
        with self.turn, suppress(BrokenPipeError):
            answer = ""
            self.process.stdin.write(order + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that forks kernels ended with status {self.process.wait()}")
        return int(answer)


@contextmanager
def started():
    """The `Forks` while its process runs, which ends with the block."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {**os.environ, "MPLBACKEND": INLINE}
    with subprocess.Popen([sys.executable, __file__], **pipes, env=environment) as process:
        yield Forks(process)
        with suppress(BrokenPipeError):  # what was not sent to a process that has died
            process.stdin.close()


class Forked:
    """A process that is no child of this one, with as much of `subprocess.Popen` as a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid):
        self.pid, self.returncode = pid, None

    def poll(self):
        """None while it runs; of how it ended, nothing is known."""
        if self.returncode is None:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                self.returncode = 0
        return self.returncode

    def wait(self):
        while self.poll() is None:
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class ForkingProvisioner(LocalProvisioner):
    """Jupyter's own provisioner, but for where the process comes from."""

    async def launch_kernel(self, cmd, **kwargs):
        self.process = Forked(self.parent.forks.fork(cmd, kwargs.get("cwd") or os.getcwd(), kwargs["env"]))
        self.pid = self.pgid = self.process.pid  # each leads a group of its own
        self.cwd = kwargs.get("cwd")
        return self.connection_info


class WarmKernelManager(AsyncKernelManager):
    """Manages a kernel that is forked from `forks`; `manager` makes the class for a `Forks`."""

    forks = None

    async def _async_pre_start_kernel(self, **kwargs):
        self.kernel_id = self.kernel_id or str(uuid.uuid4())
        self.provisioner = ForkingProvisioner(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**kwargs)


def manager(forks):
    """The class of kernel managers whose kernels come from `forks`: nbclient takes a class."""
    return type("ForkedKernelManager", (WarmKernelManager,), {"forks": forks})


def become_kernel(order):
    """In the child: run the kernel that the order asks for, to its end."""
    from ipykernel.kernelapp import IPKernelApp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # stdout is the pipe to whoever ordered
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    random.seed()
    sys.modules["numpy"].random.seed()  # or all kernels would draw alike where a page gives no seed
    del sys.path[0]  # the folder of this file; the kernel puts its own there
    ends_with = f"--IPKernelApp.parent_handle={os.getppid()}"  # the process that forks
    sys.argv = ["ipykernel_launcher", *order["command"][3:], ends_with]
    IPKernelApp.launch_instance()


def serve():
    """Import the libraries, then fork for each order, until stdin is closed."""
    sys.modules[GRAMMAR] = None  # hidden from jsonschema
    for name in LIBRARIES.split():
        import_module(name)
    del sys.modules[GRAMMAR]
    gc.freeze()  # what is loaded now need not be searched for garbage in each child
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets a kernel that has ended
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                become_kernel(json.loads(line))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    serve()
