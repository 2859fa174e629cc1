"""Sphinx extension: look for a kernel's answer every second, because the sign that it has come may be missed.

nbclient waits for an answer by one long look at the socket, as long as a cell may take. Under load, now and then, the
sign that a message is there is lost between ZeroMQ and asyncio. The message is found when the long look ends, and the
page has waited 150 seconds for nothing. A new look finds a message that is there already.
"""

from queue import Empty
from time import monotonic

from jupyter_client.channels import AsyncZMQSocketChannel

INTERVAL = 1.0
"""Seconds from one look to the next."""


async def get_msg(self, timeout=None):
    """A message of the channel, as jupyter_client's function of this name gives it.

    Args:
        timeout: how long to wait, in seconds; None for ever.

    Raises:
        Empty: if none has come in that time.
    """
    end = None if timeout is None else monotonic() + timeout
    while True:
        left = INTERVAL if end is None else max(0.0, min(INTERVAL, end - monotonic()))
        if await self.socket.poll(int(1000 * left)):
            return await self._recv()
        if end is not None and monotonic() >= end:
            raise Empty


def setup(app):
    AsyncZMQSocketChannel.get_msg = get_msg
    return {"parallel_read_safe": True, "parallel_write_safe": True}
