// Bench of sdr_controller with sdr_phy_ecp5, models of its cells, and sdr_sdram: every word read is compared with a shadow
// memory, the device checks its rules, and the throughput is measured.
//
// +pattern=NAME selects the traffic, +count=N its amount, +seed=N the random numbers:
//   sequential_read   bursts of +block=N words, one after the other
//   sequential_write
//   copy              +block=N words read, then as many written to the same banks in other rows
//   copy_shifted      the same, written two pages further, mostly to other banks
//   pitch             +block=N words of every row of a matrix with rows of 4 pages
//   random            lengths of 1 to 600 words, random strobes, random stalls on all streams
//   short             random single words to random rows and banks, full speed
//   row_cycle         queued single words of two rows of one bank; reads, a phase of writes, and mixed
//   dependent         the same reads, each waiting for the data of the one before
//   stalled           reads whose data nobody takes and writes whose data do not come, for longer than refreshes wait
//   start             reads from the moment the controller is ready
// The last line is "<n> passed, <n> failed"; a RESULT line before it gives words, cycles and words per cycle.
//
// Parameters: those of the controller's timing at 100 MHz, and of the device's, in ps, those that the controller keeps
// without a wait of its own. A controller that is told too short a time is caught by the device.
`default_nettype none
`timescale 1ps / 1ps

module tb_sdr_controller;

    parameter integer READ_FIFO_DEPTH = 32;
    parameter integer CAS_LATENCY = 3;
    parameter integer T_RCD = 3;
    parameter integer T_RP = 3;
    parameter integer T_RAS = 5;
    parameter integer T_RC = 7;
    parameter integer T_RRD = 2;
    parameter integer T_WR = 2;
    parameter integer T_RFC = 7;
    parameter integer T_MRD = 2;
    parameter integer T_REFI = 750;
    parameter integer INIT_CLOCKS = 220;

    parameter [63:0] DEVICE_T_RAS = 42000;
    parameter [63:0] DEVICE_T_RC = 63000;
    parameter [63:0] DEVICE_T_RRD = 14000;
    parameter [63:0] DEVICE_T_MRD = 14000;

    localparam integer PERIOD = 10000;

    // Traffic stays in WINDOW words from BASE on: 128 rows of the four banks.
    localparam integer WINDOW = 131072;
    localparam [22:0]  BASE   = 23'h6a8000;

    // Words from BASE to a page in another row of the same bank: page 7 is 13 to the base 4.
    localparam integer SAME_BANK = 7 * 256;

    localparam integer COMMANDS = 16;
    localparam integer WORDS    = 65536;

    // -- Clocks -------------------------------------------------------------------------------------------------------

    reg clk = 1'b0;
    reg clk_memory = 1'b0;
    reg rst = 1'b1;
    integer cycle = 0;

    always #(PERIOD / 2) clk = !clk;

    always @(clk)
        clk_memory <= #(PERIOD * 3 / 4) clk;

    always @(posedge clk) begin
        cycle <= cycle + 1;
        rst   <= cycle < 3;
    end

    // -- Design -------------------------------------------------------------------------------------------------------

    wire        ready;
    wire        idle;
    reg         cmd_valid = 1'b0;
    wire        cmd_ready;
    reg         cmd_write;
    reg  [22:0] cmd_address;
    reg  [15:0] cmd_length;
    reg         write_valid = 1'b0;
    wire        write_ready;
    reg  [31:0] write_data;
    reg  [3:0]  write_strobe;
    wire        read_valid;
    reg         read_ready = 1'b0;
    wire [31:0] read_data;

    wire        phy_cke;
    wire [2:0]  phy_command;
    wire [1:0]  phy_bank;
    wire [12:0] phy_address;
    wire        phy_write_enable, phy_read_enable, phy_read_valid;
    wire [15:0] phy_write_data, phy_read_data;
    wire [1:0]  phy_write_mask;

    wire        sdram_clk, sdram_cke, sdram_csn, sdram_rasn, sdram_casn, sdram_wen;
    wire [1:0]  sdram_ba, sdram_dqm;
    wire [12:0] sdram_a;
    wire [15:0] sdram_d;

    sdr_controller #(
        .READ_FIFO_DEPTH (READ_FIFO_DEPTH),
        .CAS_LATENCY     (CAS_LATENCY),
        .T_RCD           (T_RCD),
        .T_RP            (T_RP),
        .T_RAS           (T_RAS),
        .T_RC            (T_RC),
        .T_RRD           (T_RRD),
        .T_WR            (T_WR),
        .T_RFC           (T_RFC),
        .T_MRD           (T_MRD),
        .T_REFI          (T_REFI),
        .INIT_CLOCKS     (INIT_CLOCKS)
    ) controller (
        .clk              (clk),
        .rst              (rst),
        .ready            (ready),
        .idle             (idle),
        .s_cmd_valid      (cmd_valid),
        .s_cmd_ready      (cmd_ready),
        .s_cmd_write      (cmd_write),
        .s_cmd_address    (cmd_address),
        .s_cmd_length     (cmd_length),
        .s_write_valid    (write_valid),
        .s_write_ready    (write_ready),
        .s_write_data     (write_data),
        .s_write_strobe   (write_strobe),
        .m_read_valid     (read_valid),
        .m_read_ready     (read_ready),
        .m_read_data      (read_data),
        .phy_cke          (phy_cke),
        .phy_command      (phy_command),
        .phy_bank         (phy_bank),
        .phy_address      (phy_address),
        .phy_write_enable (phy_write_enable),
        .phy_write_data   (phy_write_data),
        .phy_write_mask   (phy_write_mask),
        .phy_read_enable  (phy_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data)
    );

    sdr_phy_ecp5 #(
        .CAS_LATENCY (CAS_LATENCY)
    ) phy (
        .clk              (clk),
        .clk_memory       (clk_memory),
        .rst              (rst),
        .phy_cke          (phy_cke),
        .phy_command      (phy_command),
        .phy_bank         (phy_bank),
        .phy_address      (phy_address),
        .phy_write_enable (phy_write_enable),
        .phy_write_data   (phy_write_data),
        .phy_write_mask   (phy_write_mask),
        .phy_read_enable  (phy_read_enable),
        .phy_read_valid   (phy_read_valid),
        .phy_read_data    (phy_read_data),
        .sdram_clk        (sdram_clk),
        .sdram_cke        (sdram_cke),
        .sdram_csn        (sdram_csn),
        .sdram_rasn       (sdram_rasn),
        .sdram_casn       (sdram_casn),
        .sdram_wen        (sdram_wen),
        .sdram_ba         (sdram_ba),
        .sdram_a          (sdram_a),
        .sdram_dqm        (sdram_dqm),
        .sdram_d          (sdram_d)
    );

    sdr_sdram #(
        .T_INIT       (2000000),
        .T_RAS_MIN    (DEVICE_T_RAS),
        .T_RC         (DEVICE_T_RC),
        .T_RRD        (DEVICE_T_RRD),
        .T_MRD        (DEVICE_T_MRD),
        .REPORT_LIMIT (20)
    ) device (
        .sdram_clk  (sdram_clk),
        .sdram_cke  (sdram_cke),
        .sdram_csn  (sdram_csn),
        .sdram_rasn (sdram_rasn),
        .sdram_casn (sdram_casn),
        .sdram_wen  (sdram_wen),
        .sdram_ba   (sdram_ba),
        .sdram_a    (sdram_a),
        .sdram_dqm  (sdram_dqm),
        .sdram_d    (sdram_d)
    );

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
    reg [39:0] commands [0:COMMANDS-1];
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

    // The address in the device of a word's first column: {row, bank, column} with the banks permuted.
    function [23:0] device_address(input integer offset);
        reg [22:0] address;
        reg [1:0]  bank;
        begin
            address = BASE + offset[22:0];
            bank = address[9:8] + address[11:10] + address[13:12];
            device_address = {address[22:10], bank, address[7:0], 1'b0};
        end
    endfunction

    function [31:0] device_word(input integer offset);
        reg [23:0] first;
        begin
            first = device_address(offset);
            device_word = {device.memory[first + 24'd1], device.memory[first]};
        end
    endfunction

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
            commands[command_tail % COMMANDS] = {write, BASE + offset[22:0], length[15:0]};
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
    integer        other;

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
            for (other = 0; other < 2; other = other + 1)
                device.memory[device_address(index) + other[23:0]] = random_state[16 * other +: 16];
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

        other = device.timing_violations;
        if (other != 0)
            $display("%0d violations, first %0s", other, device.first_rule);
        failed = failed + other;
        $display("RESULT pattern=%0s words=%0d cycles=%0d rate=%0d.%04d activates=%0d turnarounds=%0d refreshes=%0d",
            pattern, words, last_cycle - first_cycle + 1, words / (last_cycle - first_cycle + 1),
            words * 1000 / ((last_cycle - first_cycle + 1) / 10) % 10000,
            device.activates, device.turnarounds, device.refreshes);
        $display("%0d passed, %0d failed", passed, failed);
        $finish;
    end

    always @(posedge clk)
        if (cycle == 20000000) begin
            $display("0 passed, 1 failed: time ran out at command %0d of pattern %0s", command_head, pattern);
            $finish;
        end

endmodule

`default_nettype wire
