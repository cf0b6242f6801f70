// SPDX-License-Identifier: MIT OR Apache-2.0
//
// row_unpacker: turns the words that hold a row of an array into the beats of its buffer, whatever the alignment of both.
//
// Latency     from row to first word taken: 1 cycle; from a beat's last word to m_beat_valid: 1 cycle.
// Parameters  WORD_WIDTH  log2 of the bytes of a word, 1 to 6
//             BEAT_WIDTH  log2 of the bytes of the widest beat, at most WORD_WIDTH
//             GRAIN       log2 of the bytes of the smallest element, at most BEAT_WIDTH
//             END_WIDTH   bits of a row's ends, more than WORD_WIDTH
// Handshake   s_row    size       log2 of the bytes of the row's beats, GRAIN to BEAT_WIDTH
//                      words_end  bytes from the begin of the first word to the end of the row
//                      beats_end  bytes from the begin of the first beat to the end of the row
//             s_word   the row's words, exactly ceil(words_end / 2^WORD_WIDTH) of them
//             m_beat   the row's beats, ceil(beats_end / 2^size), in the low bits; what is no byte of the row is anything
//
// Every cycle takes a word or gives a beat, both where words and beats are as wide and lie alike; where they do not, a row
// may take one cycle more than it has words. No bubble between rows. m_beat comes from flip-flops; s_row_ready and
// s_word_ready follow m_beat_ready in the same cycle.
`default_nettype none

module row_unpacker #(
    parameter integer WORD_WIDTH = 2,
    parameter integer BEAT_WIDTH = 2,
    parameter integer GRAIN      = 0,
    parameter integer END_WIDTH  = 8
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       s_row_valid,
    output wire                       s_row_ready,
    input  wire [2:0]                 s_row_size,
    input  wire [END_WIDTH-1:0]       s_row_words_end,
    input  wire [END_WIDTH-1:0]       s_row_beats_end,
    input  wire                       s_word_valid,
    output wire                       s_word_ready,
    input  wire [(8<<WORD_WIDTH)-1:0] s_word_data,
    output wire                       m_beat_valid,
    input  wire                       m_beat_ready,
    output wire [(8<<BEAT_WIDTH)-1:0] m_beat_data
);

    generate
        if (WORD_WIDTH < 1 || WORD_WIDTH > 6) begin : illegal_word_width
            row_unpacker_error_WORD_WIDTH_must_be_1_to_6 stop ();
        end
        if (GRAIN < 0 || BEAT_WIDTH < GRAIN || WORD_WIDTH < BEAT_WIDTH) begin : illegal_widths
            row_unpacker_error_elements_beats_and_words_must_not_shrink stop ();
        end
        if (END_WIDTH <= WORD_WIDTH) begin : illegal_end_width
            row_unpacker_error_END_WIDTH_must_be_more_than_WORD_WIDTH stop ();
        end
    endgenerate

    localparam integer BYTES       = 1 << WORD_WIDTH;
    localparam integer PLACE_WIDTH = WORD_WIDTH + 2;
    localparam integer TWO_WORDS   = 2 * BYTES;
    // Elements begin at multiples of their size, in words as in beats.
    localparam integer ALIGNED     = TWO_WORDS - (1 << GRAIN);

    reg                        active_reg;
    reg [2:0]                  size_reg;
    // Where the next beat begins among the bytes of the word before and the one that comes.
    reg [WORD_WIDTH:0]         place_reg;
    reg [END_WIDTH-1:0]        words_left_reg;   // bytes from the begin of the coming word to the end of the row
    reg [END_WIDTH-1:0]        beats_left_reg;   // bytes from the begin of the next beat to the end of the row
    reg [8*BYTES-1:0]          before_reg;
    reg                        m_beat_valid_reg;
    reg [(8<<BEAT_WIDTH)-1:0]  m_beat_data_reg;

    wire [PLACE_WIDTH-1:0] step       = {{(PLACE_WIDTH - 1){1'b0}}, 1'b1} << size_reg;
    wire [END_WIDTH-1:0]   step_bytes = {{(END_WIDTH - 1){1'b0}}, 1'b1} << size_reg;
    wire                   last_word  = words_left_reg <= BYTES[END_WIDTH-1:0];
    wire                   last_beat  = beats_left_reg <= step_bytes;

    // A beat is there when the coming word holds its end, or the end of the row.
    wire [PLACE_WIDTH-1:0] after    = {1'b0, place_reg} + step;
    wire                   emits    = last_word || after <= TWO_WORDS[PLACE_WIDTH-1:0];
    wire [PLACE_WIDTH-1:0] advanced = emits ? after : {1'b0, place_reg};
    wire [PLACE_WIDTH-1:0] beyond   = advanced + step;
    wire                   row_ends = emits && last_beat;
    wire                   takes    = row_ends || (!last_word && beyond > TWO_WORDS[PLACE_WIDTH-1:0]);

    wire output_moves = m_beat_ready || !m_beat_valid_reg;
    wire moves        = active_reg && s_word_valid && output_moves;

    assign s_row_ready  = !active_reg || (moves && row_ends);
    assign s_word_ready = active_reg && output_moves && takes;
    assign m_beat_valid = m_beat_valid_reg;
    assign m_beat_data  = m_beat_data_reg;

    wire [WORD_WIDTH+3:0] shift = {place_reg & ALIGNED[WORD_WIDTH:0], 3'b000};

    /* verilator lint_off UNUSED */
    wire [16*BYTES-1:0]   window     = {s_word_data, before_reg} >> shift;
    wire [END_WIDTH-1:0]  difference = s_row_words_end - s_row_beats_end;
    /* verilator lint_on UNUSED */

    always @(posedge clk) begin
        if (moves && emits) begin
            m_beat_data_reg <= window[(8<<BEAT_WIDTH)-1:0];
        end
        if (moves && takes) begin
            before_reg <= s_word_data;
        end
        if (s_row_ready) begin
            size_reg       <= s_row_size;
            place_reg      <= {!difference[WORD_WIDTH], difference[WORD_WIDTH-1:0]};
            words_left_reg <= s_row_words_end;
            beats_left_reg <= s_row_beats_end;
        end else if (moves) begin
            // A word less is where the next one comes.
            place_reg <= {advanced[WORD_WIDTH] ^ takes, advanced[WORD_WIDTH-1:0]};
            if (takes) begin
                words_left_reg <= words_left_reg - BYTES[END_WIDTH-1:0];
            end
            if (emits) begin
                beats_left_reg <= beats_left_reg - step_bytes;
            end
        end
        if (s_row_ready) begin
            active_reg <= s_row_valid;
        end
        if (output_moves) begin
            m_beat_valid_reg <= moves && emits;
        end
        if (rst) begin
            active_reg       <= 1'b0;
            m_beat_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // A beat that waits does not change; no word is taken, and no beat given, behind the row's end; the next beat's place is
    // what words and beats are apart.
    reg                       started_reg = 1'b0;
    reg                       waiting_reg = 1'b0;
    reg [(8<<BEAT_WIDTH)-1:0] waiting_data_reg;

    wire [END_WIDTH-1:0] distance = words_left_reg - beats_left_reg + BYTES[END_WIDTH-1:0];

    always @(posedge clk) begin
        started_reg      <= 1'b1;
        waiting_reg      <= started_reg && !rst && m_beat_valid && !m_beat_ready;
        waiting_data_reg <= m_beat_data;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (s_row_size >= GRAIN && s_row_size <= BEAT_WIDTH);
        assume (s_row_words_end != 0 && s_row_beats_end != 0);
        // Both ends are of one row, which begins in the first word and in the first beat.
        assume (s_row_words_end < s_row_beats_end + BYTES);
        assume (s_row_beats_end < s_row_words_end + (1 << s_row_size));
        assume (!s_row_words_end[END_WIDTH-1] && !s_row_beats_end[END_WIDTH-1]);
        if (started_reg) begin
            if (active_reg) begin
                assert (words_left_reg != 0);
                assert (beats_left_reg != 0);
                assert (size_reg >= GRAIN && size_reg <= BEAT_WIDTH);
                assert (place_reg == distance[WORD_WIDTH:0]);
            end
            if (waiting_reg) begin
                assert (m_beat_valid);
                assert (m_beat_data == waiting_data_reg);
            end
            cover (moves && emits && takes && !row_ends);
            cover (moves && emits && !takes);
            cover (moves && !emits);
            cover (waiting_reg);
        end
    end
`endif

endmodule

`default_nettype wire
