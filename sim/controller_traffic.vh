// The master of a controller's bench, its patterns and its checks: the larger part of tb_ddr_controller and
// tb_sdr_controller, in whose headers the patterns are.
//
// The bench has, before this, ADDRESS_WIDTH and BASE, the word address where the traffic begins; device_word(offset) and
// set_device_word(offset, value), with offsets in words from BASE; clk, rst, cycle, and the signals of the memory port.

    // Traffic stays in WINDOW words from BASE on: 128 rows of the four banks.
    localparam integer WINDOW = 131072;

    // Words from BASE to a page in another row of the same bank: page 7 is 13 to the base 4.
    localparam integer SAME_BANK = 7 * 256;

    localparam integer COMMANDS = 16;
    localparam integer WORDS    = 65536;

    // -- Checks -------------------------------------------------------------------------------------------------------

    integer passed = 0;
    integer failed = 0;

    task check(input ok, input [8*24-1:0] what);
        if (ok === 1'b1)
            passed = passed + 1;
        else begin
            failed = failed + 1;
            if (failed <= 10)
                $display("cycle %0d: %0s", cycle, what);
        end
    endtask

    // -- Master -------------------------------------------------------------------------------------------------------

    reg [31:0] shadow [0:WINDOW-1];

    // Queues: commands, the data of the writes among them, the data that their reads must give.
    reg [ADDRESS_WIDTH+16:0] commands [0:COMMANDS-1];
    reg [35:0] writes   [0:WORDS-1];
    reg [31:0] expected [0:WORDS-1];
    integer    command_head = 0, command_tail = 0;
    integer    write_head = 0, write_tail = 0;
    integer    expected_head = 0, expected_tail = 0;

    reg        read_held = 1'b0;
    reg [31:0] read_held_data;

    // Chances in 32 that a stream stalls.
    integer command_stall = 0, write_stall = 0, read_stall = 0;
    reg     random_stalls = 1'b0;

    integer first_cycle = -1;
    integer last_cycle = 0;

    reg [31:0] random_state = 32'h1234567;

    task next_random;
        begin
            random_state = random_state ^ (random_state << 13);
            random_state = random_state ^ (random_state >> 17);
            random_state = random_state ^ (random_state << 5);
        end
    endtask

    // Stalls have random numbers of their own, so that the traffic does not depend on the controller.
    reg [31:0] stall_state = 32'h89abcdef;

    function integer rate(input [2:0] choice);
        case (choice)
            0:       rate = 8;
            1:       rate = 16;
            2:       rate = 24;
            3:       rate = 31;
            default: rate = 0;
        endcase
    endfunction

    always @(posedge clk) begin
        stall_state = stall_state ^ (stall_state << 13);
        stall_state = stall_state ^ (stall_state >> 17);
        stall_state = stall_state ^ (stall_state << 5);
        if (random_stalls && cycle % 512 == 0) begin
            command_stall = rate(stall_state[2:0]);
            write_stall   = rate(stall_state[5:3]);
            read_stall    = rate(stall_state[8:6]);
        end

        if (cmd_valid && cmd_ready) begin
            if (first_cycle < 0)
                first_cycle = cycle;
            check(ready, "command before ready");
        end
        if (write_valid && write_ready || read_valid && read_ready)
            last_cycle = cycle;

        if (!rst && (!cmd_valid || cmd_ready)) begin
            cmd_valid <= command_head != command_tail && {27'd0, stall_state[13:9]} >= command_stall;
            if (command_head != command_tail && {27'd0, stall_state[13:9]} >= command_stall) begin
                {cmd_write, cmd_address, cmd_length} <= commands[command_head % COMMANDS];
                command_head = command_head + 1;
            end
        end

        if (!rst && (!write_valid || write_ready)) begin
            write_valid <= write_head != write_tail && {27'd0, stall_state[18:14]} >= write_stall;
            if (write_head != write_tail && {27'd0, stall_state[18:14]} >= write_stall) begin
                {write_strobe, write_data} <= writes[write_head % WORDS];
                write_head = write_head + 1;
            end
        end

        if (!rst) begin
            check(read_valid === 1'b0 || read_valid === 1'b1, "read valid unknown");
            check(cmd_ready === 1'b0 || cmd_ready === 1'b1, "command ready unknown");
            check(write_ready === 1'b0 || write_ready === 1'b1, "write ready unknown");
            check(idle === 1'b0 || idle === 1'b1, "idle unknown");
            if (read_held)
                check(read_valid && read_data === read_held_data, "read data not held");
        end
        read_held      <= !rst && read_valid && !read_ready;
        read_held_data <= read_data;
        if (!rst && read_valid && read_ready) begin
            check(expected_head != expected_tail, "too many words");
            check(read_data === expected[expected_head % WORDS], "word differs");
            expected_head = expected_head + 1;
        end
        read_ready <= {27'd0, stall_state[23:19]} >= read_stall;
    end

    // -- Traffic ------------------------------------------------------------------------------------------------------

    integer words = 0;

    // Queues one command; `offset` counts words from BASE.
    task command(input write, input integer offset, input integer length, input random_strobes);
        integer    word;
        reg [31:0] mask;
        reg [3:0]  strobe;
        begin
            while (command_tail - command_head >= COMMANDS || write_tail - write_head + length > WORDS
                || expected_tail - expected_head + length > WORDS)
                @(negedge clk);
            words = words + length;
            for (word = 0; word < length; word = word + 1)
                if (write) begin
                    next_random;
                    strobe = random_strobes ? random_state[31:28] | {4{random_state[0]}} : 4'b1111;
                    mask   = {{8{strobe[3]}}, {8{strobe[2]}}, {8{strobe[1]}}, {8{strobe[0]}}};
                    next_random;
                    writes[write_tail % WORDS] = {strobe, random_state};
                    write_tail = write_tail + 1;
                    shadow[offset + word] = (shadow[offset + word] & ~mask) | (random_state & mask);
                end else begin
                    expected[expected_tail % WORDS] = shadow[offset + word];
                    expected_tail = expected_tail + 1;
                end
            commands[command_tail % COMMANDS] = {write, BASE + offset[ADDRESS_WIDTH-1:0], length[15:0]};
            command_tail = command_tail + 1;
        end
    endtask

    // Waits for the end of everything queued; then the device must hold what the shadow memory holds.
    task finish(input integer samples);
        integer word;
        integer sample;
        begin
            @(negedge clk);
            while (command_head != command_tail || cmd_valid || !idle)
                @(negedge clk);
            check(write_head == write_tail && !write_valid, "write data left");
            check(expected_head == expected_tail, "read data missing");
            for (sample = 0; sample < samples; sample = sample + 1) begin
                next_random;
                word = samples == WINDOW ? sample : {15'd0, random_state[31:15]};
                check(device_word(word) === shadow[word], "memory differs");
            end
        end
    endtask

    task random_command;
        integer offset;
        integer length;
        begin
            next_random;
            case (random_state[31:30])
                0:       length = 1 + {28'd0, random_state[3:0]};
                1:       length = 1 + {25'd0, random_state[6:0]};
                default: length = 1 + {16'd0, random_state[15:0]} % 600;
            endcase
            next_random;
            // Few rows, so that what was written is read again, and all banks.
            offset = {18'd0, random_state[13:0]};
            next_random;
            command(random_state[7], offset, length, 1'b1);
        end
    endtask

    reg [8*20-1:0] pattern;
    integer        count;
    integer        block;
    integer        seed;
    integer        index;
    integer        violations;

    initial begin
        if (!$value$plusargs("pattern=%s", pattern)) pattern = "random";
        if (!$value$plusargs("count=%d", count)) count = 0;
        if (!$value$plusargs("block=%d", block)) block = 1024;
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        for (index = 0; index < seed; index = index + 1)
            next_random;
        for (index = 0; index < WINDOW; index = index + 1) begin
            next_random;
            shadow[index] = random_state;
            set_device_word(index, random_state);
        end

        case (pattern)
            "sequential_read", "sequential_write":
                for (index = 0; index < (count == 0 ? WINDOW / block : count); index = index + 1)
                    command(pattern == "sequential_write", index * block % WINDOW, block, 1'b0);

            "copy", "copy_shifted":
                for (index = 0; index < (count == 0 ? 65536 / block : count); index = index + 1) begin
                    command(1'b0, index * block % (WINDOW / 2), block, 1'b0);
                    command(1'b1, WINDOW / 2 + (index * block + (pattern == "copy" ? 0 : 512)) % (WINDOW / 2), block,
                            1'b0);
                end

            "short":
                for (index = 0; index < (count == 0 ? 20000 : count); index = index + 1) begin
                    next_random;
                    command(random_state[20] & random_state[21], {15'd0, random_state[16:0]}, 1, 1'b1);
                end

            "pitch":
                for (index = 0; index < (count == 0 ? WINDOW / block : count); index = index + 1)
                    command(1'b0, index * 1024 % WINDOW + index * 1024 / WINDOW * block % 1024, block, 1'b0);

            "row_cycle":
                for (index = 0; index < (count == 0 ? 6000 : count); index = index + 1)
                    command(index >= 2000 && (index < 4000 || index % 3 != 0), index % 2 * SAME_BANK + index % 256, 1,
                            1'b0);

            "dependent":
                for (index = 0; index < (count == 0 ? 1000 : count); index = index + 1) begin
                    command(1'b0, index % 2 * SAME_BANK + index % 256, 1, 1'b0);
                    while (expected_head != expected_tail)
                        @(negedge clk);
                end

            "stalled":
                for (index = 0; index < (count == 0 ? 8 : count); index = index + 1) begin
                    // The master stops taking or giving data, a little later each time, for 100 us.
                    command(1'b0, 900 + index * 7, 1000, 1'b0);
                    command(1'b1, 3000 + index * 5, 900, 1'b0);
                    repeat (200 + index) @(negedge clk);
                    read_stall = 32;
                    repeat (10000 + index) @(negedge clk);
                    read_stall = 0;
                    while (write_tail - write_head > 500) @(negedge clk);
                    write_stall = 32;
                    repeat (10000 + index) @(negedge clk);
                    write_stall = 0;
                    finish(100);
                end

            "start":
                for (index = 0; index < 16; index = index + 1)
                    command(1'b0, index * 260, 2, 1'b0);

            default: begin
                random_stalls = 1'b1;
                for (index = 0; index < (count == 0 ? 1200 : count); index = index + 1) begin
                    random_command;
                    if (index % 32 == 0)
                        finish(1000);
                    if (index % 64 == 33)
                        // Idle for a while, with refreshes.
                        repeat (4000) @(negedge clk);
                end
            end
        endcase
        finish(WINDOW);

        violations = device.timing_violations;
        if (violations != 0)
            $display("%0d violations, first %0s", violations, device.first_rule);
        failed = failed + violations;
        $display("RESULT pattern=%0s words=%0d cycles=%0d rate=%0d.%04d activates=%0d turnarounds=%0d refreshes=%0d",
            pattern, words, last_cycle - first_cycle + 1, words / (last_cycle - first_cycle + 1),
            words * 1000 / ((last_cycle - first_cycle + 1) / 10) % 10000,
            device.activates, device.turnarounds, device.refreshes);
        $display("%0d passed, %0d failed", passed, failed);
        $finish;
    end

    // +until=RULE ends a run, which has failed, when the device names that rule first.
    reg [8*16-1:0] until_rule;

    initial
        if (!$value$plusargs("until=%s", until_rule))
            until_rule = 0;

    always @(posedge clk)
        if (until_rule != 0 && device.timing_violations != 0 && device.first_rule == until_rule) begin
            $display("%0d passed, %0d failed", passed, device.timing_violations);
            $finish;
        end

    always @(posedge clk)
        if (cycle == 20000000) begin
            $display("0 passed, 1 failed: time ran out at command %0d of pattern %0s", command_head, pattern);
            $finish;
        end
