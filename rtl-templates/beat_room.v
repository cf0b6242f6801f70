// SPDX-License-Identifier: MIT OR Apache-2.0
//
// beat_room: counts the free beats of the FIFO behind a bus, and grants bursts that fit.
//
// Latency     granted follows s_burst_length in the same cycle; taken and returned count in the next.
// Parameters  DEPTH  beats of the FIFO, at least the longest burst
// Handshake   granted is high when s_burst_length + 1 beats are free; taken takes them, and needs granted; returned
//             gives one back.
`default_nettype none

module beat_room #(
    parameter integer DEPTH = 512
) (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] s_burst_length,
    output wire       granted,
    input  wire       taken,
    input  wire       returned
);

    generate
        if (DEPTH < 1) begin : illegal_depth
            beat_room_error_DEPTH_must_be_at_least_1 stop ();
        end
    endgenerate

    // Holds the numbers 0 to DEPTH, and the beats of any burst.
    localparam integer WIDTH = DEPTH < 256 ? 9 : $clog2(DEPTH + 1);

    reg  [WIDTH-1:0] free_reg;
    wire [WIDTH-1:0] length = {{(WIDTH - 8){1'b0}}, s_burst_length};

    assign granted = length < free_reg;

    always @(posedge clk) begin
        case ({taken, returned})
            2'b01: free_reg <= free_reg + 1'b1;
            2'b10: free_reg <= free_reg + ~length;
            2'b11: free_reg <= free_reg - length;
            default: ;
        endcase
        if (rst) begin
            free_reg <= DEPTH[WIDTH-1:0];
        end
    end

`ifdef FORMAL
    reg started_reg = 1'b0;

    always @(posedge clk) begin
        started_reg <= 1'b1;
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!taken || granted);
        assume (!started_reg || !returned || free_reg != DEPTH[WIDTH-1:0]);
        if (started_reg) begin
            assert (free_reg <= DEPTH[WIDTH-1:0]);
            cover (free_reg != DEPTH[WIDTH-1:0] && returned && taken);
            cover (!granted);
        end
    end
`endif

endmodule

`default_nettype wire
