// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_digit: a digit of the amount by which a word is shifted left: that of the zeros above its highest one, or of a
// limit where that is less. Digits have the values 0 to 3; those before are found, and the word is shifted by them.
//
// Latency     none, combinational
//
// s_some says in which of the first, second and third group of bits, as many as the digit's weight, there is a one; the
// first is bit 2. s_limit is the limit's digit, s_free says that the digits before are less than the limit's.
`default_nettype none

module fp_digit (
    input  wire [2:0] s_some,
    input  wire [1:0] s_limit,
    input  wire       s_free,
    output wire [1:0] m_digit,
    output wire       m_free
);

    // The zeros' digit is at least 1, 2, 3; the limit's, too, or there is none. The lesser of both is 1, 2, 3.
    wire [3:1] zeros = {s_some == 3'd0, s_some[2:1] == 2'd0, !s_some[2]};
    wire [3:1] limit = {&s_limit, s_limit[1], |s_limit} | {3{s_free}};
    wire [3:1] both  = zeros & limit;

    assign m_digit = {both[2], both[3] || (both[1] && !both[2])};
    assign m_free  = s_free || (limit & ~zeros) != 3'd0;

endmodule

`default_nettype wire
