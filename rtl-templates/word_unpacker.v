// SPDX-License-Identifier: MIT OR Apache-2.0
//
// word_unpacker: cuts the 32-bit words that hold a row of an array into the row's elements.
//
// Latency     from row to first word taken: 1 cycle; from an element's last word to m_element_valid: 1 cycle.
// Parameters  COUNT_WIDTH  bits of a row's number of elements, at least 1
// Handshake   s_row    size    log2 of an element's bytes, 0 to 3
//                      offset  byte of the first word where the first element begins: a multiple of the size, and 0
//                              for sizes 2 and 3
//                      count   elements, at least 1
//             s_word   the row's words, exactly ceil((offset + count * 2^size) / 4) of them; bytes before and after
//                      the row are dropped
//             m_element  the element, zero-extended; of a 64-bit one the low word comes first
//
// Full throughput: one element per cycle (64-bit ones: one word per cycle), no bubble inside a row nor between rows.
// m_element comes from flip-flops; s_row_ready and s_word_ready follow m_element_ready in the same cycle.
`default_nettype none

module word_unpacker #(
    parameter integer COUNT_WIDTH = 16
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_row_valid,
    output wire                   s_row_ready,
    input  wire [1:0]             s_row_size,
    input  wire [1:0]             s_row_offset,
    input  wire [COUNT_WIDTH-1:0] s_row_count,
    input  wire                   s_word_valid,
    output wire                   s_word_ready,
    input  wire [31:0]            s_word_data,
    output wire                   m_element_valid,
    input  wire                   m_element_ready,
    output wire [63:0]            m_element_data
);

    generate
        if (COUNT_WIDTH < 1) begin : illegal_count_width
            word_unpacker_error_COUNT_WIDTH_must_be_at_least_1 stop ();
        end
    endgenerate

    reg                   active_reg;
    reg [1:0]             size_reg;
    reg [1:0]             position_reg;   // byte of the word where the element begins
    reg                   high_reg;       // the high word of a 64-bit element comes next
    reg [COUNT_WIDTH-1:0] remaining_reg;  // elements, the current one included
    reg                   m_element_valid_reg;
    reg [63:0]            m_element_data_reg;

    reg [2:0]  step_bytes;
    reg [31:0] part;

    always @* begin
        case (size_reg)
            2'd0: begin
                step_bytes = 3'd1;
                part       = {24'b0, s_word_data[{position_reg, 3'b000} +: 8]};
            end
            2'd1: begin
                step_bytes = 3'd2;
                part       = {16'b0, s_word_data[{position_reg[1], 4'b0000} +: 16]};
            end
            default: begin
                step_bytes = 3'd4;
                part       = s_word_data;
            end
        endcase
    end

    wire [2:0] next_position = {1'b0, position_reg} + step_bytes;

    wire element_ends = size_reg != 2'd3 || high_reg;
    wire row_ends     = element_ends && remaining_reg == 1;
    wire word_ends    = next_position[2] || row_ends;

    wire output_moves = m_element_ready || !m_element_valid_reg;
    wire step         = active_reg && s_word_valid && output_moves;

    assign s_row_ready     = !active_reg || (step && row_ends);
    assign s_word_ready    = active_reg && output_moves && word_ends;
    assign m_element_valid = m_element_valid_reg;
    assign m_element_data  = m_element_data_reg;

    always @(posedge clk) begin
        if (s_row_ready) begin
            size_reg      <= s_row_size;
            position_reg  <= s_row_offset;
            high_reg      <= 1'b0;
            remaining_reg <= s_row_count;
        end else if (step) begin
            position_reg <= next_position[1:0];
            high_reg     <= !element_ends;
            if (element_ends) begin
                remaining_reg <= remaining_reg - 1'b1;
            end
        end
        if (step) begin
            m_element_data_reg[63:32] <= high_reg ? s_word_data : 32'b0;
            if (!high_reg) begin
                m_element_data_reg[31:0] <= part;
            end
        end
        if (s_row_ready) begin
            active_reg <= s_row_valid;
        end
        if (output_moves) begin
            m_element_valid_reg <= step && element_ends;
        end
        if (rst) begin
            active_reg          <= 1'b0;
            m_element_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // An element that waits does not change; elements stay aligned; a row never runs past its count.
    reg        started_reg = 1'b0;
    reg        waiting_reg = 1'b0;
    reg [63:0] waiting_data_reg;

    always @(posedge clk) begin
        started_reg      <= 1'b1;
        waiting_reg      <= started_reg && !rst && m_element_valid && !m_element_ready;
        waiting_data_reg <= m_element_data;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (s_row_count != 0);
        assume (s_row_size == 2'd0 || (s_row_size == 2'd1 && !s_row_offset[0]) || s_row_offset == 2'd0);
        if (started_reg) begin
            if (active_reg) begin
                assert (remaining_reg != 0);
                assert (size_reg == 2'd0 || (size_reg == 2'd1 && !position_reg[0]) || position_reg == 2'd0);
                assert (!high_reg || size_reg == 2'd3);
                assert (!high_reg || !m_element_valid);
            end
            if (waiting_reg) begin
                assert (m_element_valid);
                assert (m_element_data == waiting_data_reg);
            end
            cover (waiting_reg && high_reg == 1'b0 && size_reg == 2'd3);
            cover (m_element_valid && position_reg == 2'd3);
            cover (active_reg && high_reg);
        end
    end
`endif

endmodule

`default_nettype wire
