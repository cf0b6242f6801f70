// Model of a x16 SDR SDRAM behind the device's pins, of 256 Mb with the default parameters: 4 banks x 8192 rows x 512
// columns x 16 bits.
//
// Behaviour: bursts of 1, 2, 4 or 8 columns, sequential; CAS latency 2 or 3; data masks. A column command ends a burst
// before it. Auto-precharge, burst terminate, interleaved and full-page bursts, single writes, power-down and self
// refresh are not modelled: their use is a violation.
//
// Contents: `memory`, indexed by the linear column address {row[12:0], bank[1:0], column[8:0]}. Cells are X until written
// (four-state simulators). A testbench may load or dump it hierarchically.
//
// Checks: every breach of a rule prints "VIOLATION <rule> at <ps> clock <n>: ..." and counts in `timing_violations`;
// `first_rule` and `last_rule` name the first and the last one. The model then goes on as well as it can.
//   tCK tIS tIH                    the clock's period; set-up and hold of all pins
//   init_wait init_sequence        200 us without a command; then precharge all, eight refreshes and the mode register
//   init_incomplete                before the first activate
//   mode_register                  a mode that is not modelled, or with an open bank
//   tMRD tRFC tRP tRC tRRD tRCD    the usual times
//   tRAS_min tRAS_max tWR tREFI
//   closed_bank open_bank          a column command to a closed bank; an activate of, or a refresh with, an open one
//   cut_burst                      a command that ends a burst of data before its end
//   not_modelled                   see above
//   row                            a row that the device does not have
//   unknown_pins                   an unknown command, address, mask or written bit
//   bus_contention                 two drivers of the data
//
// Counters: `row_hits` (column commands to a row which already had one since its activate), `row_misses` (first column
// command after an activate), `activates`, `reads`, `writes` (column commands), `turnarounds` (changes between read and
// write), `refreshes` (those of the start-up too). `bank_hits` and `bank_misses` are those of each bank, `row_low` and `row_high`
// the least and the greatest row that its column commands were to, since a bench has set them to 8191 and 0.
//
// Parameters: ROWS of each bank, at most 8192; ps, and clocks where the name says so; the defaults are the slowest of AS4C16M16SA-7, IS42S16160G-7 and
// W9825G6KH-6. T_RRD, T_WR and T_MRD are at least two clocks, too. REPORT_LIMIT: messages printed, later ones only count.
//
// The task `power_up` puts the device back to the state after power-up, contents kept.
`default_nettype none
`timescale 1ps / 1ps

module sdr_sdram #(
    parameter integer ROWS         = 8192,
    parameter [63:0] T_INIT        = 200000000,
    parameter [63:0] T_CK_CAS_2    = 10000,
    parameter [63:0] T_CK_CAS_3    = 7000,
    parameter [63:0] T_RCD         = 21000,
    parameter [63:0] T_RP          = 21000,
    parameter [63:0] T_RAS_MIN     = 42000,
    parameter [63:0] T_RAS_MAX     = 100000000,
    parameter [63:0] T_RC          = 63000,
    parameter [63:0] T_RFC         = 63000,
    parameter [63:0] T_RRD         = 14000,
    parameter [63:0] T_WR          = 14000,
    parameter [63:0] T_MRD         = 14000,
    parameter [63:0] T_REFI        = 7812500,
    parameter [63:0] T_AC_CAS_2    = 6000,
    parameter [63:0] T_AC_CAS_3    = 5400,
    parameter [63:0] T_OH          = 2500,
    parameter [63:0] T_IS          = 1500,
    parameter [63:0] T_IH          = 800,
    parameter [63:0] LEAST_CLOCKS  = 2,
    parameter integer REPORT_LIMIT = 200
) (
    input  wire        sdram_clk,
    input  wire        sdram_cke,
    input  wire        sdram_csn,
    input  wire        sdram_rasn,
    input  wire        sdram_casn,
    input  wire        sdram_wen,
    /* verilator lint_off SYNCASYNCNET */ // the check of hold reads them, too
    input  wire [1:0]  sdram_ba,
    input  wire [12:0] sdram_a,
    /* verilator lint_on SYNCASYNCNET */
    input  wire [1:0]  sdram_dqm,
    inout  wire [15:0] sdram_d
);

    // Refreshes that may be owed, plus the one that is due.
    localparam [63:0] REFRESH_WINDOW = 9 * T_REFI;
    localparam [3:0]  FIRST_REFRESHES = 8;

    localparam [2:0] COMMAND_MODE = 3'b000, COMMAND_REFRESH = 3'b001, COMMAND_PRECHARGE = 3'b010,
        COMMAND_ACTIVATE = 3'b011, COMMAND_WRITE = 3'b100, COMMAND_READ = 3'b101, COMMAND_NOP = 3'b111;

    /* verilator lint_off BLKSEQ */ // a behavioural model computes in the order of its statements

    reg [15:0] memory [0:16777215];

    integer    timing_violations;
    // Only written here.
    reg [8*16:1] first_rule /* verilator public_flat_rw */;
    reg [8*16:1] last_rule /* verilator public_flat_rw */;
    reg [63:0] row_hits, row_misses, activates, reads, writes, turnarounds, refreshes;
    reg [63:0] bank_hits [0:3];
    reg [63:0] bank_misses [0:3];
    reg [12:0] row_low [0:3];
    reg [12:0] row_high [0:3];

    // Number and time of the last rising edge of the clock.
    reg [63:0] clock, now, clock_time, power_time;
    reg [63:0] pins_time, data_time;
    reg        write_taken;

    // Start-up.
    reg        waited, precharged, mode_known, initialised;
    reg [3:0]  first_refreshes;
    reg [3:0]  burst_length;
    reg [1:0]  cas_latency;

    // Banks, and since when; clocks where the rule counts in clocks.
    reg [3:0]  bank_open, bank_touched;
    reg [12:0] bank_row [0:3];
    reg [63:0] activate_time [0:3];
    reg [63:0] precharge_time [0:3];
    reg [63:0] written_time [0:3];
    reg [63:0] written_clock [0:3];
    reg        ever_activated [0:3];
    reg        ever_precharged [0:3];
    reg        ever_written [0:3];
    reg [63:0] last_activate_time, last_activate_clock, refresh_time, mode_time, mode_clock, refresh_deadline;
    reg        any_activated, any_refreshed, any_mode;
    reg        direction_known, direction_write;

    // The burst whose columns go out or come in, and the read data on their way: bit k of the pipe is what leaves in k
    // clocks.
    reg [3:0]  burst_left, burst_beat;
    reg        burst_write;
    reg [1:0]  burst_bank;
    reg [12:0] burst_row;
    reg [8:0]  burst_column;
    reg [23:0] address_now;
    reg [2:0]  pipe_valid;
    reg [15:0] pipe_data [0:2];
    reg [1:0]  mask_before;
    reg        launch_valid;
    reg [1:0]  launch_enable;
    reg [15:0] launch_data;
    reg [63:0] launch_delay;

    reg [1:0]  drive_enable;
    reg [15:0] drive_data;
    reg        drive_steady;

    reg [2:0]  command;
    reg [1:0]  bank;
    integer    index;

    assign sdram_d[7:0]  = drive_enable[0] ? drive_data[7:0] : 8'bz;
    assign sdram_d[15:8] = drive_enable[1] ? drive_data[15:8] : 8'bz;

    // -- Reports ------------------------------------------------------------------------------------------------------

    task violation(input [8*16:1] rule, input [1:0] bank_number);
        begin
            if (timing_violations == 0)
                first_rule = rule;
            last_rule = rule;
            timing_violations = timing_violations + 1;
            if (timing_violations <= REPORT_LIMIT)
                $display("VIOLATION %0s at %0d clock %0d: command %b, bank %0d, address %h", rule, now, clock, command,
                    bank_number, sdram_a);
        end
    endtask

    // A command within `wanted` ps of what came before.
    task at_least(input [8*16:1] rule, input since_valid, input [63:0] since, input [63:0] wanted);
        if (since_valid && now - since < wanted)
            violation(rule, bank);
    endtask

    task power_up;
        begin
            clock = 0;
            now = $time;
            clock_time = now;
            write_taken = 1'b0;
            {waited, precharged, mode_known, initialised} = 4'b0000;
            first_refreshes = 0;
            burst_length = 4'd2;
            cas_latency = 2'd3;
            bank_open = 4'b0000;
            bank_touched = 4'b0000;
            for (index = 0; index < 4; index = index + 1) begin
                ever_activated[index] = 1'b0;
                ever_precharged[index] = 1'b0;
                ever_written[index] = 1'b0;
            end
            {any_activated, any_refreshed, any_mode, direction_known} = 4'b0000;
            burst_left = 0;
            pipe_valid = 3'b000;
            mask_before = 2'b11;
            launch_valid = 1'b0;
            power_time = now;
        end
    endtask

    initial begin
        timing_violations = 0;
        first_rule = "none";
        last_rule = "none";
        {row_hits, row_misses, activates, reads, writes, turnarounds, refreshes} = 0;
        for (index = 0; index < 4; index = index + 1) begin
            bank_hits[index] = 0;
            bank_misses[index] = 0;
            row_low[index] = 13'd8191;
            row_high[index] = 0;
        end
        pins_time = 0;
        data_time = 0;
        drive_enable = 2'b00;
        drive_steady = 1'b0;
        power_up;
    end

    // -- Commands -----------------------------------------------------------------------------------------------------

    task close(input [1:0] number);
        if (bank_open[number]) begin
            bank = number;
            at_least("tRAS_min", 1'b1, activate_time[number], T_RAS_MIN);
            if (now - activate_time[number] > T_RAS_MAX)
                violation("tRAS_max", number);
            at_least("tWR", ever_written[number], written_time[number], T_WR);
            if (ever_written[number] && clock - written_clock[number] < LEAST_CLOCKS && T_WR <= now - written_time[number])
                violation("tWR", number);
            if (burst_left != 0 && burst_bank == number)
                violation("cut_burst", number);
            bank_open[number] = 1'b0;
            ever_precharged[number] = 1'b1;
            precharge_time[number] = now;
        end else if (!initialised) begin
            // What the banks held before is unknown.
            ever_precharged[number] = 1'b1;
            precharge_time[number] = now;
        end
    endtask

    task mode_command;
        begin
            if (bank_open != 0 || sdram_a[12:7] != 0 || sdram_ba != 0 || sdram_a[3] || sdram_a[2]
                || (sdram_a[6:4] != 3'd2 && sdram_a[6:4] != 3'd3))
                violation("mode_register", sdram_ba);
            else begin
                burst_length = 4'd1 << sdram_a[1:0];
                cas_latency = sdram_a[5:4];
            end
            if (!precharged)
                violation("init_sequence", sdram_ba);
            mode_known = 1'b1;
            any_mode = 1'b1;
            mode_time = now;
            mode_clock = clock;
        end
    endtask

    task refresh_command;
        begin
            if (bank_open != 0)
                violation("open_bank", 2'd0);
            if (!precharged)
                violation("init_sequence", 2'd0);
            for (index = 0; index < 4; index = index + 1) begin
                bank = index[1:0];
                at_least("tRP", ever_precharged[index], precharge_time[index], T_RP);
                at_least("tRC", ever_activated[index], activate_time[index], T_RC);
            end
            if (first_refreshes < FIRST_REFRESHES)
                first_refreshes = first_refreshes + 1;
            refreshes = refreshes + 1;
            any_refreshed = 1'b1;
            refresh_time = now;
            refresh_deadline = refresh_deadline + T_REFI;
            if (!initialised || refresh_deadline > now + REFRESH_WINDOW)
                refresh_deadline = now + REFRESH_WINDOW;
        end
    endtask

    task activate_command;
        begin
            if (bank_open[bank])
                violation("open_bank", bank);
            at_least("tRP", ever_precharged[bank], precharge_time[bank], T_RP);
            at_least("tRC", ever_activated[bank], activate_time[bank], T_RC);
            at_least("tRRD", any_activated, last_activate_time, T_RRD);
            if (any_activated && clock - last_activate_clock < LEAST_CLOCKS && T_RRD <= now - last_activate_time)
                violation("tRRD", bank);
            if (^sdram_a === 1'bx)
                violation("unknown_pins", bank);
            if ({19'd0, sdram_a} >= ROWS)
                violation("row", bank);
            activates = activates + 1;
            bank_open[bank] = 1'b1;
            bank_touched[bank] = 1'b0;
            bank_row[bank] = sdram_a;
            ever_activated[bank] = 1'b1;
            ever_written[bank] = 1'b0;
            any_activated = 1'b1;
            activate_time[bank] = now;
            last_activate_time = now;
            last_activate_clock = clock;
        end
    endtask

    task column_command(input is_write);
        begin
            if (sdram_a[10] !== 1'b0 || sdram_a[9] || sdram_a[11] || sdram_a[12])
                violation("not_modelled", bank);
            if (^sdram_a[8:0] === 1'bx)
                violation("unknown_pins", bank);
            if (burst_left != 0)
                violation("cut_burst", bank);
            if (!bank_open[bank])
                violation("closed_bank", bank);
            else
                at_least("tRCD", 1'b1, activate_time[bank], T_RCD);
            if (bank_touched[bank]) begin
                row_hits = row_hits + 1;
                bank_hits[bank] = bank_hits[bank] + 1;
            end else begin
                row_misses = row_misses + 1;
                bank_misses[bank] = bank_misses[bank] + 1;
            end
            if (bank_row[bank] < row_low[bank])
                row_low[bank] = bank_row[bank];
            if (bank_row[bank] > row_high[bank])
                row_high[bank] = bank_row[bank];
            bank_touched[bank] = 1'b1;
            if (direction_known && direction_write != is_write)
                turnarounds = turnarounds + 1;
            direction_known = 1'b1;
            direction_write = is_write;
            if (is_write)
                writes = writes + 1;
            else
                reads = reads + 1;
            burst_write = is_write;
            burst_left = burst_length;
            burst_beat = 0;
            burst_bank = bank;
            burst_row = bank_row[bank];
            burst_column = sdram_a[8:0];
        end
    endtask

    task decode_command;
        begin
            bank = sdram_ba;
            if (!waited) begin
                if (now - power_time < T_INIT)
                    violation("init_wait", bank);
                waited = 1'b1;
            end
            at_least("tRFC", any_refreshed, refresh_time, T_RFC);
            at_least("tMRD", any_mode, mode_time, T_MRD);
            if (any_mode && clock - mode_clock < LEAST_CLOCKS && T_MRD <= now - mode_time)
                violation("tMRD", bank);
            // Reported once, after that the device is taken as initialised.
            if (!initialised && (command == COMMAND_ACTIVATE || command[2])) begin
                if (!precharged || !mode_known || first_refreshes < FIRST_REFRESHES)
                    violation("init_incomplete", bank);
                initialised = 1'b1;
                refresh_deadline = now + REFRESH_WINDOW;
            end
            case (command)
                COMMAND_MODE: mode_command;
                COMMAND_REFRESH: refresh_command;
                COMMAND_PRECHARGE:
                    if (sdram_a[10]) begin
                        for (index = 0; index < 4; index = index + 1)
                            close(index[1:0]);
                        precharged = 1'b1;
                    end else
                        close(sdram_ba);
                COMMAND_ACTIVATE: activate_command;
                COMMAND_WRITE: column_command(1'b1);
                COMMAND_READ: column_command(1'b0);
                default: violation("not_modelled", bank);
            endcase
        end
    endtask

    // -- Data ---------------------------------------------------------------------------------------------------------

    // The columns of a burst wrap within its length.
    function [8:0] beat_column(input [8:0] first, input [3:0] beat, input [3:0] length);
        reg [8:0] low_bits;
        begin
            low_bits = {5'd0, length} - 9'd1;
            beat_column = (first & ~low_bits) | ((first + {5'd0, beat}) & low_bits);
        end
    endfunction

    task take_data;
        begin
            if (now - data_time < T_IS)
                violation("tIS", burst_bank);
            if (drive_enable != 0)
                violation("bus_contention", burst_bank);
            if (^sdram_dqm === 1'bx || (!sdram_dqm[0] && ^sdram_d[7:0] === 1'bx)
                || (!sdram_dqm[1] && ^sdram_d[15:8] === 1'bx))
                violation("unknown_pins", burst_bank);
            if (!sdram_dqm[0])
                memory[address_now][7:0] = sdram_d[7:0];
            if (!sdram_dqm[1])
                memory[address_now][15:8] = sdram_d[15:8];
            write_taken = 1'b1;
            ever_written[burst_bank] = 1'b1;
            written_time[burst_bank] = now;
            written_clock[burst_bank] = clock;
        end
    endtask

    always @(posedge sdram_clk) begin : rising_clock
        now = $time;
        clock = clock + 1;
        if (clock > 1 && mode_known && now - clock_time < (cas_latency == 2'd2 ? T_CK_CAS_2 : T_CK_CAS_3))
            violation("tCK", 2'd0);
        clock_time = now;
        write_taken = 1'b0;
        command = {sdram_rasn, sdram_casn, sdram_wen};

        if (drive_enable[0] && sdram_d[7:0] !== drive_data[7:0] || drive_enable[1] && sdram_d[15:8] !== drive_data[15:8])
            violation("bus_contention", burst_bank);
        if (initialised && now > refresh_deadline) begin
            violation("tREFI", 2'd0);
            refresh_deadline = refresh_deadline + T_REFI;
        end

        if (clock > 1 && now - pins_time < T_IS)
            violation("tIS", sdram_ba);
        if (sdram_cke !== 1'b1) begin
            if (waited)
                violation("not_modelled", 2'd0);
        end else if (sdram_csn !== 1'b1) begin
            if (^{sdram_csn, command} === 1'bx || (command != COMMAND_NOP && ^sdram_ba === 1'bx))
                violation("unknown_pins", 2'd0);
            else if (command != COMMAND_NOP)
                decode_command;
        end

        pipe_valid = pipe_valid << 1;
        pipe_data[2] = pipe_data[1];
        pipe_data[1] = pipe_data[0];
        if (burst_left != 0) begin
            address_now = {burst_row, burst_bank, beat_column(burst_column, burst_beat, burst_length)};
            if (burst_write)
                take_data;
            else begin
                pipe_valid[0] = 1'b1;
                pipe_data[0] = memory[address_now];
            end
            burst_left = burst_left - 1;
            burst_beat = burst_beat + 1;
        end

        // What leaves after this edge is taken at the next.
        launch_valid = pipe_valid[cas_latency - 2'd1];
        launch_data = pipe_data[cas_latency - 2'd1];
        launch_enable = {2{launch_valid}} & ~mask_before;
        launch_delay = cas_latency == 2'd2 ? T_AC_CAS_2 : T_AC_CAS_3;
        mask_before = sdram_dqm;
    end

    // Data hold for T_OH, are unknown until T_AC, and end there too.
    always @(posedge sdram_clk) begin : drive
        if (drive_enable != 0 || pipe_valid != 0 || burst_left != 0) begin
            #(T_OH);
            drive_steady = 1'b0;
            drive_data = 16'hxxxx;
            #(launch_delay - T_OH);
            drive_enable = launch_enable;
            drive_data = launch_data;
            drive_steady = launch_valid;
        end
    end

    // Between the edges, too, where the model's own data are known.
    always @(sdram_d)
        if (drive_steady && (drive_enable[0] && ^sdram_d[7:0] === 1'bx && ^drive_data[7:0] !== 1'bx
            || drive_enable[1] && ^sdram_d[15:8] === 1'bx && ^drive_data[15:8] !== 1'bx))
            violation("bus_contention", burst_bank);

    always @(sdram_cke or sdram_csn or sdram_rasn or sdram_casn or sdram_wen or sdram_ba or sdram_a) begin : command_pins
        pins_time = $time;
        if (clock > 1 && pins_time - clock_time < T_IH)
            violation("tIH", sdram_ba);
    end

    wire [17:0] data_in = {sdram_dqm, drive_enable == 0 ? sdram_d : 16'd0};

    always @(data_in) begin : data_pins
        data_time = $time;
        if (write_taken && data_time - clock_time < T_IH)
            violation("tIH", burst_bank);
    end

    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
