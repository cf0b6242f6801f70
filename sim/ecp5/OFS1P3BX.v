// OFS1P3BX: model of ECP5's output register with preset, for simulation. A pin follows its clock by OUTPUT_PS, the macro
// ECP5_OUTPUT_PS.
`default_nettype none
`timescale 1ps / 1ps

`ifndef ECP5_OUTPUT_PS
`define ECP5_OUTPUT_PS 2000
`endif

module OFS1P3BX (
    input  wire PD,
    input  wire D,
    input  wire SP,
    input  wire SCLK,
    output reg  Q
);

    localparam integer OUTPUT_PS = `ECP5_OUTPUT_PS;

    initial Q = 1'b1;

    always @(posedge SCLK)
        if (PD)
            Q <= #(OUTPUT_PS) 1'b1;
        else if (SP)
            Q <= #(OUTPUT_PS) D;

endmodule

`default_nettype wire
