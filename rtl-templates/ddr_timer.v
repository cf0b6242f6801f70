// SPDX-License-Identifier: MIT OR Apache-2.0
//
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

    generate
        if (CLOCKS < 3) begin : illegal_clocks
            ddr_timer_error_CLOCKS_must_be_at_least_3 stop ();
        end
    endgenerate

    // Bit k: a command is not allowed k clocks after slot 0 of this cycle.
    reg  [CLOCKS-2:0] waits_reg;
    wire [CLOCKS-2:0] loaded = load_slot ? load_clocks[CLOCKS-1:1] : {1'b0, load_clocks[CLOCKS-1:2]};

    assign wait_0 = waits_reg[0];
    assign wait_1 = waits_reg[1];

    always @(posedge clk) begin
        waits_reg <= load ? loaded : waits_reg >> 2;
        if (rst) begin
            waits_reg <= {(CLOCKS - 1){1'b0}};
        end
    end

`ifdef FORMAL
    // Both waits are what the clocks since the last load say.
    localparam [15:0] LIMIT = CLOCKS;

    reg        started_reg = 1'b0;
    reg [15:0] since_reg;       // clocks from the command to slot 0 of this cycle, up to the limit
    reg [15:0] wanted_reg;      // clocks that another must keep

    integer    ones;
    reg [15:0] counted;

    always @* begin
        counted = 16'd0;
        for (ones = 0; ones < CLOCKS; ones = ones + 1)
            counted = counted + {15'd0, load_clocks[ones]};
    end

    always @(posedge clk) begin
        started_reg <= 1'b1;
        if (load) begin
            since_reg  <= load_slot ? 16'd1 : 16'd2;
            wanted_reg <= counted;
        end else if (since_reg < LIMIT) begin
            since_reg  <= since_reg + 16'd2;
        end
        if (rst) begin
            since_reg  <= LIMIT;
            wanted_reg <= 16'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!load || (load_clocks & (load_clocks + 1'b1)) == {CLOCKS{1'b0}});
        if (started_reg) begin
            assert (wait_0 == (since_reg < wanted_reg));
            assert (wait_1 == (since_reg + 16'd1 < wanted_reg));
            cover (wait_0 && !wait_1);
            cover (!wait_0 && wanted_reg == LIMIT);
        end
    end
`endif

endmodule

`default_nettype wire
