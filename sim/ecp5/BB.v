// BB: model of ECP5's bidirectional pad, for simulation.
`default_nettype none
`timescale 1ps / 1ps

module BB (
    input  wire I,
    input  wire T,
    output wire O,
    inout  wire B
);

    assign B = T ? 1'bz : I;
    assign O = B;

endmodule

`default_nettype wire
