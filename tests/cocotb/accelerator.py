"""An accelerator with AXI4, as `burstc build --board generic-axi4` writes it, against the models of cocotbext-axi.

The memory is its AxiRam, which pauses at random on every channel, and the registers are written by its AxiLiteMaster.
After the run, memory must be what the C program leaves: `sim/data/expected.hex` of the folder that FOLDER names.
"""

import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

CONTROL, INTERRUPT = 0, 7
DONE, MEMORY_READY = 2, 4


def image(name):
    """The bytes of a file of hex bytes."""
    return bytes.fromhex((Path(os.environ["FOLDER"]) / "sim/data" / name).read_text().replace("\n", ""))


def pauses(generator, share):
    """Endless: True, to pause, in so many of eight cycles."""
    while True:
        yield generator.randrange(8) < share


async def run(dut, seed):
    """One run from reset to done; `seed` 0 is without pauses."""
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=1 << 24)
    if seed:
        generator = random.Random(seed)
        read, write = ram.read_if, ram.write_if
        for channel in (read.ar_channel, read.r_channel, write.aw_channel, write.w_channel, write.b_channel):
            channel.set_pause_generator(pauses(generator, generator.randrange(1, 7)))
    before, expected = image("before.hex"), image("expected.hex")
    ram.write(0, before)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 10)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    for line in (Path(os.environ["FOLDER"]) / "sim/data/registers.txt").read_text().splitlines():
        word, value = (int(field, 16) for field in line.split())
        await control.write_dword(4 * word, value)
    await control.write_dword(4 * INTERRUPT, 1)
    await control.write_dword(4 * CONTROL, 1)
    await with_timeout(RisingEdge(dut.irq), 10, "ms")
    assert ram.read(0, len(expected)) == expected, "memory differs from what the C program leaves"
    assert await control.read_dword(4 * CONTROL) == DONE | MEMORY_READY
    # Half a register is no register: refused, and nothing changes.
    await control.write(4 * INTERRUPT, b"\x00")
    assert await control.read_dword(4 * INTERRUPT) == 3
    await control.write_dword(4 * INTERRUPT, 3)
    await ClockCycles(dut.clk, 1)
    assert dut.irq.value == 0


@cocotb.test()
async def without_pauses(dut):
    await run(dut, 0)


@cocotb.test()
async def with_pauses_1(dut):
    await run(dut, 1)


@cocotb.test()
async def with_pauses_2(dut):
    await run(dut, 2)


@cocotb.test()
async def with_pauses_3(dut):
    await run(dut, 3)
