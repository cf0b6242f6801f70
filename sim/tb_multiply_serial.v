// Bench of multiply_serial: six sets of widths side by side, results and latencies compared with the product of wide
// integers.
`default_nettype none
`timescale 1ns / 1ps

module tb_multiply_serial;

    localparam integer CASES  = 6;
    localparam integer CYCLES = 30000;

    function integer a_width_of(input integer index);
        case (index)
            0:       a_width_of = 16;
            1:       a_width_of = 1;
            2:       a_width_of = 8;
            3:       a_width_of = 32;
            4:       a_width_of = 20;
            default: a_width_of = 12;
        endcase
    endfunction

    function integer b_width_of(input integer index);
        case (index)
            0:       b_width_of = 16;
            1:       b_width_of = 1;
            2:       b_width_of = 24;
            3:       b_width_of = 5;
            4:       b_width_of = 20;
            default: b_width_of = 3;
        endcase
    endfunction

    function integer result_width_of(input integer index);
        case (index)
            0:       result_width_of = 32;
            1:       result_width_of = 1;
            2:       result_width_of = 12;
            3:       result_width_of = 40;
            4:       result_width_of = 20;
            default: result_width_of = 7;
        endcase
    endfunction

    integer passed = 0;
    integer failed = 0;
    integer cycle  = 0;

    reg clk = 1'b0;
    reg rst = 1'b1;

    // Chances in 4 that a side stalls.
    integer s_stall = 0;
    integer m_stall = 0;

    always #5 clk = !clk;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        rst   <= cycle < 3 || (cycle >= 9000 && cycle < 9003);
        if (cycle > 500 && cycle % 256 == 0) begin
            s_stall <= $random & 3;
            m_stall <= $random & 3;
        end
        if (cycle == CYCLES) begin
            $display("%0d passed, %0d failed", passed, failed);
            $finish;
        end
    end

    task check(input ok, input integer case_index, input [8*16-1:0] what);
        begin
            if (ok === 1'b1) begin
                passed = passed + 1;
            end else begin
                failed = failed + 1;
                if (failed <= 10) begin
                    $display("cycle %0d, case %0d: %0s", cycle, case_index, what);
                end
            end
        end
    endtask

    function integer significant_bits(input [63:0] value);
        begin
            significant_bits = 0;
            while (significant_bits < 64 && (value >> significant_bits) != 0) begin
                significant_bits = significant_bits + 1;
            end
        end
    endfunction

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer A_WIDTH      = a_width_of(index);
            localparam integer B_WIDTH      = b_width_of(index);
            localparam integer RESULT_WIDTH = result_width_of(index);

            reg                     s_valid = 1'b0;
            wire                    s_ready;
            reg  [A_WIDTH-1:0]      s_a = 0;
            reg  [B_WIDTH-1:0]      s_b = 0;
            reg  [RESULT_WIDTH-1:0] s_c = 0;
            wire                    m_valid;
            reg                     m_ready = 1'b0;
            wire [RESULT_WIDTH-1:0] m_result;

            reg                    busy = 1'b0;
            integer                due  = 0;  // cycles until the result
            reg [127:0]            wide_result;
            reg [RESULT_WIDTH-1:0] expected;

            multiply_serial #(
                .A_WIDTH      (A_WIDTH),
                .B_WIDTH      (B_WIDTH),
                .RESULT_WIDTH (RESULT_WIDTH)
            ) dut (
                .clk      (clk),
                .rst      (rst),
                .s_valid  (s_valid),
                .s_ready  (s_ready),
                .s_a      (s_a),
                .s_b      (s_b),
                .s_c      (s_c),
                .m_valid  (m_valid),
                .m_ready  (m_ready),
                .m_result (m_result)
            );

            always @(posedge clk) begin
                if (rst) begin
                    busy = 1'b0;
                    s_valid <= 1'b0;
                end else begin
                    if (due > 0) begin
                        due = due - 1;
                    end
                    check(s_ready === !busy, index, "s_ready");
                    check(m_valid === (busy && due == 0), index, "m_valid");
                    if (m_valid) begin
                        check(m_result === expected, index, "m_result");
                    end
                    if (m_valid && m_ready) begin
                        busy = 1'b0;
                    end else if (s_valid && s_ready) begin
                        busy        = 1'b1;
                        due         = 1 + significant_bits(s_a);
                        wide_result = s_a;
                        wide_result = wide_result * s_b + s_c;
                        expected    = wide_result[RESULT_WIDTH-1:0];
                    end
                    if (!s_valid || s_ready) begin
                        s_valid <= ($random & 3) >= s_stall;
                        s_a     <= $unsigned($random) >> ($random & 31);
                        s_b     <= $unsigned($random) >> ($random & 31);
                        s_c     <= {$random, $random};
                        if (($random & 15) == 0) begin
                            s_a <= {A_WIDTH{1'b1}};
                            s_b <= {B_WIDTH{1'b1}};
                        end
                    end
                end
                m_ready <= ($random & 3) >= m_stall;
            end
        end
    endgenerate

endmodule

`default_nettype wire
