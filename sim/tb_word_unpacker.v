// Bench of word_unpacker: random rows, first with random stalls, then without any. Every element is compared with the
// bytes of an endless made-up memory; without stalls the cycles are counted too.
`default_nettype none
`timescale 1ns / 1ps

module tb_word_unpacker;

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
    integer word_stall    = 0;
    integer element_stall = 0;

    always @(posedge clk) begin
        if (cycle % 64 == 0) begin
            row_stall     <= $random & 3;
            word_stall    <= $random & 3;
            element_stall <= $random & 3;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer COUNT_WIDTH = count_width_of(index);

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
            reg                    s_word_valid = 1'b0;
            wire                   s_word_ready;
            reg  [31:0]            s_word_data = 0;
            wire                   m_element_valid;
            reg                    m_element_ready = 1'b0;
            wire [63:0]            m_element_data;

            integer    half        = 0;  // 0 with stalls, 1 without
            integer    reset_left  = 3;
            integer    row_next    = 0;
            integer    word_next   = 0;
            integer    words_taken = 0;
            integer    row_now     = 0;
            integer    element_now = 0;
            integer    first_cycle = -1;
            integer    k;
            reg [63:0] expected;
            reg        waits = 1'b0;
            reg [63:0] waiting_data;

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

            word_unpacker #(
                .COUNT_WIDTH (COUNT_WIDTH)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .s_row_valid     (s_row_valid),
                .s_row_ready     (s_row_ready),
                .s_row_size      (s_row_size),
                .s_row_offset    (s_row_offset),
                .s_row_count     (s_row_count),
                .s_word_valid    (s_word_valid),
                .s_word_ready    (s_word_ready),
                .s_word_data     (s_word_data),
                .m_element_valid (m_element_valid),
                .m_element_ready (m_element_ready),
                .m_element_data  (m_element_data)
            );

            always @(posedge clk) begin
                rst <= reset_left > 0;
                if (rst) begin
                    reset_left  = reset_left - 1;
                    row_next    = 0;
                    word_next   = 0;
                    words_taken = 0;
                    row_now     = 0;
                    element_now = 0;
                    first_cycle = -1;
                    waits       = 1'b0;
                    s_row_valid     <= 1'b0;
                    s_word_valid    <= 1'b0;
                    m_element_ready <= 1'b0;
                end else begin
                    if (waits) begin
                        check(m_element_valid && m_element_data === waiting_data, row_now, "element held");
                    end
                    waits        = m_element_valid && !m_element_ready;
                    waiting_data = m_element_data;

                    // The first row is taken in the cycle before its first step.
                    if (first_cycle < 0 && s_row_valid && s_row_ready) begin
                        first_cycle = cycle + 1;
                    end
                    if (s_word_valid && s_word_ready) begin
                        words_taken = words_taken + 1;
                    end
                    if (m_element_valid && m_element_ready) begin
                        expected = 64'b0;
                        for (k = 0; k < (1 << size[row_now]); k = k + 1) begin
                            expected = expected | ({56'b0, byte_at(4 * start[row_now] + offset[row_now]
                                                   + (element_now << size[row_now]) + k)} << (8 * k));
                        end
                        check(row_now < ROWS && m_element_data === expected, row_now, "element");
                        element_now = element_now + 1;
                        if (element_now == count[row_now]) begin
                            row_now     = row_now + 1;
                            element_now = 0;
                        end
                        if (row_now == ROWS) begin
                            check(words_taken == start[ROWS], row_now, "words taken");
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
                    if (!s_word_valid || s_word_ready) begin
                        s_word_valid <= 1'b0;
                        if (half > 0 || ($random & 3) >= word_stall) begin
                            s_word_valid <= 1'b1;
                            s_word_data  <= {byte_at(4 * word_next + 3), byte_at(4 * word_next + 2), byte_at(4 * word_next + 1),
                                            byte_at(4 * word_next)};
                            word_next = word_next + 1;
                        end
                    end
                    m_element_ready <= half > 0 || ($random & 3) >= element_stall;
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
