// What the benches of bus masters do with each of their masters, in front of `slave` and under `protocol`; `traffic` is
// sim/bus_traffic.v.

            integer k;
            integer begun;
            integer round;

            task check(input ok, input [8*32-1:0] what);
                traffic.check(ok, what);
            endtask

            task restart;
                begin
                    @(negedge clk);
                    rst = 1'b1;
                    traffic.finished = 1'b0;
                    traffic.loads = 0;
                    traffic.stores = 0;
                    traffic.written = 0;
                    repeat (3) @(negedge clk);
                    rst = 1'b0;
                end
            endtask

            // Random commands, while the slave holds back.
            task random_traffic;
                begin
                    for (k = 0; k < BYTES; k = k + 1) begin
                        slave.memory[k] = traffic.start_data(k);
                    end
                    for (round = 1; round <= 3; round = round + 1) begin
                        slave.seed = round + 3 * index;
                        slave.latency = 10 * round;
                        traffic.stalls = round - 1;
                        restart;
                        while (!finished) @(negedge clk);
                    end
                    begun = 0;
                    for (k = 0; k < BYTES; k = k + 1) begin
                        begun = begun + (slave.memory[k] !== traffic.expected[k]);
                    end
                    check(begun == 0, "memory");
                end
            endtask

            // Long commands, nothing holds back: a word per cycle in both directions, but for so many percent.
            task both_directions(input integer percent);
                begin
                    slave.seed = 0;
                    slave.latency = 30;
                    traffic.stalls = 0;
                    traffic.lengths = 500;
                    traffic.apart = 1;
                    restart;
                    begun = cycle;
                    k = traffic.words_asked;
                    round = traffic.words_made;
                    while (!finished) @(negedge clk);
                    k = traffic.words_asked - k;
                    round = traffic.words_made - round;
                    // The direction that has more to do is never held up.
                    check((k > round ? k : round) > (cycle - begun) * (100 - percent) / 100, "throughput");
                end
            endtask

            // All checks of this master.
            task end_of_case;
                begin
                    check(protocol.violations == 0, "protocol");
                    passed = passed + traffic.passed;
                    failed = failed + traffic.failed;
                    ended = ended + 1;
                end
            endtask
