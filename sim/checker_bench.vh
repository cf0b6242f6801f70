// What the benches of protocol checkers have in common, beside cell_bench.vh: a rule is broken, and the checker `protocol` must
// say so and say nothing else. `quiet` takes everything from the bus.

    integer rule;

    task restart;
        begin
            quiet;
            rst = 1'b1;
            repeat (2) @(negedge clk);
            rst = 1'b0;
            @(negedge clk);
            protocol.violations = 0;
            for (rule = 0; rule < protocol.RULES; rule = rule + 1) begin
                protocol.broken[rule] = 0;
            end
        end
    endtask

    // The breaches were of this rule, and of no other.
    task expect_rule(input integer which, input [8*20-1:0] what);
        begin
            @(negedge clk);
            quiet;
            check(protocol.broken[which] > 0 && protocol.violations == protocol.broken[which], which, what);
            restart;
        end
    endtask

    task expect_none(input [8*20-1:0] what);
        check(protocol.violations == 0, protocol.violations, what);
    endtask
