"""Waiting for a kernel's answer: found at the next look when its sign was missed, and no longer than was asked for."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import Empty
from time import monotonic

import kernel_messages
import pytest
from jupyter_client.channels import AsyncZMQSocketChannel


class Deaf:
    """A channel whose socket gets a message while it is being looked at, and does not notice before the look ends."""

    def __init__(self, after):
        self.socket, self.looks, self.comes = self, [], after

    async def poll(self, milliseconds):
        self.looks.append(milliseconds)
        await asyncio.sleep(milliseconds / 1000)
        return len(self.looks) > self.comes

    async def _recv(self):
        return {"look": len(self.looks)}


def _in_a_loop_of_its_own(answer):
    """A browser that an earlier test opened may have a loop running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answer).result()


def waited(channel, timeout):
    began = monotonic()
    return _in_a_loop_of_its_own(kernel_messages.get_msg(channel, timeout)), monotonic() - began


@pytest.mark.parametrize("timeout", [150, None])
def test_a_message_whose_sign_was_missed_is_found_at_the_next_look(monkeypatch, timeout):
    monkeypatch.setattr(kernel_messages, "INTERVAL", 0.05)
    found, seconds = waited(Deaf(after=2), timeout)
    assert found == {"look": 3} and 0.1 < seconds < 10


def test_it_waits_no_longer_than_it_was_asked_to(monkeypatch):
    monkeypatch.setattr(kernel_messages, "INTERVAL", 0.05)
    channel, began = Deaf(after=10**6), monotonic()
    with pytest.raises(Empty):
        _in_a_loop_of_its_own(kernel_messages.get_msg(channel, 0.12))
    assert 0.1 < monotonic() - began < 10 and sum(channel.looks) <= 120


def test_a_look_without_waiting_is_one_look():
    found, _ = waited(Deaf(after=0), 0)
    assert found == {"look": 1}


def test_the_extension_puts_it_into_the_channels_of_kernels(monkeypatch):
    monkeypatch.setattr(AsyncZMQSocketChannel, "get_msg", AsyncZMQSocketChannel.get_msg)
    kernel_messages.setup(None)
    assert AsyncZMQSocketChannel.get_msg is kernel_messages.get_msg
