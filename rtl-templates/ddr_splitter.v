// ddr_splitter: cuts bursts of any length at page borders into segments of one page each.
//
// A segment is the columns m_segment_column up to, but without, m_segment_end of page m_segment_page; an end of 0 means
// 256, the end of the page.
//
// Latency     one cycle from a burst to its first segment; a segment in every cycle, also from burst to burst
// Parameters  ADDRESS_WIDTH  bits of a word address {page, column[7:0]}, at least 9
//             LENGTH_WIDTH   bits of a length in words
// Handshake   s_cmd_ready follows m_segment_ready; the segment comes from flip-flops. Nothing is accepted while enable
//             is low.
`default_nettype none

module ddr_splitter #(
    parameter integer ADDRESS_WIDTH = 22,
    parameter integer LENGTH_WIDTH  = 16
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     enable,

    input  wire                     s_cmd_valid,
    output wire                     s_cmd_ready,
    input  wire                     s_cmd_write,
    input  wire [ADDRESS_WIDTH-1:0] s_cmd_address,
    input  wire [LENGTH_WIDTH-1:0]  s_cmd_length,

    output wire                     m_segment_valid,
    input  wire                     m_segment_ready,
    output wire                     m_segment_write,
    output wire [ADDRESS_WIDTH-9:0] m_segment_page,
    output wire [7:0]               m_segment_column,
    output wire [7:0]               m_segment_end
);

    // The sum of first column and length: its low bits are the end in the last page, its high bits count the borders.
    localparam integer SUM_WIDTH  = (LENGTH_WIDTH > 8 ? LENGTH_WIDTH : 8) + 1;
    localparam integer PAGE_WIDTH = ADDRESS_WIDTH - 8;

    reg                   valid_reg;
    reg                   write_reg;
    reg  [PAGE_WIDTH-1:0] page_reg;
    reg  [7:0]            column_reg;
    reg  [7:0]            end_reg;
    reg  [SUM_WIDTH-9:0]  borders_reg;

    wire [SUM_WIDTH-1:0]  sum = {{(SUM_WIDTH - LENGTH_WIDTH){1'b0}}, s_cmd_length}
                              + {{(SUM_WIDTH - 8){1'b0}}, s_cmd_address[7:0]};

    wire in_last_page = borders_reg == 0;
    wire last_segment = in_last_page | (borders_reg == 1 && end_reg == 8'd0);

    assign s_cmd_ready      = enable & (~valid_reg | (m_segment_ready & last_segment));
    assign m_segment_valid  = valid_reg;
    assign m_segment_write  = write_reg;
    assign m_segment_page   = page_reg;
    assign m_segment_column = column_reg;
    assign m_segment_end    = in_last_page ? end_reg : 8'd0;

    always @(posedge clk) begin
        if (rst)
            valid_reg <= 1'b0;
        else if (s_cmd_ready)
            valid_reg <= s_cmd_valid;

        if (s_cmd_ready) begin
            write_reg   <= s_cmd_write;
            page_reg    <= s_cmd_address[ADDRESS_WIDTH-1:8];
            column_reg  <= s_cmd_address[7:0];
            end_reg     <= sum[7:0];
            borders_reg <= sum[SUM_WIDTH-1:8];
        end else if (m_segment_ready) begin
            page_reg    <= page_reg + 1'b1;
            column_reg  <= 8'd0;
            borders_reg <= borders_reg - 1'b1;
        end
    end

endmodule

`default_nettype wire
