"""What of PYNQ the drivers call, in front of an accelerator that Verilator has compiled (MODEL), with a memory of an array."""

import asyncio
import ctypes
import os

import numpy as np

MODEL = ctypes.CDLL(os.environ["MODEL"])
MODEL.model_memory.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
MODEL.model_read32.restype = ctypes.c_uint32
ADDRESS = 0x10000000
MEMORY = np.zeros(1 << 17, dtype=np.uint8)
free = [0]
given = []


def memory(count=MEMORY.nbytes):
    MODEL.model_memory(MEMORY.ctypes.data, ADDRESS, count)


class PynqBuffer(np.ndarray):
    """Its data are seen by the accelerator behind flush() only, and what that writes behind invalidate() only."""

    def flush(self):
        MEMORY[self.place : self.place + self.nbytes] = np.asarray(self).reshape(-1).view(np.uint8)

    def invalidate(self):
        np.asarray(self).reshape(-1).view(np.uint8)[:] = MEMORY[self.place : self.place + self.nbytes]

    @property
    def device_address(self):
        return ADDRESS + self.place

    def freebuffer(self):
        given.remove(self.place)


def allocate(shape, dtype="u4"):
    buffer = np.zeros(shape, dtype=dtype).view(PynqBuffer)
    buffer.place = free[0]
    free[0] += (buffer.nbytes + 4095) // 4096 * 4096
    assert free[0] <= MEMORY.nbytes
    given.append(buffer.place)
    return buffer


class MMIO:
    def __init__(self, base_addr, length):
        self.length = length

    def read(self, offset=0):
        assert offset % 4 == 0 and offset < self.length
        return MODEL.model_read32(offset // 4)

    def write(self, offset, data):
        assert offset % 4 == 0 and offset < self.length and 0 <= data < 1 << 32
        MODEL.model_write32(offset // 4, data)


class Interrupt:
    """The line behind the overlay's controller, which lets it come while somebody waits."""

    def __init__(self):
        self.waits = 0

    async def wait(self):
        self.waits += 1
        while not MODEL.model_interrupt(1000):
            await asyncio.sleep(0.001)
