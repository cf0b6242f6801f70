// All floating-point cells of one format side by side, for sim/fp_bench.cpp, and the latency of each.
`default_nettype none

module fp_operators #(
    parameter integer EXPONENT    = 8,
    parameter integer SIGNIFICAND = 24,
    // The format of the conversions.
    parameter integer OTHER_EXPONENT    = 11,
    parameter integer OTHER_SIGNIFICAND = 53,
    // 0: every cell with the latency it has by default; else every cell with this latency, or the one nearest to it.
    parameter integer LATENCY = 0,
    parameter integer BLOCK   = 18
) (
    input  wire                                        clk,
    input  wire [EXPONENT+SIGNIFICAND-1:0]             s_a,
    input  wire [EXPONENT+SIGNIFICAND-1:0]             s_b,
    input  wire [63:0]                                 s_integer,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_add,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_multiply,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_divide,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_sqrt,
    // By powers of two.
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_twice,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_by_8,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_half,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_minus_eighth,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_over_65536,
    output wire                                        m_less,
    output wire                                        m_equal,
    output wire [OTHER_EXPONENT+OTHER_SIGNIFICAND-1:0] m_convert,
    // From and to integers of 8, 16, 32 and 64 bits.
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_i8,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_u8,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_i16,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_u16,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_i32,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_u32,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_i64,
    output wire [EXPONENT+SIGNIFICAND-1:0]             m_from_u64,
    output wire [7:0]                                  m_to_8,
    output wire [15:0]                                 m_to_16,
    output wire [31:0]                                 m_to_32,
    output wire [63:0]                                 m_to_64,
    output wire [31:0]                                 latency_add,
    output wire [31:0]                                 latency_multiply,
    output wire [31:0]                                 latency_divide,
    output wire [31:0]                                 latency_sqrt,
    output wire [31:0]                                 latency_scale,
    output wire [31:0]                                 latency_compare,
    output wire [31:0]                                 latency_convert,
    output wire [31:0]                                 latency_from,
    output wire [31:0]                                 latency_to
);

    function integer choose(input integer standard, input integer most);
        choose = LATENCY == 0 ? standard : LATENCY > most ? most : LATENCY;
    endfunction

    localparam integer WIDENS   = OTHER_SIGNIFICAND > SIGNIFICAND ? 1 : 0;
    localparam integer ADD      = choose(9, 9);
    localparam integer MULTIPLY = choose(SIGNIFICAND > 24 ? 10 : 9, 10);
    localparam integer DIGITS   = LATENCY == 0 ? 1 : LATENCY;
    localparam integer SCALE    = choose(2, 2);
    localparam integer COMPARE  = choose(1, 2);
    localparam integer CONVERT  = choose(2, WIDENS == 1 ? 2 : 5);
    localparam integer FROM     = choose(4, 4);
    localparam integer TO       = choose(3, 3);

    assign latency_add      = ADD;
    assign latency_multiply = MULTIPLY;
    assign latency_divide   = 6 + (SIGNIFICAND + 1 + DIGITS) / DIGITS;
    assign latency_sqrt     = 3 + (SIGNIFICAND + DIGITS) / DIGITS;
    assign latency_scale    = SCALE;
    assign latency_compare  = COMPARE;
    assign latency_convert  = CONVERT;
    assign latency_from     = FROM;
    assign latency_to       = TO;

    fp_add #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .LATENCY     (ADD)
    ) u_add (
        .clk      (clk),
        .s_a      (s_a),
        .s_b      (s_b),
        .m_result (m_add)
    );

    fp_multiply #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .BLOCK       (BLOCK),
        .LATENCY     (MULTIPLY)
    ) u_multiply (
        .clk      (clk),
        .s_a      (s_a),
        .s_b      (s_b),
        .m_result (m_multiply)
    );

    fp_divide #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .DIGITS      (DIGITS)
    ) u_divide (
        .clk      (clk),
        .s_a      (s_a),
        .s_b      (s_b),
        .m_result (m_divide)
    );

    fp_sqrt #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .DIGITS      (DIGITS)
    ) u_sqrt (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_sqrt)
    );

    fp_scale #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .POWER       (1),
        .NEGATIVE    (0),
        .LATENCY     (SCALE)
    ) u_twice (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_twice)
    );

    fp_scale #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .POWER       (3),
        .NEGATIVE    (0),
        .LATENCY     (SCALE)
    ) u_by_8 (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_by_8)
    );

    fp_scale #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .POWER       (-1),
        .NEGATIVE    (0),
        .LATENCY     (SCALE)
    ) u_half (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_half)
    );

    fp_scale #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .POWER       (-3),
        .NEGATIVE    (1),
        .LATENCY     (SCALE)
    ) u_minus_eighth (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_minus_eighth)
    );

    fp_scale #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .POWER       (-16),
        .NEGATIVE    (0),
        .LATENCY     (SCALE)
    ) u_over_65536 (
        .clk      (clk),
        .s_a      (s_a),
        .m_result (m_over_65536)
    );

    fp_compare #(
        .EXPONENT    (EXPONENT),
        .SIGNIFICAND (SIGNIFICAND),
        .LATENCY     (COMPARE)
    ) u_compare (
        .clk     (clk),
        .s_a     (s_a),
        .s_b     (s_b),
        .m_less  (m_less),
        .m_equal (m_equal)
    );

    generate
        if (WIDENS == 1) begin : widen
            fp_widen #(
                .EXPONENT         (EXPONENT),
                .SIGNIFICAND      (SIGNIFICAND),
                .WIDE_EXPONENT    (OTHER_EXPONENT),
                .WIDE_SIGNIFICAND (OTHER_SIGNIFICAND),
                .LATENCY          (CONVERT)
            ) u_widen (
                .clk      (clk),
                .s_a      (s_a),
                .m_result (m_convert)
            );
        end else begin : narrow
            fp_narrow #(
                .WIDE_EXPONENT    (EXPONENT),
                .WIDE_SIGNIFICAND (SIGNIFICAND),
                .EXPONENT         (OTHER_EXPONENT),
                .SIGNIFICAND      (OTHER_SIGNIFICAND),
                .LATENCY          (CONVERT)
            ) u_narrow (
                .clk      (clk),
                .s_a      (s_a),
                .m_result (m_convert)
            );
        end
    endgenerate

    wire [EXPONENT+SIGNIFICAND-1:0] from_int [0:7];

    assign m_from_u8  = from_int[0];
    assign m_from_i8  = from_int[1];
    assign m_from_u16 = from_int[2];
    assign m_from_i16 = from_int[3];
    assign m_from_u32 = from_int[4];
    assign m_from_i32 = from_int[5];
    assign m_from_u64 = from_int[6];
    assign m_from_i64 = from_int[7];

    genvar index;

    generate
        for (index = 0; index < 8; index = index + 1) begin : integers
            fp_from_int #(
                .WIDTH       (8 << (index / 2)),
                .SIGNED      (index % 2),
                .EXPONENT    (EXPONENT),
                .SIGNIFICAND (SIGNIFICAND),
                .LATENCY     (FROM)
            ) u_from_int (
                .clk       (clk),
                .s_integer (s_integer[(8<<(index/2))-1:0]),
                .m_result  (from_int[index])
            );
        end
    endgenerate

    fp_to_int #(.EXPONENT (EXPONENT), .SIGNIFICAND (SIGNIFICAND), .WIDTH (8), .LATENCY (TO)) u_to_8 (
        .clk       (clk),
        .s_a       (s_a),
        .m_integer (m_to_8)
    );

    fp_to_int #(.EXPONENT (EXPONENT), .SIGNIFICAND (SIGNIFICAND), .WIDTH (16), .LATENCY (TO)) u_to_16 (
        .clk       (clk),
        .s_a       (s_a),
        .m_integer (m_to_16)
    );

    fp_to_int #(.EXPONENT (EXPONENT), .SIGNIFICAND (SIGNIFICAND), .WIDTH (32), .LATENCY (TO)) u_to_32 (
        .clk       (clk),
        .s_a       (s_a),
        .m_integer (m_to_32)
    );

    fp_to_int #(.EXPONENT (EXPONENT), .SIGNIFICAND (SIGNIFICAND), .WIDTH (64), .LATENCY (TO)) u_to_64 (
        .clk       (clk),
        .s_a       (s_a),
        .m_integer (m_to_64)
    );

endmodule

`default_nettype wire
