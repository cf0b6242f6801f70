// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_scale: a 2^POWER, or -a 2^POWER, of IEEE 754-2019, rounded to nearest even, with subnormal numbers: the product by a power of two,
// or the quotient, without a multiplier. Any NaN gives the quiet NaN.
//
// Latency     LATENCY; one number per cycle, all registers move in every cycle
// Resources   Cyclone V by Yosys at LATENCY 2: POWER 1, -1, -3, -16 in binary32 63, 94, 119, 181 ALUTs and 67 registers, in binary64
//             109, 170, 225, 352 and 131; no DSP
// Parameters  EXPONENT     bits of the exponent: 8 for binary32, 11 for binary64
//             SIGNIFICAND  bits of the significand with the hidden one: 24, 53
//             POWER        -16 to 3, not 0
//             NEGATIVE     1 for -a 2^POWER
//             LATENCY      1 or 2
`default_nettype none

module fp_scale #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    parameter integer POWER       = 1,
    parameter integer NEGATIVE    = 0,
    parameter integer LATENCY     = 2
) (
    input  wire                            clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0] s_a,
    output wire [EXPONENT+SIGNIFICAND-1:0] m_result
);

    generate
        if (LATENCY < 1 || LATENCY > 2) begin : illegal_latency
            fp_scale_error_LATENCY_must_be_1_or_2 stop ();
        end
        if (POWER < -16 || POWER > 3 || POWER == 0) begin : illegal_power
            fp_scale_error_POWER_must_be_minus_16_to_3_and_not_0 stop ();
        end
    endgenerate

    localparam integer FRACTION  = SIGNIFICAND - 1;
    localparam integer MAGNITUDE = EXPONENT + FRACTION;

    wire [EXPONENT-1:0] exponent = s_a[MAGNITUDE-1:FRACTION];
    wire [FRACTION-1:0] fraction = s_a[FRACTION-1:0];
    wire                special  = &exponent;
    wire                nan_0    = special && |fraction;

    // Before it is rounded: what is added in the last place, and whether all of it is more than the largest number.
    wire                 infinite_0;
    wire                 up_0;
    wire [MAGNITUDE-1:0] magnitude_0;

    generate
        if (POWER > 0) begin : upwards
            localparam integer        LARGEST = (1 << EXPONENT) - 1 - POWER;
            localparam [EXPONENT-1:0] LIMIT   = LARGEST[EXPONENT-1:0];
            localparam [EXPONENT-1:0] STEP    = POWER[EXPONENT-1:0];

            // Subnormal numbers are doubled POWER times: a bit that leaves the fraction is the exponent 1.
            reg [MAGNITUDE-1:0] doubled;
            integer             k;

            always @(*) begin
                doubled = s_a[MAGNITUDE-1:0];
                for (k = 0; k < POWER; k = k + 1) begin
                    if (doubled[MAGNITUDE-1:FRACTION] == {EXPONENT{1'b0}}) begin
                        doubled = {doubled[MAGNITUDE-2:0], 1'b0};
                    end else begin
                        doubled[MAGNITUDE-1:FRACTION] = doubled[MAGNITUDE-1:FRACTION] + 1'b1;
                    end
                end
            end

            assign infinite_0  = exponent >= LIMIT;
            assign up_0        = 1'b0;
            assign magnitude_0 = exponent == {EXPONENT{1'b0}}
                ? doubled : {exponent + STEP, fraction};
        end else begin : downwards
            localparam integer        DOWN   = -POWER;
            localparam integer        AMOUNT = $clog2(DOWN + 1);
            localparam [EXPONENT-1:0] STEP   = DOWN[EXPONENT-1:0];
            localparam [AMOUNT-1:0]   MOST   = DOWN[AMOUNT-1:0];

            // A result of a small exponent is subnormal: the significand goes right until the exponent is that of subnormal numbers, with
            // the bits that leave it behind.
            wire                         stays  = exponent > STEP;
            wire                         normal = exponent != {EXPONENT{1'b0}};
            wire [AMOUNT-1:0]            above  = normal ? exponent[AMOUNT-1:0] - 1'b1 : {AMOUNT{1'b0}};
            wire [AMOUNT-1:0]            amount = MOST - above;
            wire [SIGNIFICAND+DOWN-1:0]  moved  = {normal, fraction, {DOWN{1'b0}}} >> amount;
            wire [DOWN-1:0]              left   = moved[DOWN-1:0];
            // Those below half of the last place.
            wire [DOWN-1:0]              below  = left << 1;

            assign infinite_0  = special;
            assign up_0        = !stays && left[DOWN-1] && (|below || moved[DOWN]);
            assign magnitude_0 = stays ? {exponent - STEP, fraction} : {{EXPONENT{1'b0}}, moved[FRACTION+DOWN-1:DOWN]};

            wire unused = &{1'b0, moved[SIGNIFICAND+DOWN-1], 1'b0};
        end
    endgenerate

    wire                 sign;
    wire                 nan;
    wire                 infinite;
    wire                 up;
    wire [MAGNITUDE-1:0] magnitude;

    delay_line #(
        .WIDTH  (4 + MAGNITUDE),
        .CYCLES (LATENCY - 1)
    ) u_magnitude (
        .clk    (clk),
        .s_data ({s_a[MAGNITUDE] ^ (NEGATIVE != 0), nan_0, infinite_0, up_0, magnitude_0}),
        .m_data ({sign, nan, infinite, up, magnitude})
    );

    // Rounding up goes on into the exponent.
    wire [MAGNITUDE-1:0] rounded = magnitude + {{(MAGNITUDE - 1) {1'b0}}, up};

    delay_line #(
        .WIDTH  (1 + MAGNITUDE),
        .CYCLES (1)
    ) u_result (
        .clk    (clk),
        .s_data ({sign && !nan, nan || infinite ? {{EXPONENT{1'b1}}, nan, {(FRACTION - 1) {1'b0}}} : rounded}),
        .m_data (m_result)
    );

endmodule

`default_nettype wire
