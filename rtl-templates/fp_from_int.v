// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_from_int: an integer to a floating-point number, rounded to nearest even.
//
// Latency     LATENCY; one number per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys, 32 bits to binary32 at LATENCY 4: 253 ALUTs, 145 registers
// Parameters  WIDTH        bits of the integer, at least 2
//             SIGNED       1: two's complement, 0: unsigned
//             EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             LATENCY      1 to 4
`default_nettype none

module fp_from_int #(
    parameter integer WIDTH       = 32,
    parameter integer SIGNED      = 1,
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer LATENCY     = 4
) (
    input  wire                            clk,
    input  wire [WIDTH-1:0]                s_integer,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    localparam integer RESULT = EXPONENT + SIGNIFICAND;
    localparam integer COUNT  = $clog2(WIDTH + 1);
    // The integer with zeros below, down to one more bit than the significand and its guard.
    localparam integer WORD   = WIDTH > SIGNIFICAND + 2 ? WIDTH : SIGNIFICAND + 2;
    localparam integer BELOW  = WORD - WIDTH;

    // fp_round wants the exponent without the significand's top bit.
    localparam integer        HIGHEST = (1 << (EXPONENT - 1)) + WIDTH - 3;
    localparam [EXPONENT-1:0] FIELD   = HIGHEST[EXPONENT-1:0];

    localparam integer CUT_SHIFT     = LATENCY >= 2 ? 1 : 0;
    localparam integer CUT_MAGNITUDE = LATENCY >= 3 ? 1 : 0;
    localparam integer CUT_COUNT     = LATENCY >= 4 ? 1 : 0;

    generate
        if (LATENCY < 1 || LATENCY > 4) begin : illegal_latency
            fp_from_int_error_LATENCY_must_be_1_to_4 stop ();
        end
        if (WIDTH < 2 || HIGHEST >= (1 << EXPONENT) - 2) begin : illegal_width
            fp_from_int_error_WIDTH_must_be_2_to_the_range stop ();
        end
        if (SIGNED != 0 && SIGNED != 1) begin : illegal_signed
            fp_from_int_error_SIGNED_must_be_0_or_1 stop ();
        end
    endgenerate

    wire             sign_0      = SIGNED == 1 && s_integer[WIDTH-1];
    wire [WIDTH-1:0] magnitude_0 = sign_0 ? -s_integer : s_integer;
    wire             sign_1;
    wire [WIDTH-1:0] magnitude_1;
    wire [COUNT-1:0] zeros_1;

    delay_line #(
        .WIDTH  (WIDTH + 1),
        .CYCLES (CUT_MAGNITUDE)
    ) u_magnitude (
        .clk    (clk),
        .s_data ({sign_0, magnitude_0}),
        .m_data ({sign_1, magnitude_1})
    );

    leading_zeros #(
        .WIDTH       (WIDTH),
        .COUNT_WIDTH (COUNT)
    ) u_zeros (
        .s_data  (magnitude_1),
        .m_count (zeros_1)
    );

    wire             sign_2;
    wire [WIDTH-1:0] magnitude_2;
    wire [COUNT-1:0] zeros_2;

    delay_line #(
        .WIDTH  (WIDTH + 1 + COUNT),
        .CYCLES (CUT_COUNT)
    ) u_count (
        .clk    (clk),
        .s_data ({sign_1, magnitude_1, zeros_1}),
        .m_data ({sign_2, magnitude_2, zeros_2})
    );

    wire [WIDTH-1:0]    shifted_2 = magnitude_2 << zeros_2;
    wire [EXPONENT-1:0] highest_2 = FIELD - {{(EXPONENT - COUNT) {1'b0}}, zeros_2};
    wire [EXPONENT-1:0] field_2   = shifted_2[WIDTH-1] ? highest_2 : {EXPONENT{1'b0}};

    wire                sign_3;
    wire [WIDTH-1:0]    shifted_3;
    wire [EXPONENT-1:0] field_3;

    delay_line #(
        .WIDTH  (WIDTH + 1 + EXPONENT),
        .CYCLES (CUT_SHIFT)
    ) u_shift (
        .clk    (clk),
        .s_data ({sign_2, shifted_2, field_2}),
        .m_data ({sign_3, shifted_3, field_3})
    );

    wire [WORD-1:0] word;

    generate
        if (BELOW == 0) begin : long_integer
            assign word = shifted_3;
        end else begin : short_integer
            assign word = {shifted_3, {BELOW{1'b0}}};
        end
    endgenerate

    wire [RESULT-1:0] rounded;

    fp_round #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND)
    ) u_round (
        .s_sign     (sign_3),
        .s_number   ({field_3, word[WORD-2:WORD-SIGNIFICAND-1]}),
        .s_addend   ({{(EXPONENT - 1) {1'b0}}, word[WORD-1], {SIGNIFICAND{1'b0}}}),
        .s_sticky   (|word[WORD-SIGNIFICAND-2:0]),
        .m_result   (rounded)
    );

    delay_line #(
        .WIDTH  (RESULT),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data (rounded),
        .m_data (m_result)
    );

endmodule

`default_nettype wire
