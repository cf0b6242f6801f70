// SPDX-License-Identifier: MIT OR Apache-2.0
//
// word_packer: packs the elements of a row of an array into the 32-bit words that hold it, with byte strobes.
//
// Latency     from row to first element taken: 1 cycle; from a word's last element to m_word_valid: 1 cycle.
// Parameters  COUNT_WIDTH  bits of a row's number of elements, at least 1
//             MASKED       1 where elements have a strobe, 0 where all go to memory
// Handshake   s_row      size    log2 of an element's bytes, 0 to 3
//                        offset  byte of the first word where the first element begins: a multiple of the size, and
//                                0 for sizes 2 and 3
//                        count   elements, at least 1
//             s_element  the element, in the low bits; the others are ignored; strobe, whether memory is to get it
//             m_word     the row's words, exactly ceil((offset + count * 2^size) / 4) of them; strobe marks the row's
//                        own bytes, of elements with a strobe; the others are 0; of a 64-bit element the low word comes
//                        first
//
// Full throughput: one element per cycle (64-bit ones: one word per cycle), no bubble inside a row nor between rows.
// m_word comes from flip-flops; s_row_ready and s_element_ready follow m_word_ready in the same cycle.
`default_nettype none

module word_packer #(
    parameter integer COUNT_WIDTH = 16,
    parameter integer MASKED      = 0
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   s_row_valid,
    output wire                   s_row_ready,
    input  wire [1:0]             s_row_size,
    input  wire [1:0]             s_row_offset,
    input  wire [COUNT_WIDTH-1:0] s_row_count,
    input  wire                   s_element_valid,
    output wire                   s_element_ready,
    input  wire [63:0]            s_element_data,
    input  wire                   s_element_strobe,
    output wire                   m_word_valid,
    input  wire                   m_word_ready,
    output wire [31:0]            m_word_data,
    output wire [3:0]             m_word_strobe
);

    generate
        if (COUNT_WIDTH < 1) begin : illegal_count_width
            word_packer_error_COUNT_WIDTH_must_be_at_least_1 stop ();
        end
        if (MASKED < 0 || MASKED > 1) begin : illegal_masked
            word_packer_error_MASKED_must_be_0_or_1 stop ();
        end
    endgenerate

    reg                   active_reg;
    reg [1:0]             size_reg;
    reg [1:0]             position_reg;   // byte of the word where the element begins
    reg                   high_reg;       // the high word of a 64-bit element comes next
    reg [COUNT_WIDTH-1:0] remaining_reg;  // elements, the current one included
    reg                   m_word_valid_reg;
    reg [31:0]            m_word_data_reg;   // fills up while m_word_valid_reg is low
    reg [3:0]             m_word_strobe_reg;

    reg [2:0]  step_bytes;
    reg [31:0] part;
    reg [3:0]  part_strobe;

    always @* begin
        case (size_reg)
            2'd0: begin
                step_bytes  = 3'd1;
                part        = {4{s_element_data[7:0]}};
                part_strobe = 4'b0001 << position_reg;
            end
            2'd1: begin
                step_bytes  = 3'd2;
                part        = {2{s_element_data[15:0]}};
                part_strobe = 4'b0011 << position_reg;
            end
            default: begin
                step_bytes  = 3'd4;
                part        = high_reg ? s_element_data[63:32] : s_element_data[31:0];
                part_strobe = 4'b1111;
            end
        endcase
    end

    wire [2:0] next_position = {1'b0, position_reg} + step_bytes;

    wire element_ends = size_reg != 2'd3 || high_reg;
    wire row_ends     = element_ends && remaining_reg == 1;
    wire word_ends    = next_position[2] || row_ends;

    wire output_moves = m_word_ready || !m_word_valid_reg;
    wire step         = active_reg && s_element_valid && output_moves;

    assign s_row_ready     = !active_reg || (step && row_ends);
    assign s_element_ready = active_reg && output_moves && element_ends;
    assign m_word_valid    = m_word_valid_reg;
    assign m_word_data     = m_word_data_reg;
    assign m_word_strobe   = m_word_strobe_reg;

    wire [3:0] marked_strobe = part_strobe & {4{s_element_strobe || MASKED == 0}};

    // Bytes already gathered for the word under way; a word that is complete moves out before the next begins.
    wire [3:0]  gathered_strobe = m_word_valid_reg ? 4'b0000 : m_word_strobe_reg;
    wire [31:0] gathered_data;

    genvar lane;

    generate
        for (lane = 0; lane < 4; lane = lane + 1) begin : lanes
            assign gathered_data[8*lane +: 8] = marked_strobe[lane]   ? part[8*lane +: 8]
                                              : gathered_strobe[lane] ? m_word_data_reg[8*lane +: 8]
                                              : 8'b0;
        end
    endgenerate

    always @(posedge clk) begin
        if (step) begin
            m_word_data_reg <= gathered_data;
        end
        if (s_row_ready) begin
            active_reg    <= s_row_valid;
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
        if (output_moves) begin
            m_word_valid_reg  <= step && word_ends;
            m_word_strobe_reg <= gathered_strobe | (step ? marked_strobe : 4'b0000);
        end
        if (rst) begin
            active_reg        <= 1'b0;
            m_word_valid_reg  <= 1'b0;
            m_word_strobe_reg <= 4'b0000;
        end
    end

`ifdef FORMAL
    // A word that waits does not change; elements stay aligned; a row never runs past its count; no word is without
    // a byte of its row.
    reg        started_reg = 1'b0;
    reg        waiting_reg = 1'b0;
    reg [31:0] waiting_data_reg;
    reg [3:0]  waiting_strobe_reg;

    always @(posedge clk) begin
        started_reg        <= 1'b1;
        waiting_reg        <= started_reg && !rst && m_word_valid && !m_word_ready;
        waiting_data_reg   <= m_word_data;
        waiting_strobe_reg <= m_word_strobe;
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
            end
            if (m_word_valid && MASKED == 0) begin
                assert (m_word_strobe != 4'b0000);
            end
            if (waiting_reg) begin
                assert (m_word_valid);
                assert (m_word_data == waiting_data_reg);
                assert (m_word_strobe == waiting_strobe_reg);
            end
            cover (waiting_reg && m_word_strobe == 4'b1111);
            cover (waiting_reg && m_word_strobe == 4'b0010);
            cover (active_reg && high_reg);
        end
    end
`endif

endmodule

`default_nettype wire
