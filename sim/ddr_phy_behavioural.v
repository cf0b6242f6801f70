// ddr_phy_behavioural: joins ddr_controller to the pins of a x8 DDR SDRAM. For simulation only, it is made of delays.
//
// `clk2x` has twice the rate of `clk`, and its rising edges include those of `clk`. The device's clock is `clk2x`:
// slot 0 of a cycle is sampled in the middle of the cycle, 5 ns after the edge of `clk`, slot 1 at its end.
// Commands change at the falling edge of the device's clock. Written data are centred on DQS, whose edges are those
// of the clock, with half a clock of preamble and of postamble. Read data are taken by a strobe a quarter of a clock
// after the edges of the clock.
//
// Latency     phy_read_valid comes three cycles after phy_read_enable, at CAS latency 3
// Parameters  QUARTER  a quarter of the device's clock, ns
`default_nettype none
`timescale 1ns / 1ps

module ddr_phy_behavioural #(
    parameter real QUARTER = 1.25
) (
    input  wire        clk,
    input  wire        clk2x,
    input  wire        rst,

    input  wire        phy_cke,
    input  wire [2:0]  phy_command_0,
    input  wire [1:0]  phy_bank_0,
    input  wire [11:0] phy_address_0,
    input  wire [2:0]  phy_command_1,
    input  wire [1:0]  phy_bank_1,
    input  wire [11:0] phy_address_1,
    input  wire        phy_write_enable,
    input  wire [31:0] phy_write_data,
    input  wire [3:0]  phy_write_mask,
    input  wire        phy_read_enable,
    output reg         phy_read_valid,
    output reg  [31:0] phy_read_data,

    output wire        ddr_ck,
    output wire        ddr_ck_n,
    output reg         ddr_cke,
    output wire        ddr_cs_n,
    output reg         ddr_ras_n,
    output reg         ddr_cas_n,
    output reg         ddr_we_n,
    output reg  [1:0]  ddr_ba,
    output reg  [11:0] ddr_a,
    output reg         ddr_dm,
    inout  wire [7:0]  ddr_dq,
    inout  wire        ddr_dqs
);

    assign ddr_ck   = clk2x;
    assign ddr_ck_n = ~clk2x;
    assign ddr_cs_n = 1'b0;

    initial begin
        ddr_cke = 1'b0;
        {ddr_ras_n, ddr_cas_n, ddr_we_n} = 3'b111;
        ddr_ba  = 2'd0;
        ddr_a   = 12'd0;
    end

    // In the first half of a cycle of clk, slot 0.
    always @(negedge clk2x) begin
        ddr_cke                          <= phy_cke;
        {ddr_ras_n, ddr_cas_n, ddr_we_n} <= clk ? phy_command_0 : phy_command_1;
        ddr_ba                           <= clk ? phy_bank_0 : phy_bank_1;
        ddr_a                            <= clk ? phy_address_0 : phy_address_1;
    end

    // The word of a write in slot 1 goes out in the next cycle.
    reg        word_valid = 1'b0;
    reg [31:0] word_data;
    reg [3:0]  word_mask;

    always @(posedge clk) begin
        word_valid <= phy_write_enable;
        word_data  <= phy_write_data;
        word_mask  <= phy_write_mask;
    end

    // A beat per edge of clk2x, the first a quarter of a clock before the middle of the cycle.
    reg        beats_valid = 1'b0;
    reg [31:0] beats_data;
    reg [3:0]  beats_mask;
    reg        dq_enable = 1'b0;
    reg [7:0]  dq_out;

    always @(clk2x)
        if (!clk2x && clk) begin
            beats_valid <= word_valid;
            beats_data  <= word_data;
            beats_mask  <= word_mask;
        end else begin
            beats_data  <= beats_data >> 8;
            beats_mask  <= beats_mask >> 1;
        end

    initial ddr_dm = 1'b0;

    reg dqs_enable = 1'b0;
    reg dqs_out = 1'b0;

    always @(clk2x)
        if (clk2x) begin
            dqs_out    <= beats_valid;
            dqs_enable <= beats_valid;
        end else begin
            dqs_out <= 1'b0;
            if (clk && word_valid)
                dqs_enable <= 1'b1;
        end

    assign ddr_dq  = dq_enable ? dq_out : 8'bz;
    assign ddr_dqs = dqs_enable ? dqs_out : 1'bz;

    // At CAS latency 3 the beats of a word fill the second cycle after that of its command.
    reg [31:0] captured;
    reg [1:0]  read_pipe = 2'b00;

    initial phy_read_valid = 1'b0;

    // A quarter of a clock after each edge for which a beat comes or goes. A simulator's work is the times at which something
    // happens and the processes that wait for them: there are none while the bus is still.
    reg edge_of_beat = 1'b0;

    always @(clk2x)
        if (word_valid || beats_valid || dq_enable || read_pipe != 2'b00)
            edge_of_beat <= !edge_of_beat;

    always @(edge_of_beat) begin
        #(QUARTER);
        dq_enable <= beats_valid;
        dq_out    <= beats_data[7:0];
        ddr_dm    <= beats_valid & beats_mask[0];
        captured  <= {ddr_dq, captured[31:8]};
    end

    always @(posedge clk) begin
        read_pipe      <= rst ? 2'b00 : {read_pipe[0], phy_read_enable};
        phy_read_valid <= !rst && read_pipe[1];
        if (read_pipe[1])
            phy_read_data <= captured;
    end

endmodule

`default_nettype wire
