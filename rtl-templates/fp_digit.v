// fp_digit: a digit of the amount by which a word is shifted left: that of the zeros above its highest one, or of a
// limit where that is less. Digits have the values 0 to 3; those before are found, and the word is shifted by them.
//
// Latency     none, combinational
// Parameters  GROUP  weight of the digit
//             ZEROS  most zeros above the highest one
//
// s_free says that the digits before are less than the limit's, s_limit is the limit's digit. s_stuck says that the
// limit is the amount, whatever the word is.
`default_nettype none

module fp_digit #(
    parameter integer GROUP = 8,
    parameter integer ZEROS = 24
) (
    /* verilator lint_off UNUSEDSIGNAL */ // unused where ZEROS is less than GROUP
    input  wire [3*GROUP-1:0] s_top,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire               s_stuck,
    input  wire [1:0]         s_limit,
    input  wire               s_free,
    output wire [1:0]         m_digit,
    output wire               m_free
);

    // Whether there is a one in the first, second and third group of bits.
    wire [2:0] some;

    generate
        if (ZEROS < GROUP) begin : no_zeros
            assign some = {3{!s_stuck}};
        end else begin : many_zeros
            assign some = {|s_top[3*GROUP-1:2*GROUP], |s_top[2*GROUP-1:GROUP], |s_top[GROUP-1:0]} & {3{!s_stuck}};
        end
    endgenerate

    // The zeros' digit is at least 1, 2, 3; the limit's, too, or there is none. The lesser of both is 1, 2, 3.
    wire [3:1] zeros = {some == 3'd0, some[2:1] == 2'd0, !some[2]};
    wire [3:1] limit = {&s_limit, s_limit[1], |s_limit} | {3{s_free}};
    wire [3:1] both  = zeros & limit;

    assign m_digit = {both[2], both[3] || (both[1] && !both[2])};
    assign m_free  = s_free || (limit & ~zeros) != 3'd0;

endmodule

`default_nettype wire
