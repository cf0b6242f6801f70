// What benches have in common, beside cell_bench.vh, that take a number of CYCLES, with a second reset after RESTART of them.

    reg rst = 1'b1;

    always @(posedge clk) begin
        rst <= cycle < 3 || (cycle >= RESTART && cycle < RESTART + 3);
        if (cycle == CYCLES) begin
            verdict;
        end
    end
