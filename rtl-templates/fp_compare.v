// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_compare: a < b and a = b of IEEE 754-2019. With a NaN neither holds; zeros of both signs are equal.
//
// Latency     LATENCY; one comparison per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys at LATENCY 1: binary32 75 ALUTs, binary64 149
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             LATENCY      1 or 2
`default_nettype none

module fp_compare #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer LATENCY     = 1
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_b,
    output wire                            m_less,
    output wire                            m_equal
);

    generate
        if (LATENCY < 1 || LATENCY > 2) begin : illegal_latency
            fp_compare_error_LATENCY_must_be_1_or_2 stop ();
        end
    endgenerate

    localparam integer FRACTION  = SIGNIFICAND - 1;
    localparam integer MAGNITUDE = EXPONENT + FRACTION;

    wire nan_a   = &s_a[MAGNITUDE-1:FRACTION] && |s_a[FRACTION-1:0];
    wire nan_b   = &s_b[MAGNITUDE-1:FRACTION] && |s_b[FRACTION-1:0];
    wire zeros_0 = {s_a[MAGNITUDE-1:0], s_b[MAGNITUDE-1:0]} == {(2 * MAGNITUDE) {1'b0}};
    wire less_0  = s_a[MAGNITUDE-1:0] < s_b[MAGNITUDE-1:0];
    wire same_0  = s_a[MAGNITUDE-1:0] == s_b[MAGNITUDE-1:0];

    wire sign_a;
    wire sign_b;
    wire nan;
    wire zeros;
    wire less;
    wire same;

    delay_line #(
        .WIDTH  (6),
        .CYCLES (LATENCY - 1)
    ) u_magnitudes (
        .clk    (clk),
        .s_data ({s_a[MAGNITUDE], s_b[MAGNITUDE], nan_a || nan_b, zeros_0, less_0, same_0}),
        .m_data ({sign_a, sign_b, nan, zeros, less, same})
    );

    // Of two negative numbers the one of greater magnitude is less.
    wire negative_less = sign_b ? !less && !same : !zeros;
    wire is_less       = !nan && (sign_a ? negative_less : less && !sign_b);
    wire is_equal      = !nan && ((same && sign_a == sign_b) || zeros);

    delay_line #(
        .WIDTH  (2),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data ({is_less, is_equal}),
        .m_data ({m_less, m_equal})
    );

endmodule

`default_nettype wire
