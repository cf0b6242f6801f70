"""Runs the accelerator {{kernel}} on a board with PYNQ:

    overlay = pynq.Overlay("{{kernel}}.bit")
    {{kernel}} = {{class}}(overlay.{{kernel}}_0)
    {{kernel}}({{names}})
"""

import asyncio
import struct
import time

import numpy as np
import pynq


class {{class}}:
    """{{prototype}}

    Called as the C function, with numpy arrays of its types and extents. What pynq.allocate has made is used in its place,
    other arrays are copied, there and, as far as the kernel writes them, back. The end of a run is waited for by the interrupt,
    where the overlay wires it to its controller, else, and in a loop of events that runs already, by reading the status word."""

    ERRORS = {
{{errors}}
    }

    def __init__(self, ip, timeout=10.0):
        """`ip` is the accelerator in an overlay, or its MMIO; runs are given up after `timeout` seconds."""
        self.mmio = getattr(ip, "mmio", ip)
        self.irq = getattr(ip, "irq", None)
        self.waiting = None
        self.timeout = timeout
        self.cycles = None

    def __call__(self{{parameters}}):
{{body}}
    def status(self):
        return self.mmio.read(0)

    def _wait(self, seconds):
        """For the interrupt, up to so many seconds; for a moment where nothing can wait for it."""
        try:
            asyncio.get_running_loop()
            can_wait = False
        except RuntimeError:
            can_wait = self.irq is not None
        if not can_wait:
            time.sleep(20e-6)
            return
        loop = asyncio.get_event_loop()
        if self.waiting is None:
            self.waiting = loop.create_task(self.irq.wait())
        # Now and then the status word is read all the same.
        loop.run_until_complete(asyncio.wait({self.waiting}, timeout=min(seconds, 0.1)))
        if self.waiting.done():
            self.waiting = None

    @staticmethod
    def _integer(name, value, low, high):
        number = int(value)
        if number != value or not low <= number <= high:
            raise ValueError(f"{name} = {value} is no integer from {low} to {high}")
        return number

    @staticmethod
    def _holds(condition, text):
        if not condition:
            raise ValueError(f"the sizes must satisfy {text}")

    @staticmethod
    def _bits(kind, value):
        return int.from_bytes(struct.pack("<" + kind, value), "little")

    @staticmethod
    def _array(name, array, kind, shape, order, is_written):
        shape = tuple(max(extent, 0) for extent in shape)
        kind = np.dtype(kind)
        if not isinstance(array, np.ndarray) or array.dtype != kind or array.shape != shape:
            is_array = isinstance(array, np.ndarray)
            found = f"{array.dtype} of {array.shape}" if is_array else type(array).__name__
            raise ValueError(f"{name} must be an array of {kind} of {shape}, not {found}")
        if is_written and not array.flags.writeable:
            raise ValueError(f"{name} is written, and must be writeable")
        return array, kind, shape, order, is_written

    def _run(self, words, arrays):
        """Writes registers, of which `arrays` are places in memory by word, and waits for the end."""
        if self.status() & {{busy}}:
            raise RuntimeError("the accelerator is busy")
        temporary, back = [], []
        is_stuck = False
        try:
            for word, (array, kind, shape, order, is_written) in arrays.items():
                buffer = array
                in_place = array is not None and hasattr(array, "device_address") and array.flags[order + "_CONTIGUOUS"]
                if not in_place:
                    elements = max(int(np.prod(shape, dtype=np.int64)), 1)
                    buffer = pynq.allocate(shape=(elements,), dtype=kind)
                    temporary.append(buffer)
                    if array is not None:
                        buffer[: array.size] = array.flatten(order)
                        if is_written:
                            back.append((array, buffer, order))
                buffer.flush()
                address, most = buffer.device_address, {{memory_bytes}} - buffer.nbytes
                if address % {{alignment}} or address > most:
                    raise RuntimeError(f"a buffer at {address:#x} is not aligned or beyond what the accelerator addresses")
                words[word] = address
                if in_place and is_written:
                    back.append((None, buffer, order))
            for word, value in words.items():
                self.mmio.write(4 * word, value)
            self.mmio.write({{interrupt}}, {{acknowledge}})
            self.mmio.write(0, {{start}})
            end = time.monotonic() + self.timeout
            while (status := self.status()) & {{busy}}:
                left = end - time.monotonic()
                if left <= 0:
                    is_stuck = True
                    raise TimeoutError(f"not done after {self.timeout} s: status {status:#x}")
                self._wait(left)
            self.mmio.write({{interrupt}}, {{acknowledge}})
            errors = [meaning for bit, meaning in self.ERRORS.items() if status & bit]
            if errors or not status & {{done}}:
                raise RuntimeError(f"status {status:#x}: " + "; ".join(errors))
            self.cycles = self.mmio.read(4)
            for array, buffer, order in back:
                buffer.invalidate()
                if array is not None:
                    array[...] = np.asarray(buffer[: array.size]).reshape(array.shape, order=order)
        finally:
            # An accelerator that is still at work may write there.
            if not is_stuck:
                for buffer in temporary:
                    buffer.freebuffer()
