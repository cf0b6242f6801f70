// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_round: rounds a magnitude to nearest even and packs it.
//
// Latency     none, combinational
// Parameters  EXPONENT     bits of the exponent
//             SIGNIFICAND  bits of the significand with the hidden one
//
// The number is the sum of s_number and s_addend: exponent field, fraction and guard bit each, and in one of them both
// fraction and guard are zero. An adder is here anyway, and what it joins needs no multiplexer. The field of a number
// that is not subnormal may come as exponent and significand's top bit, one in each. Where the fraction overflows, the
// carry into the field makes the result right.
`default_nettype none

module fp_round #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24
) (
    input  wire                            s_sign,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_number,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_addend,
    input  wire                            s_sticky,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (EXPONENT < 2 || SIGNIFICAND < 2) begin : illegal_format
            fp_round_error_EXPONENT_and_SIGNIFICAND_must_be_at_least_2 stop ();
        end
    endgenerate

    localparam integer WIDTH = EXPONENT + SIGNIFICAND;

    wire             up      = (s_number[0] || s_addend[0]) && (s_sticky || s_number[1] || s_addend[1]);
    // The increment enters as a carry, so one adder is enough.
    /* verilator lint_off UNUSEDSIGNAL */ // the carry's bit
    wire [WIDTH-1:0] rounded = {s_number[WIDTH-1:1], 1'b1} + {s_addend[WIDTH-1:1], up};
    /* verilator lint_on UNUSEDSIGNAL */

    assign m_result = {s_sign, rounded[WIDTH-1:1]};

endmodule

`default_nettype wire
