// EHXPLLL: model of ECP5's PLL, for simulation: the outputs CLKOP and CLKOS with CLKOP as the feedback, from the measured
// period of CLKI, some periods after which LOCK rises.
`default_nettype none
`timescale 1ps / 1ps

/* verilator lint_off UNUSEDPARAM */ // settings that do not change these two clocks
/* verilator lint_off UNUSEDSIGNAL */
module EHXPLLL #(
    parameter integer CLKI_DIV = 1,
    parameter integer CLKFB_DIV = 1,
    parameter integer CLKOP_DIV = 8,
    parameter integer CLKOS_DIV = 8,
    parameter integer CLKOP_CPHASE = 0,
    parameter integer CLKOP_FPHASE = 0,
    parameter integer CLKOS_CPHASE = 0,
    parameter integer CLKOS_FPHASE = 0,
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOS_ENABLE = "DISABLED",
    parameter FEEDBK_PATH = "CLKOP",
    parameter PLLRST_ENA = "DISABLED",
    parameter INTFB_WAKE = "DISABLED",
    parameter STDBY_ENABLE = "DISABLED",
    parameter DPHASE_SOURCE = "DISABLED",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD"
) (
    input  wire CLKI,
    input  wire CLKFB,
    input  wire RST,
    input  wire STDBY,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    output reg  CLKOP,
    output reg  CLKOS,
    output reg  LOCK
);

    localparam integer EDGES_TO_LOCK = 20;

    integer     edges = 0;
    reg  [63:0] last_edge = 0;
    reg  [63:0] input_period = 0;
    reg  [63:0] vco_period;
    reg  [63:0] half_period;

    // Eighths of a VCO period from CLKOP to CLKOS.
    localparam integer PHASE = 8 * (CLKOS_CPHASE - CLKOP_CPHASE) + CLKOS_FPHASE - CLKOP_FPHASE;

    initial begin
        CLKOP = 1'b0;
        CLKOS = 1'b0;
        LOCK  = 1'b0;
        if (CLKOS_DIV != CLKOP_DIV || PHASE < 0)
            $display("EHXPLLL: only outputs of one frequency are modelled");
        wait (edges == EDGES_TO_LOCK);
        // The phase comparison's period times CLKI_DIV is that of CLKI, and times CLKFB_DIV that of CLKOP.
        half_period = input_period * CLKI_DIV / CLKFB_DIV / 2;
        vco_period  = 2 * half_period / CLKOP_DIV;
        if (vco_period < 1250 || vco_period > 2500)
            $display("EHXPLLL: the VCO's period of %0d ps is out of its range", vco_period);
        LOCK = 1'b1;
        forever #(half_period) CLKOP = !CLKOP;
    end

    always @(posedge CLKI) begin
        input_period = $time - last_edge;
        last_edge    = $time;
        edges        = edges + 1;
    end

    always @(CLKOP)
        CLKOS <= #(2 * half_period * PHASE / (8 * CLKOP_DIV)) CLKOP;

endmodule
/* verilator lint_on UNUSEDSIGNAL */
/* verilator lint_on UNUSEDPARAM */

`default_nettype wire
