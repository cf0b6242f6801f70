"""The class for PYNQ against the accelerator's Verilog and the kernel itself (KERNEL)."""

import asyncio
import ctypes
import os
import types

import numpy as np
import pynq
from blend_pynq_driver import Blend

kernel = ctypes.CDLL(os.environ["KERNEL"]).blend
POINTER = ctypes.c_void_p
kernel.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_float, ctypes.c_int8, ctypes.c_bool, POINTER, POINTER, POINTER]
pynq.memory()
pynq.MODEL.model_reset()
blend = Blend(types.SimpleNamespace(mmio=pynq.MMIO(0x43C00000, 1024)))
random = np.random.default_rng(1)


def data(N, M, make=np.zeros):
    arrays = make((N, M), dtype=np.uint8), make((N,), dtype=np.float32), make((M,), dtype=np.int64)
    arrays[0][...] = random.integers(0, 256, (N, M))
    arrays[1][...] = random.standard_normal(N)
    arrays[2][...] = random.integers(-(2**60), 2**60, M)
    return arrays


def check(N, M, arrays, inverted):
    copies = [np.array(array) for array in arrays]
    blend(N, M, 1.7, -5, inverted, *arrays)
    kernel(N, M, 1.7, -5, inverted, *[copy.ctypes.data for copy in copies])
    for array, copy in zip(arrays, copies):
        assert np.array_equal(array, copy), (array, copy)
    assert blend.cycles > 0


def refuses(error, text, call):
    try:
        call()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(f"not refused: {text}")


check(8, 6, data(8, 6), False)
check(33, 40, data(33, 40), True)
check(0, 2, data(0, 2), True)
assert pynq.given == []
pynq.free[0] = 0

# By the interrupt, which is acknowledged; in a loop of events that runs, by the status word.
polled, line = blend, pynq.Interrupt()
blend = Blend(types.SimpleNamespace(mmio=polled.mmio, irq=line))
for run in range(1, 4):
    check(33, 40, data(33, 40), True)
    assert line.waits == run and blend.waiting is None and pynq.MODEL.model_interrupt(100) == 0
    pynq.free[0] = 0


async def inside():
    check(8, 6, data(8, 6), False)


asyncio.new_event_loop().run_until_complete(inside())
assert line.waits == 3 and pynq.MODEL.model_interrupt(100) == 0
pynq.free[0] = 0
blend = polled
check(16, 8, data(16, 8, lambda shape, dtype: pynq.allocate(shape, dtype)), True)
# Columns of another array: they are copied, both ways.
a, b, c = data(8, 6)
check(8, 6, (np.zeros((8, 12), np.uint8)[:, ::2], b, np.zeros(12, np.int64)[::2]), False)
pynq.free[0] = 0

refuses(ValueError, "N = 65 is no integer from 0 to 64", lambda: blend(65, 6, 1, 1, False, a, b, c))
refuses(ValueError, "M = 1 is no integer from 2 to 40", lambda: blend(8, 1, 1, 1, False, a, b, c))
refuses(ValueError, "N = 8.5 is no integer", lambda: blend(8.5, 6, 1, 1, False, a, b, c))
refuses(ValueError, "lambda = 128 is no integer from -128 to 127", lambda: blend(8, 6, 1, 128, False, a, b, c))
refuses(ValueError, "a must be an array of uint8 of (8, 6), not uint8 of (6, 8)", lambda: blend(8, 6, 1, 1, False, a.T, b, c))
refuses(ValueError, "b must be an array of float32 of (8,), not float64 of (8,)", lambda: blend(8, 6, 1, 1, False, a, b.astype(float), c))
refuses(ValueError, "c must be an array of int64 of (6,), not list", lambda: blend(8, 6, 1, 1, False, a, b, [1] * 6))
frozen = c.copy()
frozen.flags.writeable = False
refuses(ValueError, "c is written", lambda: blend(8, 6, 1, 1, False, a, b, frozen))
pynq.memory(64)
refuses(RuntimeError, "DECERR to a write", lambda: blend(8, 6, 1, 1, False, a, b, c))
pynq.memory()
pynq.free[0] = 0
pynq.MODEL.model_hang(1)
blend.timeout = 0.05
refuses(TimeoutError, "not done after 0.05 s: status 0x5", lambda: blend(8, 6, 1, 1, False, a, b, c))
refuses(RuntimeError, "the accelerator is busy", lambda: blend(8, 6, 1, 1, False, a, b, c))
print("all is well")
