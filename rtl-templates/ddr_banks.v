// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ddr_banks: the open rows of the four banks, and when a bank may be activated or precharged next.
//
// bank selects the bank to which open, match, open_row, busy_0 and busy_1 refer, and to which activate and precharge
// are commands in this cycle, in slot 1 where slot is high. busy_0 and busy_1 are low where the bank may be
// activated, if it is closed, or precharged, if it is open, in slot 0 and slot 1; any_busy_0 and any_busy_1 where
// that holds for all banks. A write command is in slot 1. T_RP and T_RCD are kept by the user of this module, in
// whose hands all commands are.
//
// Latency     one cycle from a command to the state it leaves
// Parameters  ROW_WIDTH  bits of a row
//             T_*        memory clocks
`default_nettype none

module ddr_banks #(
    parameter integer ROW_WIDTH = 12,
    parameter integer T_RCD     = 3,
    parameter integer T_RP      = 3,
    parameter integer T_RAS     = 8,
    parameter integer T_RC      = 11,
    parameter integer T_WR      = 3
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire [1:0]           bank,
    input  wire [ROW_WIDTH-1:0] row,
    output wire                 open,
    output wire                 match,
    output wire [ROW_WIDTH-1:0] open_row,
    output wire                 busy_0,
    output wire                 busy_1,
    output wire                 any_busy_0,
    output wire                 any_busy_1,

    input  wire                 activate,
    input  wire                 precharge,
    input  wire                 precharge_all,
    input  wire                 slot,
    input  wire [ROW_WIDTH-1:0] activate_row,
    input  wire                 write,
    input  wire [1:0]           write_bank
);

    generate
        if (ROW_WIDTH < 1) begin : illegal_row_width
            ddr_banks_error_ROW_WIDTH_must_be_at_least_1 stop ();
        end
        if (T_RCD < 1 || T_RCD > 30 || T_RP < 1 || T_RP > 30 || T_RAS < 1 || T_RAS > 30 || T_RC < 1 || T_RC > 30
            || T_WR < 1 || T_WR > 27) begin : illegal_timing
            ddr_banks_error_timing_is_out_of_range stop ();
        end
    endgenerate

    // From a write to the precharge: a clock to the data, two of data, T_WR. The write comes T_RCD after the activate
    // at the earliest, so what T_RAS may still ask for is known, too. A read needs no timer: its bank is precharged
    // when the segment is over, so two clocks after its last read.
    localparam integer WRITE_CLOCKS = 3 + T_WR > T_RAS - T_RCD ? 3 + T_WR : T_RAS - T_RCD;
    localparam integer BUSY_CLOCKS  = WRITE_CLOCKS > T_RAS ? WRITE_CLOCKS : T_RAS;

    localparam [BUSY_CLOCKS-1:0] RAS_WAIT   = (1 << T_RAS) - 1;
    localparam [BUSY_CLOCKS-1:0] WRITE_WAIT = (1 << WRITE_CLOCKS) - 1;

    /* verilator lint_off UNUSEDSIGNAL */ // the next command's own bank alone counts
    wire [3:0] banks_open;
    /* verilator lint_on UNUSEDSIGNAL */

    wire [3:0] row_wait_0;
    wire [3:0] row_wait_1;
    wire [3:0] cycle_wait_0;
    wire [3:0] cycle_wait_1;

    assign match      = open && (open_row == row);
    assign busy_0     = open ? row_wait_0[bank] : cycle_wait_0[bank];
    assign busy_1     = open ? row_wait_1[bank] : cycle_wait_1[bank];
    assign any_busy_0 = |row_wait_0 || |cycle_wait_0;
    assign any_busy_1 = |row_wait_1 || |cycle_wait_1;

    open_rows #(
        .ROW_WIDTH (ROW_WIDTH)
    ) u_rows (
        .clk           (clk),
        .rst           (rst),
        .bank          (bank),
        .open          (open),
        .open_row      (open_row),
        .banks_open    (banks_open),
        .activate      (activate),
        .precharge     (precharge),
        .precharge_all (precharge_all),
        .s_row         (activate_row)
    );

    genvar index;
    generate
        for (index = 0; index < 4; index = index + 1) begin : timers
            wire activate_here = activate && (bank == index);
            wire write_here    = write && (write_bank == index);

            ddr_timer #(
                .CLOCKS (BUSY_CLOCKS)
            ) u_row_timer (
                .clk         (clk),
                .rst         (rst),
                .load        (activate_here || write_here),
                .load_slot   (write_here || slot),
                .load_clocks (write_here ? WRITE_WAIT : RAS_WAIT),
                .wait_0      (row_wait_0[index]),
                .wait_1      (row_wait_1[index])
            );

            // T_RC is kept by T_RAS and T_RP where these add up to it.
            if (T_RC > T_RAS + T_RP) begin : cycle
                ddr_timer #(
                    .CLOCKS (T_RC)
                ) u_cycle_timer (
                    .clk         (clk),
                    .rst         (rst),
                    .load        (activate_here),
                    .load_slot   (slot),
                    .load_clocks ({T_RC{1'b1}}),
                    .wait_0      (cycle_wait_0[index]),
                    .wait_1      (cycle_wait_1[index])
                );
            end else begin : no_cycle
                assign cycle_wait_0[index] = 1'b0;
                assign cycle_wait_1[index] = 1'b0;
            end
        end
    endgenerate

endmodule

`default_nettype wire
