// SPDX-License-Identifier: MIT OR Apache-2.0
//
// row_packer: puts the beats of a buffer into the words that hold a row of an array, whatever the alignment of both.
//
// Latency     from row to first beat taken: 1 cycle; from a word's last beat to m_word_valid: 1 cycle.
// Parameters  WORD_WIDTH  log2 of the bytes of a word, 1 to 6
//             BEAT_WIDTH  log2 of the bytes of the widest beat, at most WORD_WIDTH
//             GRAIN       log2 of the bytes of the smallest element, at most BEAT_WIDTH
//             END_WIDTH   bits of a row's ends, more than WORD_WIDTH
//             MASKED      1 where beats have strobes, 0 where all of their bytes go to memory
// Handshake   s_row    size       log2 of the bytes of the row's beats, GRAIN to BEAT_WIDTH
//                      offset     byte of the first word where the row begins
//                      words_end  bytes from the begin of the first word to the end of the row
//                      beats_end  bytes from the begin of the first beat to the end of the row
//             s_beat   the row's beats, exactly ceil(beats_end / 2^size) of them, in the low bits; strobe marks the
//                      bytes that memory is to get
//             m_word   the row's words, ceil(words_end / 2^WORD_WIDTH) of them; strobe marks the row's own bytes, of
//                      those the marked ones; the others are anything
//
// Every cycle takes a beat or gives a word, both where words and beats are as wide and lie alike; where they do not, a row
// may take one cycle more than it has beats. No bubble between rows. m_word comes from flip-flops; s_row_ready and
// s_beat_ready follow m_word_ready in the same cycle.
`default_nettype none

module row_packer #(
    parameter integer WORD_WIDTH = 2,
    parameter integer BEAT_WIDTH = 2,
    parameter integer GRAIN      = 0,
    parameter integer END_WIDTH  = 8,
    parameter integer MASKED     = 0
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       s_row_valid,
    output wire                       s_row_ready,
    input  wire [2:0]                 s_row_size,
    input  wire [WORD_WIDTH-1:0]      s_row_offset,
    input  wire [END_WIDTH-1:0]       s_row_words_end,
    input  wire [END_WIDTH-1:0]       s_row_beats_end,
    input  wire                       s_beat_valid,
    output wire                       s_beat_ready,
    input  wire [(8<<BEAT_WIDTH)-1:0] s_beat_data,
    input  wire [(1<<BEAT_WIDTH)-1:0] s_beat_strobe,
    output wire                       m_word_valid,
    input  wire                       m_word_ready,
    output wire [(8<<WORD_WIDTH)-1:0] m_word_data,
    output wire [(1<<WORD_WIDTH)-1:0] m_word_strobe
);

    generate
        if (WORD_WIDTH < 1 || WORD_WIDTH > 6) begin : illegal_word_width
            row_packer_error_WORD_WIDTH_must_be_1_to_6 stop ();
        end
        if (GRAIN < 0 || BEAT_WIDTH < GRAIN || WORD_WIDTH < BEAT_WIDTH) begin : illegal_widths
            row_packer_error_elements_beats_and_words_must_not_shrink stop ();
        end
        if (END_WIDTH <= WORD_WIDTH) begin : illegal_end_width
            row_packer_error_END_WIDTH_must_be_more_than_WORD_WIDTH stop ();
        end
        if (MASKED < 0 || MASKED > 1) begin : illegal_masked
            row_packer_error_MASKED_must_be_0_or_1 stop ();
        end
    endgenerate

    localparam integer BYTES       = 1 << WORD_WIDTH;
    localparam integer PLACE_WIDTH = WORD_WIDTH + 2;
    localparam integer TWO_WORDS   = 2 * BYTES;
    // Elements begin at multiples of their size, in words as in beats.
    localparam integer ALIGNED     = TWO_WORDS - (1 << GRAIN);

    reg                   active_reg;
    reg                   first_reg;        // the word under way is the row's first
    reg                   flush_reg;        // all beats are taken, the last word is gathered
    reg [2:0]             size_reg;
    reg [WORD_WIDTH-1:0]  offset_reg;
    // Where the next beat begins, counted from the begin of the word before the one under way.
    reg [WORD_WIDTH:0]    place_reg;
    reg [END_WIDTH-1:0]   words_left_reg;   // bytes from the begin of the word under way to the end of the row
    reg [END_WIDTH-1:0]   beats_left_reg;   // bytes from the begin of the next beat to the end of the row
    reg [8*BYTES-1:0]     gathered_reg;
    reg                   m_word_valid_reg;
    reg [8*BYTES-1:0]     m_word_data_reg;
    reg [BYTES-1:0]       m_word_strobe_reg;

    wire [PLACE_WIDTH-1:0] step       = {{(PLACE_WIDTH - 1){1'b0}}, 1'b1} << size_reg;
    wire [END_WIDTH-1:0]   step_bytes = {{(END_WIDTH - 1){1'b0}}, 1'b1} << size_reg;
    wire                   last_word  = words_left_reg <= BYTES[END_WIDTH-1:0];
    wire                   last_beat  = beats_left_reg <= step_bytes;

    // A word is there when the beat reaches its end, or that of the row.
    wire [PLACE_WIDTH-1:0] after    = {1'b0, place_reg} + step;
    wire                   fills    = after >= TWO_WORDS[PLACE_WIDTH-1:0];
    wire                   emits    = flush_reg || fills || (last_beat && last_word);
    wire                   row_ends = emits && last_word;

    wire output_moves = m_word_ready || !m_word_valid_reg;
    wire moves        = active_reg && (flush_reg || s_beat_valid) && output_moves;

    assign s_row_ready   = !active_reg || (moves && row_ends);
    assign s_beat_ready  = active_reg && !flush_reg && output_moves;
    assign m_word_valid  = m_word_valid_reg;
    assign m_word_data   = m_word_data_reg;
    assign m_word_strobe = m_word_strobe_reg;

    // The beat turned to its place: what reaches beyond the word comes to the next one's begin.
    wire [WORD_WIDTH+2:0] turn = {place_reg[WORD_WIDTH-1:0] & ALIGNED[WORD_WIDTH-1:0], 3'b000};
    wire [8*BYTES-1:0]    wide;

    generate
        if (BEAT_WIDTH == WORD_WIDTH) begin : as_wide
            assign wide = s_beat_data;
        end else begin : narrower
            assign wide = {{((8 << WORD_WIDTH) - (8 << BEAT_WIDTH)){1'b0}}, s_beat_data};
        end
    endgenerate

    /* verilator lint_off UNUSED */
    wire [16*BYTES-1:0]   window     = {wide, wide} << turn;
    wire [END_WIDTH-1:0]  difference = s_row_words_end - s_row_beats_end;
    /* verilator lint_on UNUSED */
    wire [8*BYTES-1:0]    turned     = window[16*BYTES-1:8*BYTES];
    wire [8*BYTES-1:0]    merged;

    localparam [BYTES-1:0] ALL = {BYTES{1'b1}};

    // Bytes below the beat's place are those of the beats before.
    wire [BYTES-1:0]      own     = place_reg[WORD_WIDTH] ? ALL << place_reg[WORD_WIDTH-1:0] : ALL;
    wire [BYTES-1:0]      earlier = flush_reg ? ALL : ~own;
    wire [WORD_WIDTH-1:0] behind  = -words_left_reg[WORD_WIDTH-1:0];   // bytes of the last word that are none of the row
    wire [BYTES-1:0]      strobe  = (first_reg ? ALL << offset_reg : ALL) & (last_word ? ALL >> behind : ALL);

    // The strobes of the beats take the way of their bytes.
    wire [BYTES-1:0]      marked;

    generate
        if (MASKED == 1) begin : masked
            reg  [BYTES-1:0]   gathered_strobe_reg;
            wire [BYTES-1:0]   wide_strobe;
            /* verilator lint_off UNUSED */
            wire [2*BYTES-1:0] strobe_window = {wide_strobe, wide_strobe} << turn[WORD_WIDTH+2:3];
            /* verilator lint_on UNUSED */
            wire [BYTES-1:0]   turned_strobe = strobe_window[2*BYTES-1:BYTES];

            if (BEAT_WIDTH == WORD_WIDTH) begin : as_wide
                assign wide_strobe = s_beat_strobe;
            end else begin : narrower
                assign wide_strobe = {{((1 << WORD_WIDTH) - (1 << BEAT_WIDTH)){1'b0}}, s_beat_strobe};
            end

            assign marked = (earlier & gathered_strobe_reg) | (~earlier & turned_strobe);

            always @(posedge clk) begin
                if (moves) begin
                    gathered_strobe_reg <= emits ? turned_strobe : marked;
                end
            end
        end else begin : whole
            /* verilator lint_off UNUSED */
            wire unused = &{1'b0, s_beat_strobe};
            /* verilator lint_on UNUSED */
            assign marked = ALL;
        end
    endgenerate

    genvar lane;

    generate
        for (lane = 0; lane < BYTES; lane = lane + 1) begin : lanes
            assign merged[8*lane +: 8] = earlier[lane] ? gathered_reg[8*lane +: 8] : turned[8*lane +: 8];
        end
    endgenerate

    always @(posedge clk) begin
        if (moves) begin
            gathered_reg <= emits ? turned : merged;
            if (emits) begin
                m_word_data_reg   <= merged;
                m_word_strobe_reg <= strobe & marked;
            end
        end
        if (s_row_ready) begin
            size_reg       <= s_row_size;
            offset_reg     <= s_row_offset;
            first_reg      <= 1'b1;
            flush_reg      <= 1'b0;
            place_reg      <= {!difference[WORD_WIDTH], difference[WORD_WIDTH-1:0]};
            words_left_reg <= s_row_words_end;
            beats_left_reg <= s_row_beats_end;
        end else if (moves) begin
            // A word less is where the next one comes.
            place_reg      <= {after[WORD_WIDTH] ^ emits, after[WORD_WIDTH-1:0]};
            flush_reg      <= last_beat;
            beats_left_reg <= beats_left_reg - step_bytes;
            if (emits) begin
                first_reg      <= 1'b0;
                words_left_reg <= words_left_reg - BYTES[END_WIDTH-1:0];
            end
        end
        if (s_row_ready) begin
            active_reg <= s_row_valid;
        end
        if (output_moves) begin
            m_word_valid_reg <= moves && emits;
        end
        if (rst) begin
            active_reg       <= 1'b0;
            m_word_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // A word that waits does not change, and has a byte of its row; no beat is taken behind the row's end; the next beat's
    // place is what words and beats are apart, and what a last beat leaves over fits in a word.
    reg               started_reg = 1'b0;
    reg               waiting_reg = 1'b0;
    reg [8*BYTES-1:0] waiting_data_reg;
    reg [BYTES-1:0]   waiting_strobe_reg;

    wire [END_WIDTH-1:0] distance = words_left_reg - beats_left_reg + BYTES[END_WIDTH-1:0];

    always @(posedge clk) begin
        started_reg        <= 1'b1;
        waiting_reg        <= started_reg && !rst && m_word_valid && !m_word_ready;
        waiting_data_reg   <= m_word_data;
        waiting_strobe_reg <= m_word_strobe;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (s_row_size >= GRAIN && s_row_size <= BEAT_WIDTH);
        // Both ends are of one row, which begins in the first word and in the first beat.
        assume (s_row_words_end > {{(END_WIDTH - WORD_WIDTH){1'b0}}, s_row_offset});
        assume (s_row_beats_end + s_row_offset >= s_row_words_end);
        assume (s_row_beats_end + s_row_offset < s_row_words_end + (1 << s_row_size));
        assume (!s_row_words_end[END_WIDTH-1] && !s_row_beats_end[END_WIDTH-1]);
        if (started_reg) begin
            if (active_reg) begin
                assert (words_left_reg != 0);
                assert (flush_reg || beats_left_reg != 0);
                assert (flush_reg || place_reg == distance[WORD_WIDTH:0]);
                assert (flush_reg || words_left_reg < beats_left_reg + BYTES);
                assert (!flush_reg || words_left_reg <= BYTES);
                assert (!first_reg || words_left_reg > offset_reg);
                assert (size_reg >= GRAIN && size_reg <= BEAT_WIDTH);
            end
            if (m_word_valid && MASKED == 0) begin
                assert (m_word_strobe != {BYTES{1'b0}});
            end
            if (waiting_reg) begin
                assert (m_word_valid);
                assert (m_word_data == waiting_data_reg);
                assert (m_word_strobe == waiting_strobe_reg);
            end
            cover (moves && flush_reg);
            cover (moves && !emits);
            cover (moves && emits && !row_ends);
            cover (waiting_reg);
        end
    end
`endif

endmodule

`default_nettype wire
