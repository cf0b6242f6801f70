// Bench of word_packer: random rows, first with random stalls, then without any. Every word and strobe is compared
// with the bytes of an endless made-up memory; without stalls the cycles are counted too. Where elements have a strobe,
// those whose lowest byte has odd parity go to memory.
`default_nettype none
`timescale 1ns / 1ps

module tb_word_packer;

    localparam integer CASES    = 3;
    localparam integer ROWS     = 600;
    localparam integer DEADLINE = 400000;

    function integer count_width_of(input integer index);
        case (index)
            0:       count_width_of = 1;
            1:       count_width_of = 6;
            default: count_width_of = 20;
        endcase
    endfunction

    localparam INSTANCE = "row";

`include "cell_bench.vh"
`include "cases_bench.vh"
`include "row_bench.vh"

    // Chances in 4 that a stream stalls, in the first half.
    integer row_stall     = 0;
    integer element_stall = 0;
    integer word_stall    = 0;

    always @(posedge clk) begin
        if (cycle % 64 == 0) begin
            row_stall     <= $random & 3;
            element_stall <= $random & 3;
            word_stall    <= $random & 3;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer COUNT_WIDTH = count_width_of(index);
            localparam integer MASKED      = index == 1 ? 1 : 0;

            integer size   [0:ROWS];
            integer offset [0:ROWS];
            integer count  [0:ROWS];
            integer start  [0:ROWS];  // the row's first word
            integer steps;            // cycles of all rows at full throughput
            integer row;

            reg                    rst = 1'b1;
            reg                    s_row_valid = 1'b0;
            wire                   s_row_ready;
            reg  [1:0]             s_row_size   = 0;
            reg  [1:0]             s_row_offset = 0;
            reg  [COUNT_WIDTH-1:0] s_row_count  = 0;
            reg                    s_element_valid = 1'b0;
            wire                   s_element_ready;
            reg  [63:0]            s_element_data = 0;
            wire                   m_word_valid;
            reg                    m_word_ready = 1'b0;
            wire [31:0]            m_word_data;
            wire [3:0]             m_word_strobe;

            integer    half         = 0;  // 0 with stalls, 1 without
            integer    reset_left   = 3;
            integer    row_next     = 0;
            integer    source_row   = 0;  // of the next element
            integer    element_next = 0;
            integer    row_now      = 0;
            integer    words_seen   = 0;
            integer    first_cycle  = -1;
            integer    position;
            integer    lowest;
            integer    k;
            reg [63:0] element;
            reg [31:0] expected;
            reg [3:0]  expected_strobe;
            reg        waits = 1'b0;
            reg [35:0] waiting_word;

            initial begin
                start[0] = 0;
                steps    = 0;
                for (row = 0; row < ROWS; row = row + 1) begin
                    size[row]   = $random & 3;
                    offset[row] = size[row] == 0 ? $random & 3 : size[row] == 1 ? $random & 2 : 0;
                    count[row]  = 1 + $unsigned($random) % ($random & 1 ? 3 : 40);
                    if (COUNT_WIDTH < 6) begin
                        count[row] = 1;
                    end
                    start[row + 1] = start[row] + (offset[row] + (count[row] << size[row]) + 3) / 4;
                    steps          = steps + (size[row] == 3 ? 2 * count[row] : count[row]);
                end
            end

            word_packer #(
                .COUNT_WIDTH (COUNT_WIDTH),
                .MASKED      (MASKED)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .s_row_valid     (s_row_valid),
                .s_row_ready     (s_row_ready),
                .s_row_size      (s_row_size),
                .s_row_offset    (s_row_offset),
                .s_row_count     (s_row_count),
                .s_element_valid (s_element_valid),
                .s_element_ready (s_element_ready),
                .s_element_data  (s_element_data),
                .s_element_strobe(^s_element_data[7:0]),
                .m_word_valid    (m_word_valid),
                .m_word_ready    (m_word_ready),
                .m_word_data     (m_word_data),
                .m_word_strobe   (m_word_strobe)
            );

            always @(posedge clk) begin
                rst <= reset_left > 0;
                if (rst) begin
                    reset_left   = reset_left - 1;
                    row_next     = 0;
                    source_row   = 0;
                    element_next = 0;
                    row_now      = 0;
                    words_seen   = 0;
                    first_cycle  = -1;
                    waits        = 1'b0;
                    s_row_valid     <= 1'b0;
                    s_element_valid <= 1'b0;
                    m_word_ready    <= 1'b0;
                end else begin
                    if (waits) begin
                        check(m_word_valid && {m_word_strobe, m_word_data} === waiting_word, row_now, "word held");
                    end
                    waits        = m_word_valid && !m_word_ready;
                    waiting_word = {m_word_strobe, m_word_data};

                    // The first row is taken in the cycle before its first step.
                    if (first_cycle < 0 && s_row_valid && s_row_ready) begin
                        first_cycle = cycle + 1;
                    end
                    if (m_word_valid && m_word_ready) begin
                        expected        = 32'b0;
                        expected_strobe = 4'b0;
                        for (k = 0; k < 4; k = k + 1) begin
                            position = 4 * (words_seen - start[row_now]) + k - offset[row_now];
                            lowest   = 4 * start[row_now] + offset[row_now]
                                       + ((position >> size[row_now]) << size[row_now]);
                            if (position >= 0 && position < (count[row_now] << size[row_now])
                                && (MASKED == 0 || ^byte_at(lowest))) begin
                                expected_strobe[k] = 1'b1;
                                expected           = expected
                                                   | ({24'b0, byte_at(4 * words_seen + k)} << (8 * k));
                            end
                        end
                        check(m_word_strobe === expected_strobe, row_now, "strobe");
                        check(m_word_data === expected, row_now, "data");
                        words_seen = words_seen + 1;
                        if (words_seen == start[row_now + 1]) begin
                            row_now = row_now + 1;
                        end
                        if (row_now == ROWS) begin
                            check(source_row == ROWS && !(s_element_valid && !s_element_ready), row_now,
                                  "elements taken");
                            if (half == 1) begin
                                check(cycle - first_cycle == steps, row_now, "full throughput");
                                ended = ended + 1;
                            end
                            half       = half + 1;
                            reset_left = 3;
                            rst <= 1'b1;
                        end
                    end

                    if (!s_row_valid || s_row_ready) begin
                        s_row_valid <= 1'b0;
                        if (row_next < ROWS && (half > 0 || ($random & 3) >= row_stall)) begin
                            s_row_valid  <= 1'b1;
                            s_row_size   <= size[row_next];
                            s_row_offset <= offset[row_next];
                            s_row_count  <= count[row_next];
                            row_next = row_next + 1;
                        end
                    end
                    if (!s_element_valid || s_element_ready) begin
                        s_element_valid <= 1'b0;
                        if (source_row < ROWS && (half > 0 || ($random & 3) >= element_stall)) begin
                            // The bytes above the element are noise that must not reach the memory.
                            element = {$random, $random};
                            for (k = 0; k < (1 << size[source_row]); k = k + 1) begin
                                element[8*k +: 8] = byte_at(4 * start[source_row] + offset[source_row]
                                                            + (element_next << size[source_row]) + k);
                            end
                            s_element_valid <= 1'b1;
                            s_element_data  <= element;
                            element_next = element_next + 1;
                            if (element_next == count[source_row]) begin
                                source_row   = source_row + 1;
                                element_next = 0;
                            end
                        end
                    end
                    m_word_ready <= half > 0 || ($random & 3) >= word_stall;
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
