// SPDX-License-Identifier: MIT OR Apache-2.0
//
// sdr_banks: the open rows of the four banks of an SDR SDRAM, and when each may get its next command.
//
// bank and row are the subject of open (the bank has an open row), match (it is `row`) and busy (it must not be
// precharged if it is open, not be activated if it is closed), and of the commands activate and precharge in this cycle;
// any_busy is high while that holds for any bank. column_open and column_ready say of column_bank that its row is open,
// and may be read and written; read and write are commands to it, of two cycles of data.
//
// Latency     one cycle from a command to the state it leaves
// Parameters  ROW_WIDTH  bits of a row
//             T_*        cycles, 1 to 30
`default_nettype none

module sdr_banks #(
    parameter integer ROW_WIDTH = 13,
    parameter integer T_RCD     = 3,
    parameter integer T_RP      = 3,
    parameter integer T_RAS     = 5,
    parameter integer T_RC      = 7,
    parameter integer T_WR      = 2
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire [1:0]           bank,
    input  wire [ROW_WIDTH-1:0] row,
    output wire                 open,
    output wire                 match,
    output wire                 busy,
    output wire                 any_busy,
    input  wire                 activate,
    input  wire                 precharge,
    input  wire                 precharge_all,

    input  wire [1:0]           column_bank,
    output wire                 column_open,
    output wire                 column_ready,
    input  wire                 read,
    input  wire                 write
);

    generate
        if (ROW_WIDTH < 1) begin : illegal_row_width
            sdr_banks_error_ROW_WIDTH_must_be_at_least_1 stop ();
        end
        if (T_RCD < 1 || T_RCD > 30 || T_RP < 1 || T_RP > 30 || T_RAS < 1 || T_RAS > 30 || T_RC < 1 || T_RC > 30
            || T_WR < 1 || T_WR > 29) begin : illegal_timing
            sdr_banks_error_timing_is_out_of_range stop ();
        end
    endgenerate

    function integer larger(input integer first, input integer second);
        larger = first > second ? first : second;
    endfunction

    // T_WR counts from the second half of the data; a read's bank may be precharged when its burst is over.
    localparam integer WRITE_CLOCKS = T_WR + 1;
    localparam integer READ_CLOCKS  = 2;

    localparam integer OPEN_CLOCKS   = larger(larger(T_RAS, WRITE_CLOCKS), READ_CLOCKS);
    localparam integer CLOSED_CLOCKS = larger(T_RC, T_RP);

    // A one for every cycle after a command in which another must not follow. Waits that overlap are joined by OR.
    localparam [OPEN_CLOCKS-1:0]   RAS_WAIT   = (1 << (T_RAS - 1)) - 1;
    localparam [OPEN_CLOCKS-1:0]   WRITE_WAIT = (1 << (WRITE_CLOCKS - 1)) - 1;
    localparam [OPEN_CLOCKS-1:0]   READ_WAIT  = (1 << (READ_CLOCKS - 1)) - 1;
    localparam [CLOSED_CLOCKS-1:0] RC_WAIT    = (1 << (T_RC - 1)) - 1;
    localparam [CLOSED_CLOCKS-1:0] RP_WAIT    = (1 << (T_RP - 1)) - 1;
    localparam [T_RCD-1:0]         RCD_WAIT   = (1 << (T_RCD - 1)) - 1;

    wire [3:0]           banks_open;
    wire [ROW_WIDTH-1:0] open_row;

    wire [3:0] open_wait;
    wire [3:0] closed_wait;
    wire [3:0] column_wait;

    assign match        = open_row == row;
    assign busy         = open ? open_wait[bank] : closed_wait[bank];
    assign any_busy     = |open_wait || |(closed_wait & ~banks_open);
    assign column_open  = banks_open[column_bank];
    assign column_ready = banks_open[column_bank] && !column_wait[column_bank];

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
        .s_row         (row)
    );

    genvar index;
    generate
        for (index = 0; index < 4; index = index + 1) begin : waits
            wire activated  = activate && (bank == index);
            wire precharged = (precharge && (bank == index)) || precharge_all;
            wire is_read    = read && (column_bank == index);
            wire is_written = write && (column_bank == index);

            reg [OPEN_CLOCKS-1:0]   open_wait_reg;
            reg [CLOSED_CLOCKS-1:0] closed_wait_reg;
            reg [T_RCD-1:0]         column_wait_reg;

            assign open_wait[index]   = open_wait_reg[0];
            assign closed_wait[index] = closed_wait_reg[0];
            assign column_wait[index] = column_wait_reg[0];

            always @(posedge clk) begin
                open_wait_reg   <= (open_wait_reg >> 1)
                                 | ({OPEN_CLOCKS{activated}} & RAS_WAIT)
                                 | ({OPEN_CLOCKS{is_read}} & READ_WAIT)
                                 | ({OPEN_CLOCKS{is_written}} & WRITE_WAIT);
                closed_wait_reg <= (closed_wait_reg >> 1)
                                 | ({CLOSED_CLOCKS{activated}} & RC_WAIT)
                                 | ({CLOSED_CLOCKS{precharged}} & RP_WAIT);
                column_wait_reg <= (column_wait_reg >> 1) | ({T_RCD{activated}} & RCD_WAIT);
                if (rst) begin
                    open_wait_reg   <= {OPEN_CLOCKS{1'b0}};
                    closed_wait_reg <= {CLOSED_CLOCKS{1'b0}};
                    column_wait_reg <= {T_RCD{1'b0}};
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
