// Bench of store_tracker: random commands, ends and completions; an end mark comes out when, and only when, all commands
// before it have been written.
`default_nettype none
`timescale 1ns / 1ps

module tb_store_tracker;

    localparam integer ENDS = 3000;
    localparam INSTANCE = "end";

`include "cell_bench.vh"

    reg  rst = 1'b1;
    reg  s_command = 1'b0;
    reg  s_written = 1'b0;
    reg  s_end     = 1'b0;
    wire m_end;

    store_tracker #(
        .COUNT_WIDTH (5),
        .DEPTH       (8)
    ) dut (
        .clk       (clk),
        .rst       (rst),
        .s_command (s_command),
        .s_written (s_written),
        .s_end     (s_end),
        .m_end     (m_end)
    );

    integer commands = 0, written = 0, ends = 0, ended = 0, waited = 0;
    integer before [0:ENDS];   // commands before each end mark
    integer pace = 0;

    always @(negedge clk) begin
        rst = cycle < 4;
        if (cycle % 64 == 0) pace = $random & 3;
        if (!rst) begin
            // What the edge between has taken.
            if (s_command) commands = commands + 1;
            if (s_written) written = written + 1;
            if (s_end) ends = ends + 1;
            if (m_end) begin
                check(ended < ends, ended, "no end mark inside");
                check(ended >= ends || before[ended] <= written, ended, "before its stores");
                ended = ended + 1;
                waited = 0;
            end else if (ended < ends && before[ended] <= written) begin
                waited = waited + 1;
                check(waited < 5, ended, "late");
            end
            s_command = commands - written < 15 && ($random & 3) > pace - 2;
            s_written = written < commands && ($random & 3) < pace;
            s_end = 1'b0;
            // A command of this cycle is not before the end mark of this cycle.
            if (ends < ENDS && ends - ended < 8 && ($random & 7) == 0) begin
                s_end = 1'b1;
                s_command = 1'b0;
                before[ends] = commands;
            end
            if (ended == ENDS || cycle == 200000) begin
                check(ended == ENDS, ended, "end reached");
                verdict;
            end
        end
    end

endmodule

`default_nettype wire
