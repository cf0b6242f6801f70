// What benches have in common, beside cell_bench.vh, that end when all CASES of the cell have said so in `ended`, or at the
// DEADLINE.

    integer ended = 0;

    always @(posedge clk) begin
        if (ended == CASES || cycle == DEADLINE) begin
            check(ended == CASES, ended, "end reached");
            verdict;
        end
    end
