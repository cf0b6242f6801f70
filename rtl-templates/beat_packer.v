// SPDX-License-Identifier: MIT OR Apache-2.0
//
// beat_packer: puts the words of commands into the beats of a wider bus, with byte strobes.
//
// Latency     one cycle from a command's entry to its first word taken; one from a beat's last word to m_beat_valid.
// Parameters  WORD_WIDTH    log2 of the bytes of a word
//             BEAT_WIDTH    log2 of the words of a beat, 0 to 4
//             BURST_WIDTH   log2 of the beats of the longest burst, 1 to 8, as the burst_splitter's
//             LENGTH_WIDTH  bits of a command's length in words
// Handshake   s_cmd   place, the low bits of the command's word address; length, words, at least 1
//             s_word  its words, with byte strobes
//             m_beat  strobes mark the command's own bytes; last is high on the last beat of a burst, cmd_last on the
//                     last beat of a command
//
// One word per cycle, without a gap between beats or commands. m_beat comes from flip-flops; s_cmd_ready and
// s_word_ready follow m_beat_ready in the same cycle.
`default_nettype none

module beat_packer #(
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
            beat_packer_error_BEAT_WIDTH_must_be_0_to_4 stop ();
        end
        if (BURST_WIDTH < 1 || BURST_WIDTH > 8) begin : illegal_burst_width
            beat_packer_error_BURST_WIDTH_must_be_1_to_8 stop ();
        end
    endgenerate

    localparam integer WORDS       = 1 << BEAT_WIDTH;
    localparam integer BYTES       = 1 << WORD_WIDTH;
    localparam integer PLACE_WIDTH = BURST_WIDTH + BEAT_WIDTH;

    // The bits of a place that number the words of a beat.
    localparam [PLACE_WIDTH-1:0] LANE_MASK = ~({PLACE_WIDTH{1'b1}} << BEAT_WIDTH);

    reg                    active_reg;
    reg [PLACE_WIDTH-1:0]  place_reg;  // of the next word in its block of the longest burst
    reg [LENGTH_WIDTH-1:0] left_reg;   // words, the next included

    reg                     m_beat_valid_reg;
    reg [8*BYTES*WORDS-1:0] m_beat_data_reg;    // fills up while m_beat_valid_reg is low
    reg [BYTES*WORDS-1:0]   m_beat_strobe_reg;
    reg                     m_beat_last_reg;
    reg                     m_beat_cmd_last_reg;

    wire output_moves = m_beat_ready || !m_beat_valid_reg;
    wire step         = active_reg && s_word_valid && output_moves;
    wire cmd_ends     = left_reg == 1;
    wire beat_ends    = cmd_ends || (~place_reg & LANE_MASK) == {PLACE_WIDTH{1'b0}};

    assign s_cmd_ready     = !active_reg || (step && cmd_ends);
    assign s_word_ready    = active_reg && output_moves;
    assign m_beat_valid    = m_beat_valid_reg;
    assign m_beat_data     = m_beat_data_reg;
    assign m_beat_strobe   = m_beat_strobe_reg;
    assign m_beat_last     = m_beat_last_reg;
    assign m_beat_cmd_last = m_beat_cmd_last_reg;

    genvar lane;

    generate
        for (lane = 0; lane < WORDS; lane = lane + 1) begin : lanes
            localparam integer LANE = lane;

            wire mine = step && (place_reg & LANE_MASK) == LANE[PLACE_WIDTH-1:0];

            always @(posedge clk) begin
                if (mine) begin
                    m_beat_data_reg[8*BYTES*lane +: 8*BYTES] <= s_word_data;
                    m_beat_strobe_reg[BYTES*lane +: BYTES] <= s_word_strobe;
                end else if (output_moves && m_beat_valid_reg) begin
                    m_beat_strobe_reg[BYTES*lane +: BYTES] <= {BYTES{1'b0}};
                end
                if (rst) begin
                    m_beat_strobe_reg[BYTES*lane +: BYTES] <= {BYTES{1'b0}};
                end
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (step) begin
            m_beat_last_reg     <= cmd_ends || &place_reg;
            m_beat_cmd_last_reg <= cmd_ends;
        end
        if (s_cmd_ready) begin
            active_reg <= s_cmd_valid;
            place_reg  <= s_cmd_place;
            left_reg   <= s_cmd_length;
        end else if (step) begin
            place_reg <= place_reg + 1'b1;
            left_reg  <= left_reg - 1'b1;
        end
        if (output_moves) begin
            m_beat_valid_reg <= step && beat_ends;
        end
        if (rst) begin
            active_reg       <= 1'b0;
            m_beat_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // A beat that waits does not change.
    reg                     started_reg = 1'b0;
    reg                     waiting_reg = 1'b0;
    reg [8*BYTES*WORDS-1:0] waiting_data_reg;
    reg [BYTES*WORDS-1:0]   waiting_strobe_reg;
    reg                     waiting_last_reg;

    always @(posedge clk) begin
        started_reg        <= 1'b1;
        waiting_reg        <= started_reg && !rst && m_beat_valid && !m_beat_ready;
        waiting_data_reg   <= m_beat_data;
        waiting_strobe_reg <= m_beat_strobe;
        waiting_last_reg   <= m_beat_last;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg && waiting_reg) begin
            assert (m_beat_valid);
            assert (m_beat_data == waiting_data_reg);
            assert (m_beat_strobe == waiting_strobe_reg);
            assert (m_beat_last == waiting_last_reg);
            cover (waiting_reg && waiting_last_reg);
            cover (waiting_reg && !waiting_last_reg);
        end
    end
`endif

endmodule

`default_nettype wire
