// Bench of divide_serial: widths and signs side by side, results and latencies compared with Verilog's own division.
`default_nettype none
`timescale 1ns / 1ps

module tb_divide_serial;

    localparam integer CASES   = 8;
    localparam integer CYCLES  = 60000;
    localparam integer RESTART = 9000;

    function integer width_of(input integer index);
        case (index)
            0:       width_of = 32;
            1:       width_of = 32;
            2:       width_of = 8;
            3:       width_of = 9;
            4:       width_of = 64;
            5:       width_of = 64;
            6:       width_of = 1;
            default: width_of = 3;
        endcase
    endfunction

    localparam INSTANCE = "case";

`include "cell_bench.vh"
`include "cycles_bench.vh"

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : widths
            localparam integer WIDTH  = width_of(index);
            localparam integer SIGNED = index % 2;

            reg              s_valid    = 1'b0;
            wire             s_ready;
            reg  [WIDTH-1:0] s_dividend = 0;
            reg  [WIDTH-1:0] s_divisor  = 0;
            wire             m_valid;
            wire [WIDTH-1:0] m_quotient;
            wire [WIDTH-1:0] m_remainder;

            reg                     busy = 1'b0;
            reg                     any  = 1'b0;
            integer                 due  = 0;  // cycles until the results
            reg signed [WIDTH+1:0]  a;
            reg signed [WIDTH+1:0]  b;
            reg [WIDTH-1:0]         quotient;
            reg [WIDTH-1:0]         remainder;

            divide_serial #(
                .WIDTH  (WIDTH),
                .SIGNED (SIGNED)
            ) dut (
                .clk         (clk),
                .rst         (rst),
                .s_valid     (s_valid),
                .s_ready     (s_ready),
                .s_dividend  (s_dividend),
                .s_divisor   (s_divisor),
                .m_valid     (m_valid),
                .m_quotient  (m_quotient),
                .m_remainder (m_remainder)
            );

            // Small, large and random operands.
            function [WIDTH-1:0] operand(input integer choice);
                reg [63:0] value;
                begin
                    value = {$random, $random};
                    case (choice)
                        0:       operand = {WIDTH{1'b0}};
                        1:       operand = {WIDTH{1'b1}};
                        2:       operand = {1'b1, {WIDTH{1'b0}}} >> 1;
                        3:       operand = {1'b1, {WIDTH{1'b0}}} - 1 >> 1;
                        4:       operand = value[2:0];
                        5:       operand = -value[2:0];
                        6:       operand = value >> value[5:0];
                        default: operand = value;
                    endcase
                end
            endfunction

            always @(posedge clk) begin
                if (rst) begin
                    busy = 1'b0;
                    any  = 1'b0;
                    s_valid <= 1'b0;
                end else begin
                    if (due > 0) begin
                        due = due - 1;
                    end
                    if (busy && due == 0) begin
                        busy = 1'b0;
                        any  = 1'b1;
                        check(m_valid === 1'b1, index, "m_valid");
                    end else begin
                        check(m_valid === 1'b0, index, "early m_valid");
                    end
                    check(s_ready === !busy, index, "s_ready");
                    if (any && !busy) begin
                        check(m_quotient === quotient, index, "m_quotient");
                        check(m_remainder === remainder, index, "m_remainder");
                    end
                    if (s_valid && s_ready) begin
                        busy = 1'b1;
                        due  = WIDTH + 2;
                        a = {{2{SIGNED == 1 && s_dividend[WIDTH-1]}}, s_dividend};
                        b = {{2{SIGNED == 1 && s_divisor[WIDTH-1]}}, s_divisor};
                        if (b == 0) begin
                            quotient  = {WIDTH{1'b1}};
                            remainder = s_dividend;
                        end else begin
                            quotient  = a / b;
                            remainder = a % b;
                        end
                    end
                    if (!s_valid || s_ready) begin
                        s_valid    <= ($random & 3) != 0;
                        s_dividend <= operand($random & 7);
                        s_divisor  <= operand($random & 7);
                    end
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
