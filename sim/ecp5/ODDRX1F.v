// ODDRX1F: model of ECP5's output cell of two bits per clock, for simulation, for constants on D0 and D1. The pin
// follows the clock by OUTPUT_PS, the macro ECP5_OUTPUT_PS.
`default_nettype none
`timescale 1ps / 1ps

`ifndef ECP5_OUTPUT_PS
`define ECP5_OUTPUT_PS 2000
`endif

module ODDRX1F (
    input  wire D0,
    input  wire D1,
    input  wire SCLK,
    input  wire RST,
    output reg  Q
);

    localparam integer OUTPUT_PS = `ECP5_OUTPUT_PS;

    initial Q = 1'b0;

    always @(SCLK)
        Q <= #(OUTPUT_PS) (SCLK ? D0 : D1) & ~RST;

endmodule

`default_nettype wire
