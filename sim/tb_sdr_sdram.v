// Bench of the model of the SDR SDRAM: legal traffic without a complaint, with every word as written, and every rule
// broken once, by as little as the clock allows, under the rule's name.
//
// The last line is "<n> passed, <n> failed".
`default_nettype none
`timescale 1ps / 1ps

module tb_sdr_sdram;

    localparam integer T_INIT = 1000000;
    localparam integer T_REFI = 1000000;
    localparam integer HALF = 5000;

    localparam [2:0] MODE = 3'b000, REFRESH = 3'b001, PRECHARGE = 3'b010, ACTIVATE = 3'b011, WRITE = 3'b100, READ = 3'b101,
        TERMINATE = 3'b110, NOP = 3'b111;
    localparam [12:0] ALL = 13'h400, BURST_2 = 13'h001, CAS_2 = 13'h020, CAS_3 = 13'h030;

    integer passed = 0;
    integer failed = 0;
    integer counted;
    integer index;

    reg         clk = 1'b0;
    reg         running = 1'b1;
    integer     half = HALF;
    reg         cke = 1'b1;
    reg         csn = 1'b0;
    reg  [2:0]  command = NOP;
    reg  [1:0]  ba = 2'd0;
    reg  [12:0] a = 13'd0;
    reg  [1:0]  dqm = 2'b00;
    reg  [15:0] data = 16'd0;
    reg         drive = 1'b0;
    wire [15:0] d = drive ? data : 16'bz;

    always begin
        #(half) clk = running;
        #(half) clk = 1'b0;
    end

    sdr_sdram #(
        .T_INIT       (T_INIT),
        .T_REFI       (T_REFI),
        .T_RAS_MAX    (20 * T_REFI),
        .REPORT_LIMIT (0)
    ) device (
        .sdram_clk  (clk),
        .sdram_cke  (cke),
        .sdram_csn  (csn),
        .sdram_rasn (command[2]),
        .sdram_casn (command[1]),
        .sdram_wen  (command[0]),
        .sdram_ba   (ba),
        .sdram_a    (a),
        .sdram_dqm  (dqm),
        .sdram_d    (d)
    );

    task check(input ok, input [8*40:1] what);
        if (ok === 1'b1)
            passed = passed + 1;
        else begin
            failed = failed + 1;
            $display("%0t: %0s", $time, what);
        end
    endtask

    // What follows must break `rule`, once, and no other.
    task expect_rule(input [8*16:1] rule);
        begin
            if (device.timing_violations != counted + 1 || device.last_rule != rule)
                $display("wanted %0s once, got %0d violations, the last %0s", rule, device.timing_violations - counted,
                    device.last_rule);
            check(device.timing_violations == counted + 1 && device.last_rule == rule, rule);
            counted = device.timing_violations;
        end
    endtask

    task expect_none(input [8*40:1] what);
        begin
            if (device.timing_violations != counted)
                $display("got %0s", device.last_rule);
            check(device.timing_violations == counted, what);
            counted = device.timing_violations;
        end
    endtask

    // Pins change at falling edges; a command is taken at the rising edge in between.
    task give(input [2:0] what, input [1:0] to_bank, input [12:0] address);
        begin
            command = what;
            ba = to_bank;
            a = address;
            @(negedge clk);
            command = NOP;
        end
    endtask

    task wait_clocks(input integer count);
        repeat (count) @(negedge clk);
    endtask

    task write_two(input [1:0] to_bank, input [12:0] column, input [31:0] word, input [3:0] mask);
        begin
            drive = 1'b1;
            data = word[15:0];
            dqm = mask[1:0];
            give(WRITE, to_bank, column);
            data = word[31:16];
            dqm = mask[3:2];
            @(negedge clk);
            drive = 1'b0;
            dqm = 2'b00;
        end
    endtask

    // Data are taken where the device's next clock edge would be.
    reg [31:0] word;

    task read_two(input [1:0] from_bank, input [12:0] column, input integer latency);
        begin
            give(READ, from_bank, column);
            wait_clocks(latency - 2);
            @(posedge clk) #(2 * HALF - 100) word[15:0] = d;
            #(2 * HALF) word[31:16] = d;
            @(negedge clk);
        end
    endtask

    task start_up(input [12:0] mode);
        begin
            give(PRECHARGE, 2'd0, ALL);
            wait_clocks(2);
            repeat (8) begin
                give(REFRESH, 2'd0, 13'd0);
                wait_clocks(6);
            end
            give(MODE, 2'd0, mode);
            wait_clocks(1);
        end
    endtask

    // Closed banks and nothing that still waits.
    task quiet;
        begin
            wait_clocks(12);
            give(PRECHARGE, 2'd0, ALL);
            wait_clocks(12);
            give(REFRESH, 2'd0, 13'd0);
            wait_clocks(12);
            expect_none("in between");
        end
    endtask

    task restart;
        begin
            quiet;
            device.power_up;
        end
    endtask

    initial begin
        counted = 0;
        @(negedge clk);

        // Start-up.
        wait_clocks(97);
        give(PRECHARGE, 2'd0, ALL);
        expect_rule("init_wait");
        wait_clocks(2);
        repeat (8) begin
            give(REFRESH, 2'd0, 13'd0);
            wait_clocks(6);
        end
        give(MODE, 2'd0, BURST_2 | CAS_3);
        wait_clocks(1);
        give(ACTIVATE, 2'd0, 13'd5);
        expect_none("start-up");
        restart;
        wait_clocks(110);
        give(MODE, 2'd0, BURST_2 | CAS_3);
        expect_rule("init_sequence");
        restart;
        wait_clocks(110);
        give(REFRESH, 2'd0, 13'd0);
        expect_rule("init_sequence");
        restart;
        wait_clocks(110);
        give(PRECHARGE, 2'd0, ALL);
        wait_clocks(2);
        repeat (7) begin
            give(REFRESH, 2'd0, 13'd0);
            wait_clocks(6);
        end
        give(MODE, 2'd0, BURST_2 | CAS_3);
        wait_clocks(1);
        give(ACTIVATE, 2'd0, 13'd5);
        expect_rule("init_incomplete");
        restart;
        wait_clocks(110);
        start_up(BURST_2 | CAS_2);
        expect_none("start-up");

        // Words at both latencies, with masks, in all banks; the second of two bursts directly behind the first.
        for (index = 0; index < 2; index = index + 1) begin
            quiet;
            give(MODE, 2'd0, BURST_2 | (index == 0 ? CAS_2 : CAS_3));
            wait_clocks(1);
            give(ACTIVATE, 2'd1, 13'h1234);
            wait_clocks(1);
            give(ACTIVATE, 2'd2, 13'h0234);
            wait_clocks(2);
            write_two(2'd1, 13'd8, 32'h11223344, 4'b0000);
            write_two(2'd2, 13'd8, 32'h55667788, 4'b0000);
            write_two(2'd1, 13'd8, 32'haabbccdd, 4'b0101);
            write_two(2'd1, 13'd510, 32'h01020304, 4'b0000);
            read_two(2'd1, 13'd8, 2 + index);
            check(word === 32'haa22cc44, "masked word");
            wait_clocks(1);
            read_two(2'd2, 13'd8, 2 + index);
            check(word === 32'h55667788, "word of the other bank");
            wait_clocks(1);
            // The pair of an odd column wraps.
            read_two(2'd1, 13'd511, 2 + index);
            check(word === 32'h03040102, "wrapped word");
            check(device.memory[{13'h1234, 2'd1, 9'd510}] === 16'h0304, "memory");
            // A mask hides the data two clocks later.
            wait_clocks(1);
            give(READ, 2'd1, 13'd8);
            if (index == 1) @(negedge clk);
            dqm = 2'b10;
            @(negedge clk);
            dqm = 2'b00;
            @(posedge clk) #(2 * HALF - 100) check(d === 16'hzz22, "masked data");
            @(negedge clk);
            expect_none("words");
        end
        check(device.row_misses == 4 && device.row_hits == 12, "hits and misses");

        // Times. 21 ns are three clocks, 42 are five, 63 seven, 14 two.
        quiet;
        give(ACTIVATE, 2'd0, 13'd1);
        wait_clocks(1);
        give(READ, 2'd0, 13'd0);
        expect_rule("tRCD");
        wait_clocks(2);
        give(PRECHARGE, 2'd0, 13'd0);
        expect_none("tRAS");
        wait_clocks(1);
        give(ACTIVATE, 2'd0, 13'd1);
        expect_rule("tRP");
        wait_clocks(3);
        give(PRECHARGE, 2'd0, 13'd0);
        expect_rule("tRAS_min");
        quiet;
        device.precharge_time[3] = 0;
        give(ACTIVATE, 2'd3, 13'd1);
        wait_clocks(4);
        give(PRECHARGE, 2'd3, 13'd1);
        device.precharge_time[3] = 0;
        give(ACTIVATE, 2'd3, 13'd1);
        expect_rule("tRC");
        quiet;
        give(ACTIVATE, 2'd0, 13'd1);
        give(ACTIVATE, 2'd1, 13'd1);
        expect_rule("tRRD");
        quiet;
        give(REFRESH, 2'd0, 13'd0);
        wait_clocks(5);
        give(ACTIVATE, 2'd0, 13'd1);
        expect_rule("tRFC");
        quiet;
        give(MODE, 2'd0, BURST_2 | CAS_3);
        give(ACTIVATE, 2'd0, 13'd1);
        expect_rule("tMRD");
        quiet;
        give(ACTIVATE, 2'd0, 13'd1);
        wait_clocks(4);
        write_two(2'd0, 13'd0, 32'd0, 4'b0000);
        give(PRECHARGE, 2'd0, 13'd0);
        expect_rule("tWR");
        wait_clocks(2);
        give(ACTIVATE, 2'd0, 13'd1);
        wait_clocks(4);
        write_two(2'd0, 13'd0, 32'd0, 4'b0000);
        @(negedge clk);
        give(PRECHARGE, 2'd0, 13'd0);
        wait_clocks(1);
        give(REFRESH, 2'd0, 13'd0);
        expect_rule("tRP");
        quiet;

        // States.
        give(READ, 2'd2, 13'd0);
        expect_rule("closed_bank");
        quiet;
        give(ACTIVATE, 2'd2, 13'd0);
        wait_clocks(8);
        give(ACTIVATE, 2'd2, 13'd0);
        expect_rule("open_bank");
        wait_clocks(8);
        give(REFRESH, 2'd0, 13'd0);
        expect_rule("open_bank");
        wait_clocks(8);
        give(MODE, 2'd0, BURST_2 | CAS_3);
        expect_rule("mode_register");
        quiet;
        give(MODE, 2'd0, 13'h037);
        expect_rule("mode_register");
        wait_clocks(2);
        give(ACTIVATE, 2'd2, 13'd0);
        wait_clocks(8);
        give(READ, 2'd2, 13'd0);
        give(READ, 2'd2, 13'd2);
        expect_rule("cut_burst");
        wait_clocks(8);
        give(READ, 2'd2, 13'd0);
        give(PRECHARGE, 2'd2, 13'd0);
        expect_rule("cut_burst");
        quiet;
        give(ACTIVATE, 2'd2, 13'd0);
        wait_clocks(8);
        give(READ, 2'd2, ALL);
        expect_rule("not_modelled");
        wait_clocks(8);
        give(TERMINATE, 2'd2, 13'd0);
        expect_rule("not_modelled");
        cke = 1'b0;
        wait_clocks(1);
        cke = 1'b1;
        expect_rule("not_modelled");

        // Pins.
        write_two(2'd2, 13'd0, 32'h12345678, 4'b0000);
        wait_clocks(4);
        give(READ, 2'd2, 13'd0);
        wait_clocks(2);
        drive = 1'b1;
        data = ~16'd0;
        wait_clocks(1);
        drive = 1'b0;
        check(device.timing_violations > counted && device.last_rule == "bus_contention", "bus_contention");
        counted = device.timing_violations;
        wait_clocks(4);
        write_two(2'd2, 13'd0, 32'h0000xxxx, 4'b0000);
        expect_rule("unknown_pins");
        write_two(2'd2, 13'd0, 32'h0000xxxx, 4'b0011);
        expect_none("masked unknown");
        wait_clocks(4);
        give(3'b1x1, 2'd2, 13'd0);
        expect_rule("unknown_pins");
        wait_clocks(1);
        #(HALF - 1400) a = 13'd1;
        wait_clocks(1);
        expect_rule("tIS");
        @(posedge clk) #700 a = 13'd2;
        wait_clocks(1);
        expect_rule("tIH");
        drive = 1'b1;
        command = WRITE;
        #(HALF - 1400) data = 16'd7;
        wait_clocks(1);
        command = NOP;
        expect_rule("tIS");
        @(posedge clk) #700 data = 16'd9;
        wait_clocks(1);
        drive = 1'b0;
        expect_rule("tIH");
        quiet;

        // Refreshes: nine may be owed, and the row's own limit.
        give(ACTIVATE, 2'd0, 13'd0);
        wait_clocks(850);
        expect_none("refreshes owed");
        wait_clocks(60);
        expect_rule("tREFI");
        quiet;
        repeat (8) begin
            give(REFRESH, 2'd0, 13'd0);
            wait_clocks(10);
        end
        give(ACTIVATE, 2'd0, 13'd0);
        device.activate_time[0] = device.activate_time[0] - 20 * T_REFI;
        wait_clocks(10);
        give(PRECHARGE, 2'd0, 13'd0);
        expect_rule("tRAS_max");

        // The clock: 7 ns at latency 3, 10 at 2.
        quiet;
        half = 3450;
        @(negedge clk);
        @(negedge clk);
        check(device.timing_violations > counted && device.last_rule == "tCK", "tCK");

        $display("%0d passed, %0d failed", passed, failed);
        $finish;
    end

endmodule

`default_nettype wire
