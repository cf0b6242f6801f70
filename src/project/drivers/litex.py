"""The accelerator {{kernel}} as a module for LiteX:

    {{kernel}} = {{class}}(platform)
    {{kernel}}.add_to(soc, origin=0x9000_0000)

Its registers appear at `origin`, as {{kernel}}.h has them; its masters move arrays over the SoC's bus. A processor with a data
cache flushes it before a run, and does not keep lines of the arrays through it.
"""

import os

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal

SOURCES = """
{{sources}}
"""


class {{class}}(LiteXModule):
    """`control` is the AXI4-Lite slave with the registers, `masters` are the AXI4 masters, `ev.done` is the interrupt, which
    the driver acknowledges in the accelerator's own register."""

    BYTES = 0x400

    def __init__(self, platform):
        self.control = axi.AXILiteInterface(data_width=32, address_width=32)
        self.masters = [
            axi.AXIInterface(data_width={{data_bits}}, address_width={{address_bits}}, id_width=1) for _ in range({{count}})
        ]
        self.ev = EventManager()
        self.ev.done = EventSourceLevel()
        self.ev.finalize()
        ports = dict(i_clk=ClockSignal("sys"), i_rst=ResetSignal("sys"), o_irq=self.ev.done.trigger)
        out, into = dict(aw=("addr",), w=("data", "strb"), ar=("addr",)), dict(b=("resp",), r=("data", "resp"))
        self.join(ports, "s_axil", self.control, "io", out, into)
        ports.update(i_s_axil_awaddr=self.control.aw.addr[:10], i_s_axil_araddr=self.control.ar.addr[:10])
        address = ("id", "addr", "len", "size", "burst", "lock", "cache", "prot")
        out, into = dict(aw=address, w=("data", "strb", "last"), ar=address), dict(b=("id", "resp"), r=("id", "data", "resp", "last"))
        for name, master in zip([{{masters}}], self.masters):
            self.join(ports, name, master, "oi", out, into)
        self.specials += Instance("{{top}}", **ports)
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "rtl")
        for source in SOURCES.split():
            platform.add_source(os.path.join(folder, source))

    @staticmethod
    def join(ports, name, interface, sides, out, into):
        """Channels that lead out of the bus's master have valid on its side, others ready."""
        for channels, (forth, back) in ((out, sides), (into, sides[::-1])):
            for channel, fields in channels.items():
                endpoint = getattr(interface, channel)
                for field in ("valid", *fields):
                    ports[f"{forth}_{name}_{channel}{field}"] = getattr(endpoint, field)
                ports[f"{back}_{name}_{channel}ready"] = endpoint.ready

    def add_to(self, soc, origin, name="{{kernel}}"):
        soc.add_module(name=name, module=self)
        soc.bus.add_slave(f"{name}_registers", self.control, SoCRegion(origin=origin, size=self.BYTES, cached=False))
        for number, master in enumerate(self.masters):
            soc.bus.add_master(f"{name}_{number}", master)
        if soc.irq.enabled:
            soc.irq.add(name)
