// Bench of row_unpacker and row_packer: random rows through both, first with random stalls, then without any. The beats
// between them and the words behind them are compared with the bytes of an endless made-up memory; without stalls the
// cycles are counted too. Where beats have strobes, those of odd parity go to memory.
`default_nettype none
`timescale 1ns / 1ps

module tb_row_packer;

    localparam integer CASES    = 6;
    localparam integer ROWS     = 400;
    localparam integer DEADLINE = 400000;

    // log2 of the bytes of a word, of the widest beat, of the smallest element.
    function integer word_width_of(input integer index);
        case (index)
            0:       word_width_of = 2;
            1:       word_width_of = 4;
            2:       word_width_of = 6;
            3:       word_width_of = 4;
            4:       word_width_of = 3;
            default: word_width_of = 1;
        endcase
    endfunction

    function integer beat_width_of(input integer index);
        case (index)
            0:       beat_width_of = 2;
            1:       beat_width_of = 4;
            2:       beat_width_of = 6;
            3:       beat_width_of = 2;
            4:       beat_width_of = 3;
            default: beat_width_of = 1;
        endcase
    endfunction

    function integer grain_of(input integer index);
        case (index)
            0:       grain_of = 0;
            1:       grain_of = 2;
            2:       grain_of = 1;
            3:       grain_of = 0;
            4:       grain_of = 3;
            default: grain_of = 0;
        endcase
    endfunction

    localparam INSTANCE = "row";

`include "cell_bench.vh"
`include "cases_bench.vh"
`include "row_bench.vh"

    // Chances in 4 that a stream stalls, in the first half.
    integer row_stall  = 0;
    integer word_stall = 0;
    integer beat_stall = 0;
    integer out_stall  = 0;

    always @(posedge clk) begin
        if (cycle % 64 == 0) begin
            row_stall  <= $random & 3;
            word_stall <= $random & 3;
            beat_stall <= $random & 3;
            out_stall  <= $random & 3;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer WORD_WIDTH = word_width_of(index);
            localparam integer BEAT_WIDTH = beat_width_of(index);
            localparam integer GRAIN      = grain_of(index);
            localparam integer END_WIDTH  = 12;
            localparam integer MASKED     = index % 2;
            localparam integer WORD       = 1 << WORD_WIDTH;

            // Of a row, in bytes: log2 of its beats, where it begins in its first word and in its first beat, its length,
            // and the position of its first word in memory.
            integer size   [0:ROWS];
            integer offset [0:ROWS];
            integer lead [0:ROWS];
            integer length [0:ROWS];
            integer start  [0:ROWS];
            integer least;            // cycles of all rows, were no row to take one more
            integer row;
            integer words;
            integer beats;

            reg                        rst = 1'b1;
            reg                        row_valid = 1'b0;
            wire                       row_ready;
            reg                        out_row_valid = 1'b0;
            wire                       out_row_ready;
            reg  [2:0]                 row_size = 0;
            reg  [END_WIDTH-1:0]       row_words_end = 0;
            reg  [END_WIDTH-1:0]       row_beats_end = 0;
            reg  [2:0]                 out_size = 0;
            reg  [WORD_WIDTH-1:0]      out_offset = 0;
            reg  [END_WIDTH-1:0]       out_words_end = 0;
            reg  [END_WIDTH-1:0]       out_beats_end = 0;
            reg                        word_valid = 1'b0;
            wire                       word_ready;
            reg  [(8<<WORD_WIDTH)-1:0] word_data = 0;
            wire                       beat_valid;
            wire                       beat_ready;
            wire [(8<<BEAT_WIDTH)-1:0] beat_data;
            reg  [(1<<BEAT_WIDTH)-1:0] beat_strobe;
            wire                       packer_ready;
            reg                        beat_pass = 1'b0;
            wire                       out_valid;
            reg                        out_ready = 1'b0;
            wire [(8<<WORD_WIDTH)-1:0] out_data;
            wire [WORD-1:0]            out_strobe;

            integer    half        = 0;  // 0 with stalls, 1 without
            integer    reset_left  = 3;
            integer    row_next    = 0;
            integer    out_next    = 0;
            integer    word_next   = 0;
            integer    beat_row    = 0;
            integer    beat_next   = 0;
            integer    row_now     = 0;
            integer    words_seen  = 0;
            integer    first_cycle = -1;
            integer    position;
            integer    k;
            integer    wrong;
            reg        own;

            initial begin
                start[0] = 0;
                least    = 0;
                for (row = 0; row < ROWS; row = row + 1) begin
                    size[row]   = GRAIN + $unsigned($random) % (BEAT_WIDTH - GRAIN + 1);
                    offset[row] = ($unsigned($random) % WORD) & ~((1 << GRAIN) - 1);
                    lead[row] = ($unsigned($random) % (1 << size[row])) & ~((1 << GRAIN) - 1);
                    length[row] = (1 + $unsigned($random) % ($random & 1 ? 3 : 4 * WORD)) << GRAIN;
                    words       = (offset[row] + length[row] + WORD - 1) / WORD;
                    beats       = (lead[row] + length[row] + (1 << size[row]) - 1) >> size[row];
                    start[row + 1] = start[row] + words;
                    least          = least + (words > beats ? words : beats);
                end
            end

            row_unpacker #(
                .WORD_WIDTH (WORD_WIDTH),
                .BEAT_WIDTH (BEAT_WIDTH),
                .GRAIN      (GRAIN),
                .END_WIDTH  (END_WIDTH)
            ) unpacker (
                .clk             (clk),
                .rst             (rst),
                .s_row_valid     (row_valid),
                .s_row_ready     (row_ready),
                .s_row_size      (row_size),
                .s_row_words_end (row_words_end),
                .s_row_beats_end (row_beats_end),
                .s_word_valid    (word_valid),
                .s_word_ready    (word_ready),
                .s_word_data     (word_data),
                .m_beat_valid    (beat_valid),
                .m_beat_ready    (beat_ready),
                .m_beat_data     (beat_data)
            );

            row_packer #(
                .WORD_WIDTH (WORD_WIDTH),
                .BEAT_WIDTH (BEAT_WIDTH),
                .GRAIN      (GRAIN),
                .END_WIDTH  (END_WIDTH),
                .MASKED     (MASKED)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .s_row_valid     (out_row_valid),
                .s_row_ready     (out_row_ready),
                .s_row_size      (out_size),
                .s_row_offset    (out_offset),
                .s_row_words_end (out_words_end),
                .s_row_beats_end (out_beats_end),
                .s_beat_valid    (beat_valid && beat_pass),
                .s_beat_ready    (packer_ready),
                .s_beat_data     (beat_data),
                .s_beat_strobe   (beat_strobe),
                .m_word_valid    (out_valid),
                .m_word_ready    (out_ready),
                .m_word_data     (out_data),
                .m_word_strobe   (out_strobe)
            );

            assign beat_ready = packer_ready && beat_pass;

            integer byte_index;

            always @* begin
                for (byte_index = 0; byte_index < (1 << BEAT_WIDTH); byte_index = byte_index + 1) begin
                    beat_strobe[byte_index] = ^beat_data[8*byte_index +: 8];
                end
            end

            always @(posedge clk) begin
                rst <= reset_left > 0;
                if (rst) begin
                    reset_left  = reset_left - 1;
                    row_next    = 0;
                    out_next    = 0;
                    word_next   = 0;
                    beat_row    = 0;
                    beat_next   = 0;
                    row_now     = 0;
                    words_seen  = 0;
                    first_cycle = -1;
                    row_valid     <= 1'b0;
                    out_row_valid <= 1'b0;
                    word_valid    <= 1'b0;
                    out_ready     <= 1'b0;
                end else begin
                    if (first_cycle < 0 && row_valid && row_ready) begin
                        first_cycle = cycle + 1;
                    end
                    // The row's bytes of a beat are those of memory.
                    if (beat_valid && beat_ready) begin
                        wrong = 0;
                        for (k = 0; k < (1 << size[beat_row]); k = k + 1) begin
                            position = (beat_next << size[beat_row]) + k - lead[beat_row];
                            if (position >= 0 && position < length[beat_row]
                                && beat_data[8*k +: 8] !== byte_at(WORD * start[beat_row] + offset[beat_row] + position)) begin
                                wrong = wrong + 1;
                            end
                        end
                        check(wrong == 0, beat_row, "beat");
                        beat_next = beat_next + 1;
                        if ((beat_next << size[beat_row]) >= lead[beat_row] + length[beat_row]) begin
                            beat_row  = beat_row + 1;
                            beat_next = 0;
                        end
                    end
                    if (out_valid && out_ready) begin
                        wrong = 0;
                        for (k = 0; k < WORD; k = k + 1) begin
                            position = WORD * (words_seen - start[row_now]) + k - offset[row_now];
                            own      = position >= 0 && position < length[row_now]
                                       && (MASKED == 0 || ^byte_at(WORD * words_seen + k));
                            if (out_strobe[k] !== own || (own && out_data[8*k +: 8] !== byte_at(WORD * words_seen + k))) begin
                                wrong = wrong + 1;
                            end
                        end
                        check(wrong == 0, row_now, "word");
                        words_seen = words_seen + 1;
                        if (words_seen == start[row_now + 1]) begin
                            row_now = row_now + 1;
                        end
                        if (row_now == ROWS) begin
                            check(word_next == start[ROWS] && !(word_valid && !word_ready) && beat_row == ROWS, row_now,
                                  "all taken");
                            if (half == 1) begin
                                check(cycle - first_cycle <= least + ROWS + 4, row_now, "throughput");
                                ended = ended + 1;
                            end
                            half       = half + 1;
                            reset_left = 3;
                            rst <= 1'b1;
                        end
                    end

                    if (!row_valid || row_ready) begin
                        row_valid <= 1'b0;
                        if (row_next < ROWS && (half > 0 || ($random & 3) >= row_stall)) begin
                            row_valid     <= 1'b1;
                            row_size      <= size[row_next];
                            row_words_end <= offset[row_next] + length[row_next];
                            row_beats_end <= lead[row_next] + length[row_next];
                            row_next = row_next + 1;
                        end
                    end
                    if (!out_row_valid || out_row_ready) begin
                        out_row_valid <= 1'b0;
                        if (out_next < ROWS && (half > 0 || ($random & 3) >= row_stall)) begin
                            out_row_valid <= 1'b1;
                            out_size      <= size[out_next];
                            out_offset    <= offset[out_next];
                            out_words_end <= offset[out_next] + length[out_next];
                            out_beats_end <= lead[out_next] + length[out_next];
                            out_next = out_next + 1;
                        end
                    end
                    if (!word_valid || word_ready) begin
                        word_valid <= 1'b0;
                        if (word_next < start[ROWS] && (half > 0 || ($random & 3) >= word_stall)) begin
                            for (k = 0; k < WORD; k = k + 1) begin
                                word_data[8*k +: 8] <= byte_at(WORD * word_next + k);
                            end
                            word_valid <= 1'b1;
                            word_next = word_next + 1;
                        end
                    end
                    beat_pass <= half > 0 || ($random & 3) >= beat_stall;
                    out_ready <= half > 0 || ($random & 3) >= out_stall;
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
