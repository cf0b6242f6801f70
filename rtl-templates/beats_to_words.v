// SPDX-License-Identifier: MIT OR Apache-2.0
//
// beats_to_words: the commands whose beats are under way on a wider bus, and the words that they asked for.
//
// Latency     one cycle from a beat to its first word; none with BEAT_WIDTH 0, where beats are words.
// Parameters  WORD_WIDTH    log2 of the bytes of a word
//             BEAT_WIDTH    log2 of the words of a beat, 0 to 4
//             LENGTH_WIDTH  bits of a command's length in words
//             OFFSET_WIDTH  bits of s_cmd_offset: BEAT_WIDTH, but at least 1
// Handshake   s_cmd, s_beat, m_word  as beat_unpacker's; 32 commands wait for their beats, none with BEAT_WIDTH 0, where
//                                    s_cmd_ready is always high
`default_nettype none

module beats_to_words #(
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
            beats_to_words_error_BEAT_WIDTH_must_be_0_to_4 stop ();
        end
    endgenerate

    wire                    cmd_valid;
    wire                    cmd_ready;
    wire [OFFSET_WIDTH-1:0] cmd_offset;
    wire [LENGTH_WIDTH-1:0] cmd_length;

    generate
        if (BEAT_WIDTH == 0) begin : words_are_beats
            /* verilator lint_off UNUSED */
            wire unused = &{1'b0, s_cmd_valid, s_cmd_offset, s_cmd_length, cmd_ready};
            /* verilator lint_on UNUSED */
            assign s_cmd_ready = 1'b1;
            assign cmd_valid   = 1'b0;
            assign cmd_offset  = {OFFSET_WIDTH{1'b0}};
            assign cmd_length  = {LENGTH_WIDTH{1'b0}};
        end else begin : beats_are_wider
            fifo #(
                .WIDTH (OFFSET_WIDTH + LENGTH_WIDTH),
                .DEPTH (32)
            ) u_commands (
                .clk     (clk),
                .rst     (rst),
                .s_valid (s_cmd_valid),
                .s_ready (s_cmd_ready),
                .s_data  ({s_cmd_offset, s_cmd_length}),
                .m_valid (cmd_valid),
                .m_ready (cmd_ready),
                .m_data  ({cmd_offset, cmd_length})
            );
        end
    endgenerate

    beat_unpacker #(
        .WORD_WIDTH   (WORD_WIDTH),
        .BEAT_WIDTH   (BEAT_WIDTH),
        .LENGTH_WIDTH (LENGTH_WIDTH),
        .OFFSET_WIDTH (OFFSET_WIDTH)
    ) u_words (
        .clk          (clk),
        .rst          (rst),
        .s_cmd_valid  (cmd_valid),
        .s_cmd_ready  (cmd_ready),
        .s_cmd_offset (cmd_offset),
        .s_cmd_length (cmd_length),
        .s_beat_valid (s_beat_valid),
        .s_beat_ready (s_beat_ready),
        .s_beat_data  (s_beat_data),
        .m_word_valid (m_word_valid),
        .m_word_ready (m_word_ready),
        .m_word_data  (m_word_data)
    );

endmodule

`default_nettype wire
