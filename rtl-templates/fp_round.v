// fp_round: rounds a magnitude to nearest even and packs it.
//
// Latency     none, combinational
// Parameters  EXPONENT     bits of the exponent
//             SIGNIFICAND  bits of the significand with the hidden one
//
// The significand and its guard bit are s_word or s_other, of which one is zero: an adder is here anyway, and a
// multiplexer in front of it is not. s_exponent is the exponent field less the significand's top bit: 0 for a subnormal
// number, and the rounded result comes out right when the significand overflows.
`default_nettype none

module fp_round #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24
) (
    input  wire                              s_sign,
    input  wire [EXPONENT-1:0]               s_exponent,
    input  wire [SIGNIFICAND:0]              s_word,
    input  wire [SIGNIFICAND:0]              s_other,
    input  wire                              s_sticky,
    output wire [EXPONENT+SIGNIFICAND-1:0]   m_result
);

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + FRACTION;

    wire             top     = s_word[SIGNIFICAND] || s_other[SIGNIFICAND];
    wire             up      = (s_word[0] || s_other[0]) && (s_sticky || s_word[1] || s_other[1]);
    // The increment enters as a carry, so one adder is enough.
    /* verilator lint_off UNUSEDSIGNAL */ // the carry's bit
    wire [WIDTH:0]   rounded = {s_exponent, s_word[SIGNIFICAND-1:1], 1'b1}
                               + {{(EXPONENT - 1) {1'b0}}, top, s_other[SIGNIFICAND-1:1], up};
    /* verilator lint_on UNUSEDSIGNAL */

    assign m_result = {s_sign, rounded[WIDTH:1]};

endmodule

`default_nettype wire
