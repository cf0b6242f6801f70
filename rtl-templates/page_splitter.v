// SPDX-License-Identifier: MIT OR Apache-2.0
//
// page_splitter: cuts bursts of any length at page borders into segments of one page each.
//
// A segment is the columns m_segment_column up to, but without, m_segment_end of a page: row m_segment_row of bank
// m_segment_bank. An end of 0 means 256, the end of the page.
//
// Banks are permuted: the bank is the sum, modulo 4, of the three lowest digits of the page's number to the base 4.
// Successive pages lie in different banks (but where the three digits start over), and so do successive rows of a
// matrix whose rows are 4 or 16 pages long, which would all lie in one bank if it were the lowest digit alone.
//
// Latency     one cycle from a burst to its first segment; a segment in every cycle, also from burst to burst
// Parameters  ADDRESS_WIDTH  bits of a word address {page, column[7:0]}, at least 11
//             LENGTH_WIDTH   bits of a length in words
// Handshake   s_cmd_ready follows m_segment_ready; the segment comes from flip-flops. Nothing is accepted while enable
//             is low.
`default_nettype none

module page_splitter #(
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

    output wire                      m_segment_valid,
    input  wire                      m_segment_ready,
    output wire                      m_segment_write,
    output wire [1:0]                m_segment_bank,
    output wire [ADDRESS_WIDTH-11:0] m_segment_row,
    output wire [7:0]                m_segment_column,
    output wire [7:0]                m_segment_end
);

    generate
        if (ADDRESS_WIDTH < 11) begin : illegal_address_width
            page_splitter_error_ADDRESS_WIDTH_must_be_at_least_11 stop ();
        end
        if (LENGTH_WIDTH < 1) begin : illegal_length_width
            page_splitter_error_LENGTH_WIDTH_must_be_at_least_1 stop ();
        end
    endgenerate

    // The sum of first column and length: its low bits are the end in the last page, its high bits count the borders.
    localparam integer SUM_WIDTH  = (LENGTH_WIDTH > 8 ? LENGTH_WIDTH : 8) + 1;
    localparam integer PAGE_WIDTH = ADDRESS_WIDTH - 8;

    // The three lowest digits of a page's number, as far as it has them.
    function [5:0] page_digits(input [PAGE_WIDTH-1:0] page);
        integer bit_index;
        begin
            page_digits = 6'd0;
            for (bit_index = 0; bit_index < 6 && bit_index < PAGE_WIDTH; bit_index = bit_index + 1)
                page_digits[bit_index] = page[bit_index];
        end
    endfunction

    reg                   valid_reg;
    reg                   write_reg;
    reg  [PAGE_WIDTH-1:0] page_reg;
    reg  [1:0]            bank_reg;
    reg  [7:0]            column_reg;
    reg  [7:0]            end_reg;
    reg  [SUM_WIDTH-9:0]  borders_reg;

    wire [SUM_WIDTH-1:0]  sum = {{(SUM_WIDTH - LENGTH_WIDTH){1'b0}}, s_cmd_length}
                              + {{(SUM_WIDTH - 8){1'b0}}, s_cmd_address[7:0]};

    // From a page to the next, a digit that starts over takes 3 from the sum.
    wire [5:0] s_digits = page_digits(s_cmd_address[ADDRESS_WIDTH-1:8]);
    wire [5:0] digits   = page_digits(page_reg);
    wire       carry_0  = (digits & 6'd3) == 6'd3;
    wire       carry_1  = (digits & 6'd15) == 6'd15;

    wire in_last_page = borders_reg == 0;
    wire last_segment = in_last_page || (borders_reg == 1 && end_reg == 8'd0);

    assign s_cmd_ready      = enable && (!valid_reg || (m_segment_ready && last_segment));
    assign m_segment_valid  = valid_reg;
    assign m_segment_write  = write_reg;
    assign m_segment_bank   = bank_reg;
    assign m_segment_row    = page_reg[PAGE_WIDTH-1:2];
    assign m_segment_column = column_reg;
    assign m_segment_end    = in_last_page ? end_reg : 8'd0;

    always @(posedge clk) begin
        if (s_cmd_ready) begin
            valid_reg   <= s_cmd_valid;
            write_reg   <= s_cmd_write;
            page_reg    <= s_cmd_address[ADDRESS_WIDTH-1:8];
            bank_reg    <= s_digits[1:0] + s_digits[3:2] + s_digits[5:4];
            column_reg  <= s_cmd_address[7:0];
            end_reg     <= sum[7:0];
            borders_reg <= sum[SUM_WIDTH-1:8];
        end else if (m_segment_ready) begin
            page_reg    <= page_reg + 1'b1;
            bank_reg    <= bank_reg + 2'd1 + {1'b0, carry_0} + {1'b0, carry_1};
            column_reg  <= 8'd0;
            borders_reg <= borders_reg - 1'b1;
        end

        if (rst) begin
            valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // The segments are the burst, word by word: none is lost, doubled or outside its page, and the bank is the permuted one.
    reg                     started_reg = 1'b0;
    reg                     waiting_reg = 1'b0;
    reg                     enabled_reg = 1'b0;
    reg [ADDRESS_WIDTH-1:0] next_reg;       // the word that the segment has to begin with
    reg [LENGTH_WIDTH-1:0]  left_reg;       // words of the burst from there on

    wire                     takes   = m_segment_valid && m_segment_ready;
    wire [8:0]               words   = (m_segment_end == 8'd0 ? 9'd256 : {1'b0, m_segment_end}) - {1'b0, m_segment_column};
    wire [ADDRESS_WIDTH-1:0] wide    = words;
    wire [5:0]               number  = page_digits(next_reg[ADDRESS_WIDTH-1:8]);
    wire [SUM_WIDTH-1:0]     beyond  = {borders_reg, end_reg} - {{(SUM_WIDTH - 8){1'b0}}, column_reg};

    always @(posedge clk) begin
        started_reg <= 1'b1;
        waiting_reg <= started_reg && !rst && m_segment_valid && !m_segment_ready;
        enabled_reg <= started_reg && !rst && enable;
        if (s_cmd_ready) begin
            next_reg <= s_cmd_address;
            left_reg <= s_cmd_length;
        end else if (takes) begin
            next_reg <= next_reg + wide;
            left_reg <= left_reg - words;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_cmd_valid || s_cmd_length != 0);
        assume (!m_segment_ready || m_segment_valid);
        assume (!enabled_reg || enable);
        assume ({33'd0, s_cmd_address} + {33'd0, s_cmd_length} <= 1 << ADDRESS_WIDTH);
        if (started_reg && m_segment_valid) begin
            assert (enabled_reg);
            assert (left_reg != 0);
            assert (m_segment_column == next_reg[7:0]);
            assert (page_reg == next_reg[ADDRESS_WIDTH-1:8]);
            assert (m_segment_row == next_reg[ADDRESS_WIDTH-1:10]);
            assert (m_segment_bank == number[1:0] + number[3:2] + number[5:4]);
            assert (m_segment_end == 8'd0 || m_segment_end > m_segment_column);
            assert (words <= left_reg);
            assert (last_segment == (words == left_reg));
            assert (beyond == left_reg);
            assert ({33'd0, next_reg} + {33'd0, left_reg} <= 1 << ADDRESS_WIDTH);
        end
        if (started_reg && waiting_reg) begin
            assert (m_segment_valid);
        end
        if (started_reg) begin
            cover (takes && !last_segment && m_segment_column != 8'd0);
            cover (takes && last_segment && m_segment_end == 8'd0);
            cover (takes && s_cmd_valid && s_cmd_ready);
        end
    end
`endif

endmodule

`default_nettype wire
