// Bench of divide_pipelined: widths and signs side by side, a division in every cycle, results compared with Verilog's own division
// when they are due.
`default_nettype none
`timescale 1ns / 1ps

module tb_divide_pipelined;

    localparam integer CASES   = 8;
    localparam integer CYCLES  = 20000;
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
            localparam integer WIDTH   = width_of(index);
            localparam integer SIGNED  = index % 2;
            localparam integer LATENCY = WIDTH + 2;

            reg  [WIDTH-1:0] s_dividend = 0;
            reg  [WIDTH-1:0] s_divisor  = 0;
            wire [WIDTH-1:0] m_quotient;
            wire [WIDTH-1:0] m_remainder;

            integer                 taken = 0;
            integer                 place = 0;
            reg signed [WIDTH+1:0]  a;
            reg signed [WIDTH+1:0]  b;
            // What is due in which cycle.
            reg [WIDTH-1:0]         quotients  [0:LATENCY-1];
            reg [WIDTH-1:0]         remainders [0:LATENCY-1];

            divide_pipelined #(
                .WIDTH  (WIDTH),
                .SIGNED (SIGNED)
            ) dut (
                .clk         (clk),
                .s_dividend  (s_dividend),
                .s_divisor   (s_divisor),
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
                    taken = 0;
                    place = 0;
                end else begin
                    if (taken >= LATENCY) begin
                        check(m_quotient === quotients[place], index, "m_quotient");
                        check(m_remainder === remainders[place], index, "m_remainder");
                    end
                    a = {{2{SIGNED == 1 && s_dividend[WIDTH-1]}}, s_dividend};
                    b = {{2{SIGNED == 1 && s_divisor[WIDTH-1]}}, s_divisor};
                    if (b == 0) begin
                        quotients[place]  = {WIDTH{1'b1}};
                        remainders[place] = s_dividend;
                    end else begin
                        quotients[place]  = a / b;
                        remainders[place] = a % b;
                    end
                    place = (place + 1) % LATENCY;
                    taken = taken + 1;
                    s_dividend <= operand($random & 7);
                    s_divisor  <= operand($random & 7);
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
