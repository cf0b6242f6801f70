// ddr_timer: counts down memory clocks in logic that runs at half their rate.
//
// It is loaded in the cycle of a command, with the number of clocks in which another must not follow, as that many
// ones: 3 clocks are 'b111. The other command may go out in slot 0 while wait_0 is low, in slot 1 while wait_1 is low.
//
// Latency     one cycle from load to wait_0 and wait_1
// Parameters  CLOCKS  the longest wait in clocks, at least 3
`default_nettype none

module ddr_timer #(
    parameter integer CLOCKS = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              load,
    input  wire              load_slot,   // of the command
    /* verilator lint_off UNUSEDSIGNAL */ // the clock of the command itself
    input  wire [CLOCKS-1:0] load_clocks,
    /* verilator lint_on UNUSEDSIGNAL */
    output wire              wait_0,
    output wire              wait_1
);

    // Bit k: a command is not allowed k clocks after slot 0 of this cycle.
    reg  [CLOCKS-2:0] waits_reg;
    wire [CLOCKS-2:0] loaded = load_slot ? load_clocks[CLOCKS-1:1] : {1'b0, load_clocks[CLOCKS-1:2]};

    assign wait_0 = waits_reg[0];
    assign wait_1 = waits_reg[1];

    always @(posedge clk)
        if (rst)
            waits_reg <= {(CLOCKS - 1){1'b0}};
        else
            waits_reg <= load ? loaded : waits_reg >> 2;

endmodule

`default_nettype wire
