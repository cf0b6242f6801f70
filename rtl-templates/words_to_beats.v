// SPDX-License-Identifier: MIT OR Apache-2.0
//
// words_to_beats: the stores whose words are awaited, and the beats of a bus that their words fill.
//
// Latency     one cycle from a beat's last word to m_beat_valid
// Parameters  WORD_WIDTH, BEAT_WIDTH, BURST_WIDTH, LENGTH_WIDTH  as beat_packer's
// Handshake   s_cmd, s_word, m_beat  as beat_packer's; 8 commands wait for their words
`default_nettype none

module words_to_beats #(
    parameter integer WORD_WIDTH   = 2,
    parameter integer BEAT_WIDTH   = 1,
    parameter integer BURST_WIDTH  = 8,
    parameter integer LENGTH_WIDTH = 10
) (
    input  wire                                    clk,
    input  wire                                    rst,
    input  wire                                    s_cmd_valid,
    output wire                                    s_cmd_ready,
    input  wire [BURST_WIDTH+BEAT_WIDTH-1:0]       s_cmd_place,
    input  wire [LENGTH_WIDTH-1:0]                 s_cmd_length,
    input  wire                                    s_word_valid,
    output wire                                    s_word_ready,
    input  wire [(8<<WORD_WIDTH)-1:0]              s_word_data,
    input  wire [(1<<WORD_WIDTH)-1:0]              s_word_strobe,
    output wire                                    m_beat_valid,
    input  wire                                    m_beat_ready,
    output wire [(8<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_beat_data,
    output wire [(1<<(WORD_WIDTH+BEAT_WIDTH))-1:0] m_beat_strobe,
    output wire                                    m_beat_last,
    output wire                                    m_beat_cmd_last
);

    generate
        if (BEAT_WIDTH < 0 || BEAT_WIDTH > 4) begin : illegal_beat_width
            words_to_beats_error_BEAT_WIDTH_must_be_0_to_4 stop ();
        end
    endgenerate

    localparam integer PLACE_WIDTH = BURST_WIDTH + BEAT_WIDTH;

    wire                    cmd_valid;
    wire                    cmd_ready;
    wire [PLACE_WIDTH-1:0]  cmd_place;
    wire [LENGTH_WIDTH-1:0] cmd_length;

    fifo #(
        .WIDTH (PLACE_WIDTH + LENGTH_WIDTH),
        .DEPTH (8)
    ) u_commands (
        .clk     (clk),
        .rst     (rst),
        .s_valid (s_cmd_valid),
        .s_ready (s_cmd_ready),
        .s_data  ({s_cmd_place, s_cmd_length}),
        .m_valid (cmd_valid),
        .m_ready (cmd_ready),
        .m_data  ({cmd_place, cmd_length})
    );

    beat_packer #(
        .WORD_WIDTH   (WORD_WIDTH),
        .BEAT_WIDTH   (BEAT_WIDTH),
        .BURST_WIDTH  (BURST_WIDTH),
        .LENGTH_WIDTH (LENGTH_WIDTH)
    ) u_beats (
        .clk             (clk),
        .rst             (rst),
        .s_cmd_valid     (cmd_valid),
        .s_cmd_ready     (cmd_ready),
        .s_cmd_place     (cmd_place),
        .s_cmd_length    (cmd_length),
        .s_word_valid    (s_word_valid),
        .s_word_ready    (s_word_ready),
        .s_word_data     (s_word_data),
        .s_word_strobe   (s_word_strobe),
        .m_beat_valid    (m_beat_valid),
        .m_beat_ready    (m_beat_ready),
        .m_beat_data     (m_beat_data),
        .m_beat_strobe   (m_beat_strobe),
        .m_beat_last     (m_beat_last),
        .m_beat_cmd_last (m_beat_cmd_last)
    );

endmodule

`default_nettype wire
