// SPDX-License-Identifier: MIT OR Apache-2.0
//
// beat_unpacker: takes the words of commands out of the beats of a wider bus.
//
// Latency     one cycle from a command's entry to its first word, one from a beat to its first word; none with
//             BEAT_WIDTH 0, where beats are words.
// Parameters  WORD_WIDTH    log2 of the bytes of a word
//             BEAT_WIDTH    log2 of the words of a beat, 0 to 4
//             LENGTH_WIDTH  bits of a command's length in words
//             OFFSET_WIDTH  bits of s_cmd_offset: BEAT_WIDTH, but at least 1
// Handshake   s_cmd   offset, word of the first beat where the command begins ; length, words, at least 1
//             s_beat  the beats that hold the commands' words, in order; each command begins with a new one
//             m_word  the words, in order
//
// One word per cycle, without a gap between beats or commands. s_cmd_ready and s_beat_ready follow m_word_ready in the
// same cycle, and s_beat_valid.
`default_nettype none

module beat_unpacker #(
    parameter integer WORD_WIDTH   = 2,
    parameter integer BEAT_WIDTH   = 1,
    parameter integer LENGTH_WIDTH = 10,
    parameter integer OFFSET_WIDTH = 1
) (
    input  wire                                    clk,
    input  wire                                    rst,
    input  wire                                    s_cmd_valid,
    output wire                                    s_cmd_ready,
    input  wire [OFFSET_WIDTH-1:0]                 s_cmd_offset,
    input  wire [LENGTH_WIDTH-1:0]                 s_cmd_length,
    input  wire                                    s_beat_valid,
    output wire                                    s_beat_ready,
    input  wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] s_beat_data,
    output wire                                    m_word_valid,
    input  wire                                    m_word_ready,
    output wire [(8<<WORD_WIDTH)-1:0]              m_word_data
);

    generate
        if (BEAT_WIDTH < 0 || BEAT_WIDTH > 4) begin : illegal_beat_width
            beat_unpacker_error_BEAT_WIDTH_must_be_0_to_4 stop ();
        end
        if (OFFSET_WIDTH != (BEAT_WIDTH == 0 ? 1 : BEAT_WIDTH)) begin : illegal_offset_width
            beat_unpacker_error_OFFSET_WIDTH_must_be_BEAT_WIDTH_or_1 stop ();
        end
    endgenerate

    generate
        if (BEAT_WIDTH == 0) begin : narrow
            /* verilator lint_off UNUSED */
            wire unused = &{1'b0, clk, rst, s_cmd_valid, s_cmd_offset, s_cmd_length};
            /* verilator lint_on UNUSED */
            assign s_cmd_ready  = 1'b1;
            assign s_beat_ready = m_word_ready;
            assign m_word_valid = s_beat_valid;
            assign m_word_data  = s_beat_data;
        end else begin : wide
            reg                       active_reg;
            reg [BEAT_WIDTH-1:0]      lane_reg;
            reg [LENGTH_WIDTH-1:0]    left_reg;   // words, the next included
            reg                       m_word_valid_reg;
            reg [(8<<WORD_WIDTH)-1:0] m_word_data_reg;

            wire step     = active_reg && s_beat_valid && (m_word_ready || !m_word_valid_reg);
            wire cmd_ends = left_reg == 1;

            assign s_cmd_ready  = !active_reg || (step && cmd_ends);
            assign s_beat_ready = step && (cmd_ends || &lane_reg);
            assign m_word_valid = m_word_valid_reg;
            assign m_word_data  = m_word_data_reg;

            always @(posedge clk) begin
                if (step) begin
                    m_word_data_reg <= s_beat_data[{lane_reg, {(WORD_WIDTH + 3){1'b0}}} +: 8<<WORD_WIDTH];
                end
                if (s_cmd_ready) begin
                    active_reg <= s_cmd_valid;
                    lane_reg   <= s_cmd_offset[BEAT_WIDTH-1:0];
                    left_reg   <= s_cmd_length;
                end else if (step) begin
                    lane_reg <= lane_reg + 1'b1;
                    left_reg <= left_reg - 1'b1;
                end
                if (m_word_ready || !m_word_valid_reg) begin
                    m_word_valid_reg <= step;
                end
                if (rst) begin
                    active_reg       <= 1'b0;
                    m_word_valid_reg <= 1'b0;
                end
            end
        end
    endgenerate

`ifdef FORMAL
    // A word that waits does not change.
    reg                                    started_reg = 1'b0;
    reg                                    waiting_reg = 1'b0;
    reg                                    beat_waiting_reg = 1'b0;
    reg [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] beat_data_reg;
    reg [(8<<WORD_WIDTH)-1:0]              waiting_data_reg;

    always @(posedge clk) begin
        started_reg      <= 1'b1;
        waiting_reg      <= started_reg && !rst && m_word_valid && !m_word_ready;
        waiting_data_reg <= m_word_data;
        beat_waiting_reg <= started_reg && !rst && s_beat_valid && !s_beat_ready;
        beat_data_reg    <= s_beat_data;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!beat_waiting_reg || (s_beat_valid && s_beat_data == beat_data_reg));
        if (started_reg && waiting_reg) begin
            assert (m_word_valid);
            assert (m_word_data == waiting_data_reg);
            cover (waiting_reg);
            cover (m_word_valid && m_word_ready && beat_waiting_reg);
        end
    end
`endif

endmodule

`default_nettype wire
