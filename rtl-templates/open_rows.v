// SPDX-License-Identifier: MIT OR Apache-2.0
//
// open_rows: which of a memory's four banks have an open row, and which row that is.
//
// Latency     one cycle from a command to the state it leaves
// Parameters  ROW_WIDTH  bits of a row
// Handshake   none. open and open_row are of bank; activate opens s_row in it, precharge closes it, precharge_all closes
//             all. banks_open has a bit for each bank.
`default_nettype none

module open_rows #(
    parameter integer ROW_WIDTH = 12
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [1:0]           bank,
    output wire                 open,
    output wire [ROW_WIDTH-1:0] open_row,
    output wire [3:0]           banks_open,
    input  wire                 activate,
    input  wire                 precharge,
    input  wire                 precharge_all,
    input  wire [ROW_WIDTH-1:0] s_row
);

    generate
        if (ROW_WIDTH < 1) begin : illegal_row_width
            open_rows_error_ROW_WIDTH_must_be_at_least_1 stop ();
        end
    endgenerate

    reg [3:0]           open_reg;
    reg [ROW_WIDTH-1:0] rows [0:3];

    assign open       = open_reg[bank];
    assign open_row   = rows[bank];
    assign banks_open = open_reg;

    always @(posedge clk) begin
        if (activate) begin
            rows[bank] <= s_row;
        end
        if (precharge_all) begin
            open_reg <= 4'd0;
        end else if (activate || precharge) begin
            open_reg <= open_reg ^ (4'd1 << bank);
        end
        if (rst) begin
            open_reg <= 4'd0;
        end
    end

endmodule

`default_nettype wire
