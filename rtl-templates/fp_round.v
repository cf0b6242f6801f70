// fp_round: rounds a magnitude to nearest even and packs it.
//
// Latency     none, combinational
// Parameters  EXPONENT     bits of the exponent
//             SIGNIFICAND  bits of the significand with the hidden one
//
// s_exponent is the exponent field less s_significand's top bit: 0 for a subnormal number, and the rounded result comes
// out right when the significand overflows. s_infinite makes infinity of the result, with s_nan the quiet NaN.
`default_nettype none

module fp_round #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24
) (
    input  wire                              s_sign,
    input  wire [EXPONENT-1:0]               s_exponent,
    input  wire [SIGNIFICAND-1:0]            s_significand,
    input  wire                              s_guard,
    input  wire                              s_sticky,
    input  wire                              s_infinite,
    input  wire                              s_nan,
    output wire [EXPONENT+SIGNIFICAND-1:0]   m_result
);

    localparam integer FRACTION = SIGNIFICAND - 1;
    localparam integer WIDTH    = EXPONENT + FRACTION;

    wire             up      = s_guard && (s_sticky || s_significand[0]);
    wire [WIDTH-1:0] hidden  = {{(EXPONENT - 1) {1'b0}}, s_significand[FRACTION], {FRACTION{1'b0}}};
    wire [WIDTH-1:0] kept    = {s_exponent, s_significand[FRACTION-1:0]};
    // The increment enters as a carry, so one adder is enough.
    /* verilator lint_off UNUSEDSIGNAL */ // the carry's bit
    wire [WIDTH:0]   rounded = {kept, 1'b1} + {hidden, up};
    /* verilator lint_on UNUSEDSIGNAL */

    assign m_result = {s_sign, s_infinite ? {{EXPONENT{1'b1}}, s_nan, {(FRACTION - 1) {1'b0}}} : rounded[WIDTH:1]};

endmodule

`default_nettype wire
