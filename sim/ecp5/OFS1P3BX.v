// OFS1P3BX: model of ECP5's output register with preset, for simulation. A pin follows its clock by OUTPUT_PS.
`default_nettype none
`timescale 1ps / 1ps

module OFS1P3BX (
    input  wire PD,
    input  wire D,
    input  wire SP,
    input  wire SCLK,
    output reg  Q
);

    localparam integer OUTPUT_PS = 2000;

    initial Q = 1'b1;

    always @(posedge SCLK)
        if (PD)
            Q <= #(OUTPUT_PS) 1'b1;
        else if (SP)
            Q <= #(OUTPUT_PS) D;

endmodule

`default_nettype wire
