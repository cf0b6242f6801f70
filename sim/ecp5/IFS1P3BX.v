// IFS1P3BX: model of ECP5's input register with preset, for simulation. The way from the pin takes INPUT_PS, the macro
// ECP5_INPUT_PS.
`default_nettype none
`timescale 1ps / 1ps

`ifndef ECP5_INPUT_PS
`define ECP5_INPUT_PS 1000
`endif

module IFS1P3BX (
    input  wire PD,
    input  wire D,
    input  wire SP,
    input  wire SCLK,
    output reg  Q
);

    localparam integer INPUT_PS = `ECP5_INPUT_PS;

    reg arrived;

    initial Q = 1'b1;

    always @(D)
        arrived <= #(INPUT_PS) D;

    always @(posedge SCLK)
        if (PD)
            Q <= 1'b1;
        else if (SP)
            Q <= arrived;

endmodule

`default_nettype wire
