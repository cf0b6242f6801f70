// SPDX-License-Identifier: MIT OR Apache-2.0
//
// leading_zeros: zeros above the highest one of a word, by a tree of pairs.
//
// Latency     none, combinational
// Parameters  WIDTH        bits of the word, at least 1
//             COUNT_WIDTH  bits that hold the numbers 0 to WIDTH
//
// A word of zeros counts as some number from WIDTH - 1 on.
`default_nettype none

module leading_zeros #(
    parameter integer WIDTH       = 32,
    parameter integer COUNT_WIDTH = 6
) (
    input  wire [WIDTH-1:0]       s_data,
    output wire [COUNT_WIDTH-1:0] m_count
);

    generate
        if (COUNT_WIDTH < 1 || COUNT_WIDTH > 8 || WIDTH < 1 || WIDTH >= (1 << COUNT_WIDTH)) begin : illegal_width
            leading_zeros_error_COUNT_WIDTH_must_hold_WIDTH stop ();
        end
    endgenerate

    localparam integer LEAVES = 1 << COUNT_WIDTH;

    // Ones below the word end the count.
    wire [LEAVES-1:0] padded = {s_data, {(LEAVES - WIDTH) {1'b1}}};

    // Node n of the tree has the children 2 n + 1, its upper half, and 2 n; leaf i is node LEAVES + i.
    reg  [2*LEAVES-1:0]             some;
    reg  [2*LEAVES*COUNT_WIDTH-1:0] count;
    integer                         level;
    integer                         node;

    always @* begin
        some  = {padded, {LEAVES{1'b0}}};
        count = {(2 * LEAVES * COUNT_WIDTH) {1'b0}};
        for (level = 0; level < COUNT_WIDTH; level = level + 1) begin
            for (node = LEAVES >> (level + 1); node < LEAVES >> level; node = node + 1) begin
                some[node] = some[2*node+1] || some[2*node];
                count[node*COUNT_WIDTH+:COUNT_WIDTH] = some[2*node+1] ? count[(2*node+1)*COUNT_WIDTH+:COUNT_WIDTH]
                                                                      : count[2*node*COUNT_WIDTH+:COUNT_WIDTH];
                count[node*COUNT_WIDTH+level] = !some[2*node+1];
            end
        end
    end

    assign m_count = count[COUNT_WIDTH+:COUNT_WIDTH];

endmodule

`default_nettype wire
