// Bench of cycle_counters: random events for random times, in runs of random length, against plain 32-bit counters.
`default_nettype none
`timescale 1ns / 1ps

module tb_cycle_counters;

    localparam integer COUNT = 5;
    localparam integer RUNS  = 40;

    localparam INSTANCE = "counter";

`include "cell_bench.vh"

    reg              rst     = 1'b1;
    reg              clear   = 1'b0;
    reg  [COUNT-1:0] events  = 0;
    reg  [2:0]       index   = 0;
    wire             settled;
    wire [31:0]      count;

    integer expected [1:COUNT];
    integer run;
    integer step;
    integer length;
    integer density;
    integer n;

    cycle_counters #(
        .COUNT (COUNT)
    ) dut (
        .clk      (clk),
        .rst      (rst),
        .clear    (clear),
        .s_events (events),
        .settled  (settled),
        .s_index  (index),
        .m_count  (count)
    );

    initial begin
        repeat (3) @(negedge clk);
        rst = 1'b0;
        for (run = 0; run < RUNS; run = run + 1) begin
            // Every other run starts before the one before has settled.
            repeat ($random & 31) @(negedge clk);
            clear = 1'b1;
            @(negedge clk);
            clear = 1'b0;
            for (n = 1; n <= COUNT; n = n + 1)
                expected[n] = 0;
            length  = $random & (run < 8 ? 15 : 1023);
            density = $random & 3;
            for (step = 0; step < length; step = step + 1) begin
                // Pauses in which the counters settle.
                if (($random & 63) == 0) begin
                    events = 0;
                    repeat ($random & 15) @(negedge clk);
                end
                for (n = 1; n <= COUNT; n = n + 1) begin
                    // The first event is there in every step, the others now and then.
                    events[n-1] = n == 1 || ($random & 3) < density;
                    if (events[n-1])
                        expected[n] = expected[n] + 1;
                end
                @(negedge clk);
            end
            events = 0;
            if (run & 1) begin
                step = 0;
                while (!settled && step < 100) begin
                    @(negedge clk);
                    step = step + 1;
                end
                check(settled, run, "settled");
                for (n = 1; n <= COUNT; n = n + 1) begin
                    index = n;
                    @(negedge clk);
                    check(count === expected[n], n, "count");
                end
            end
        end
        verdict;
    end

endmodule

`default_nettype wire
