// SPDX-License-Identifier: MIT OR Apache-2.0
//
// owed_refreshes: counts the refreshes that a memory controller owes, and tells when it should give them.
//
// They are given when the controller is idle, when three are owed at a turnaround, or at once when four are owed; always
// all that are owed. A device lets eight be owed.
//
// Latency     one cycle from due and given to last and now
// Parameters  FIRST  owed after reset, for the start-up, 1 to 8
// Handshake   none. due: one more is owed. given: one is given, of one or more that are owed. last: one is owed. now: all
//             should be given.
`default_nettype none

module owed_refreshes #(
    parameter integer FIRST = 2
) (
    input  wire clk,
    input  wire rst,
    input  wire due,
    input  wire given,
    input  wire idle,
    input  wire turnaround,
    output wire last,
    output wire now
);

    generate
        if (FIRST < 1 || FIRST > 8) begin : illegal_first
            owed_refreshes_error_FIRST_must_be_1_to_8 stop ();
        end
    endgenerate

    localparam integer WIDTH = FIRST == 8 ? 4 : 3;

    reg [WIDTH-1:0] owed_reg;

    assign last = owed_reg == 1;
    assign now  = owed_reg[2] || (owed_reg[1] && owed_reg[0] && turnaround) || (|owed_reg && idle);

    always @(posedge clk) begin
        if (due && !given) begin
            owed_reg <= owed_reg + 1'b1;
        end else if (given && !due) begin
            owed_reg <= owed_reg - 1'b1;
        end
        if (rst) begin
            owed_reg <= FIRST[WIDTH-1:0];
        end
    end

endmodule

`default_nettype wire
