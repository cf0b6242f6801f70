// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fp_product: the product of two unsigned numbers, all bits of it, in the multipliers of DSP blocks.
//
// Latency     CUT_PIECES + CUT_MIDDLE + CUT_TOTAL; one product per cycle, all registers move in every cycle
// Parameters  WIDTH       bits of a number, at most three times BLOCK
//             BLOCK       bits of a factor of one DSP block: 18, or 27 in Cyclone V
//             CUT_PIECES  registers behind the blocks, 0 or 1
//             CUT_MIDDLE  registers behind the sum of the middle pieces, 0 or 1
//             CUT_TOTAL   registers behind the sum, 0 or 1
//
// Numbers of one, two or three pieces take 1, 4 or 9 products of a block.
`default_nettype none

module fp_product #(
    parameter integer WIDTH      = 24,
    parameter integer BLOCK      = 18,
    parameter integer CUT_PIECES = 1,
    parameter integer CUT_MIDDLE = 1,
    parameter integer CUT_TOTAL  = 1
) (
    input  wire               clk,
    input  wire [WIDTH-1:0]   s_a,
    input  wire [WIDTH-1:0]   s_b,
    output wire [2*WIDTH-1:0] m_product
);

    generate
        if (WIDTH < 2 || BLOCK < 2 || WIDTH > 3 * BLOCK) begin : illegal_width
            fp_product_error_WIDTH_must_be_2_to_3_times_BLOCK stop ();
        end
    endgenerate

    // A piece has PIECE bits; the highest has HIGH.
    localparam integer PIECES = (WIDTH + BLOCK - 1) / BLOCK;
    localparam integer PIECE  = (WIDTH + PIECES - 1) / PIECES;
    localparam integer HIGH   = WIDTH - (PIECES - 1) * PIECE;
    localparam integer ALL    = 2 * WIDTH;

    wire [ALL-1:0] total;

    delay_line #(
        .WIDTH  (ALL),
        .CYCLES (CUT_TOTAL)
    ) u_total (
        .clk    (clk),
        .s_data (total),
        .m_data (m_product)
    );

    generate
        if (PIECES == 1) begin : one
            wire [ALL-1:0] product = {{WIDTH{1'b0}}, s_a} * {{WIDTH{1'b0}}, s_b};

            delay_line #(
                .WIDTH  (ALL),
                .CYCLES (CUT_PIECES + CUT_MIDDLE)
            ) u_pieces (
                .clk    (clk),
                .s_data (product),
                .m_data (total)
            );
        end else if (PIECES == 2) begin : two
            localparam integer MIXED  = PIECE + HIGH;
            localparam integer MIDDLE = MIXED + 1;

            wire [2*PIECE-1:0] low_0  = {{PIECE{1'b0}}, s_a[PIECE-1:0]} * {{PIECE{1'b0}}, s_b[PIECE-1:0]};
            wire [2*HIGH-1:0]  high_0 = {{HIGH{1'b0}}, s_a[WIDTH-1:PIECE]} * {{HIGH{1'b0}}, s_b[WIDTH-1:PIECE]};
            wire [MIXED-1:0]   left_0 = {{PIECE{1'b0}}, s_a[WIDTH-1:PIECE]} * {{HIGH{1'b0}}, s_b[PIECE-1:0]};
            wire [MIXED-1:0]   right_0 = {{HIGH{1'b0}}, s_a[PIECE-1:0]} * {{PIECE{1'b0}}, s_b[WIDTH-1:PIECE]};
            wire [2*PIECE-1:0] low_1;
            wire [2*HIGH-1:0]  high_1;
            wire [MIXED-1:0]   left_1;
            wire [MIXED-1:0]   right_1;
            wire [2*PIECE-1:0] low_2;
            wire [2*HIGH-1:0]  high_2;
            wire [MIDDLE-1:0]  middle_2;

            delay_line #(
                .WIDTH  (2 * ALL),
                .CYCLES (CUT_PIECES)
            ) u_pieces (
                .clk    (clk),
                .s_data ({low_0, high_0, left_0, right_0}),
                .m_data ({low_1, high_1, left_1, right_1})
            );

            delay_line #(
                .WIDTH  (2 * PIECE + 2 * HIGH + MIDDLE),
                .CYCLES (CUT_MIDDLE)
            ) u_middle (
                .clk    (clk),
                .s_data ({low_1, high_1, {1'b0, left_1} + {1'b0, right_1}}),
                .m_data ({low_2, high_2, middle_2})
            );

            assign total[PIECE-1:0]   = low_2[PIECE-1:0];
            assign total[ALL-1:PIECE] = {high_2, low_2[2*PIECE-1:PIECE]}
                                        + {{(ALL - PIECE - MIDDLE) {1'b0}}, middle_2};
        end else begin : three
            // piece_ij = a_i b_j 2^(PIECE (i + j)). Pieces that do not overlap are one number.
            wire [3*PIECE-1:0] a = {{(3 * PIECE - WIDTH) {1'b0}}, s_a};
            wire [3*PIECE-1:0] b = {{(3 * PIECE - WIDTH) {1'b0}}, s_b};

            wire [18*PIECE-1:0] pieces_0;
            wire [18*PIECE-1:0] pieces_1;

            genvar i;
            genvar j;

            for (i = 0; i < 3; i = i + 1) begin : of_a
                for (j = 0; j < 3; j = j + 1) begin : of_b
                    assign pieces_0[(3*i+j)*2*PIECE+:2*PIECE] = {{PIECE{1'b0}}, a[i*PIECE+:PIECE]}
                                                                * {{PIECE{1'b0}}, b[j*PIECE+:PIECE]};
                end
            end

            delay_line #(
                .WIDTH  (18 * PIECE),
                .CYCLES (CUT_PIECES)
            ) u_pieces (
                .clk    (clk),
                .s_data (pieces_0),
                .m_data (pieces_1)
            );

            wire [2*PIECE-1:0] piece_00;
            wire [2*PIECE-1:0] piece_01;
            wire [2*PIECE-1:0] piece_02;
            wire [2*PIECE-1:0] piece_10;
            wire [2*PIECE-1:0] piece_11;
            wire [2*PIECE-1:0] piece_12;
            wire [2*PIECE-1:0] piece_20;
            wire [2*PIECE-1:0] piece_21;
            wire [2*PIECE-1:0] piece_22;

            assign {piece_22, piece_21, piece_20, piece_12, piece_11, piece_10,
                    piece_02, piece_01, piece_00} = pieces_1;

            wire [4*PIECE:0]   sides_1 = {1'b0, piece_12, piece_01} + {1'b0, piece_21, piece_10};
            wire [2*PIECE:0]   cross_1 = {1'b0, piece_02} + {1'b0, piece_20};
            wire [6*PIECE-1:0] even_2;
            wire [4*PIECE:0]   sides_2;
            wire [2*PIECE:0]   cross_2;

            delay_line #(
                .WIDTH  (12 * PIECE + 2),
                .CYCLES (CUT_MIDDLE)
            ) u_middle (
                .clk    (clk),
                .s_data ({piece_22, piece_11, piece_00, sides_1, cross_1}),
                .m_data ({even_2, sides_2, cross_2})
            );

            /* verilator lint_off UNUSEDSIGNAL */ // the highest bits are zero
            wire [6*PIECE-1:0] sum = even_2 + {{(PIECE - 1) {1'b0}}, sides_2, {PIECE{1'b0}}}
                                     + {{(2 * PIECE - 1) {1'b0}}, cross_2, {(2 * PIECE) {1'b0}}};
            /* verilator lint_on UNUSEDSIGNAL */

            assign total = sum[ALL-1:0];
        end
    endgenerate

endmodule

`default_nettype wire
