// Model of a x8 DDR SDRAM behind the device's pins, of 128 Mb with the default parameters: 4 banks x 4096 rows x 1024
// columns x 8 bits.
//
// Behaviour: bursts of 2, 4 or 8 (sequential and interleaved), CAS latency 3, auto-precharge, burst terminate for
// reads, data masks. Read data and DQS leave on the edges of CK, with one clock of DQS preamble and half a clock of
// postamble; written data are taken on the edges of DQS, which must be centred in the data. Power-down and self refresh
// are not modelled.
//
// Contents: `memory`, indexed by the linear byte address {row[11:0], bank[1:0], column[9:0]}. Cells are X until written
// (four-state simulators). A testbench may load or dump it hierarchically.
//
// Checks: every breach of a rule in `rule_names` prints "VIOLATION <rule> at <time> clock <n>: ..." and counts in
// `timing_violations` and `rule_violations[rule]`; `first_rule`, `first_time` and `first_clock` keep the first one. The
// model then goes on as well as it can. Rules measured in ns or in parts of a clock are silent where time stands still.
//
// Counters: `row_hits` (column commands to a row which already had one since its activate), `row_misses` (first
// column command after an activate), `activates`, `precharges` (banks closed, auto-precharge included), `reads`,
// `writes` (column commands), `turnarounds` (changes between read and write), `refreshes` (those of the start-up too).
// `bank_hits` and `bank_misses` are those of each bank, `row_low` and `row_high` the least and the greatest row that its column
// commands were to, since a bench has set them to 4095 and 0.
//
// Parameters: ROWS of each bank, at most 4096. T<rule> in memory clocks, except TCK_* , TIS, TIH, TDS, TDH in ns and
// TDQSS_*, TCH_*, TWPRE in parts of a clock; the defaults are DDR400B at 5 ns. INIT_CLOCKS: clocks without a command after power-up (CKE low or high, high
// for the last one). REPORT_LIMIT: messages printed, later violations only count. Illegal values stop the simulation.
//
// The task `power_up` puts the device back to the state after power-up, contents kept.

`default_nettype none
`timescale 1ns / 1ps

// Fewer where nothing beyond is accessed: a simulator makes all of them.
`ifndef DDR_BYTES
`define DDR_BYTES 16777216
`endif

module ddr_sdram #(
    parameter integer ROWS = 4096,
    parameter [63:0] INIT_CLOCKS = 40000,
    parameter [63:0] REPORT_LIMIT = 200,
    parameter [63:0] TRCD = 3,
    parameter [63:0] TRP = 3,
    parameter [63:0] TRAS_MIN = 8,
    parameter [63:0] TRAS_MAX = 14000,
    parameter [63:0] TRC = 11,
    parameter [63:0] TRFC = 14,
    parameter [63:0] TRRD = 2,
    parameter [63:0] TWR = 3,
    parameter [63:0] TWTR = 2,
    parameter [63:0] TDAL = TWR + TRP,
    parameter [63:0] TMRD = 2,
    parameter [63:0] TREFI = 3120,
    parameter [63:0] TDLL = 200,
    parameter real TCK_MIN = 5.0,
    parameter real TCK_MAX = 8.0,
    parameter real TCH_MIN = 0.45,
    parameter real TCH_MAX = 0.55,
    parameter real TDQSS_MIN = 0.72,
    parameter real TDQSS_MAX = 1.25,
    parameter real TWPRE = 0.25,
    parameter real TIS = 0.6,
    parameter real TIH = 0.6,
    parameter real TDS = 0.4,
    parameter real TDH = 0.4
) (
    input wire ddr_ck,
    input wire ddr_ck_n,
    input wire ddr_cke,
    input wire ddr_cs_n,
    input wire ddr_ras_n,
    input wire ddr_cas_n,
    input wire ddr_we_n,
    input wire [1:0] ddr_ba,
    input wire [11:0] ddr_a,
    input wire ddr_dm,
    inout wire [7:0] ddr_dq,
    /* verilator lint_off SYNCASYNCNET */ // a strobe, which the check of contention also reads
    inout wire ddr_dqs
    /* verilator lint_on SYNCASYNCNET */
);

    localparam [63:0] CAS_LATENCY = 3;
    // Refreshes that may be owed, plus the one that is due.
    localparam [63:0] REFRESH_WINDOW = 9 * TREFI;
    // Slack for times that a simulator rounds to its precision.
    localparam real ROUNDING = 0.0015;

    localparam [2:0] COMMAND_MODE = 3'b000, COMMAND_REFRESH = 3'b001, COMMAND_PRECHARGE = 3'b010,
        COMMAND_ACTIVATE = 3'b011, COMMAND_WRITE = 3'b100, COMMAND_READ = 3'b101, COMMAND_NOP = 3'b111;

    localparam [5:0] RULE_TCK = 0, RULE_TCH = 1, RULE_CKE = 2, RULE_UNKNOWN_PINS = 3, RULE_TIS = 4, RULE_TIH = 5,
        RULE_INIT_WAIT = 6, RULE_INIT_SEQUENCE = 7, RULE_INIT_INCOMPLETE = 8, RULE_TDLL = 9, RULE_MODE_REGISTER = 10,
        RULE_MODE_OPEN_BANK = 11, RULE_TMRD = 12, RULE_TRFC = 13, RULE_TRP = 14, RULE_TDAL = 15, RULE_TRC = 16,
        RULE_TRRD = 17, RULE_TRCD = 18, RULE_TRAS_MIN = 19, RULE_TRAS_MAX = 20, RULE_TWR = 21, RULE_TRTP = 22,
        RULE_TWTR = 23, RULE_TRTW = 24, RULE_TCCD = 25, RULE_CLOSED_BANK = 26, RULE_ACTIVATE_OPEN_BANK = 27,
        RULE_REFRESH_OPEN_BANK = 28, RULE_TREFI = 29, RULE_BURST_TERMINATE = 30, RULE_TDQSS = 31,
        RULE_DQS_MISSING = 32, RULE_TWPRE = 33, RULE_TDS = 34, RULE_TDH = 35, RULE_BUS_CONTENTION = 36,
        RULE_ROW = 37;
    localparam RULES = 38;

    // The next step of the start-up sequence.
    localparam [3:0] INIT_PRECHARGE = 0, INIT_EXTENDED_MODE = 1, INIT_DLL_RESET = 2, INIT_SECOND_PRECHARGE = 3,
        INIT_REFRESH = 4, INIT_SECOND_REFRESH = 5, INIT_MODE = 6, INIT_DONE = 7;

    // A behavioural model computes in the order of its statements, and its processes, which wake at different pins,
    // count their violations in common variables.
    /* verilator lint_off BLKSEQ */
    /* verilator lint_off MULTIDRIVEN */

    reg [7:0] memory [0:`DDR_BYTES-1];

    // Results.
    integer timing_violations;
    integer rule_violations [0:RULES-1];
    reg [8*18:1] rule_names [0:RULES-1];
    reg [8*48:1] rule_texts [0:RULES-1]; // what was wanted, for the rules that are no times
    // Only written here; marked, or Verilator keeps a copy of its own in each process.
    reg [8*18:1] first_rule /* verilator public_flat_rw */;
    real first_time /* verilator public_flat_rw */;
    reg [63:0] first_clock /* verilator public_flat_rw */;
    reg [63:0] row_hits, row_misses, activates, precharges, reads, writes, turnarounds, refreshes;
    reg [63:0] bank_hits [0:3];
    reg [63:0] bank_misses [0:3];
    reg [11:0] row_low [0:3];
    reg [11:0] row_high [0:3];

    // Clock: number and time of the last rising edge of CK, its last period and time high in ns (0 where time stands
    // still), and the number of the last clock whose CK_n rose.
    reg [63:0] clock;
    real ck_time, ck_period, ck_high;
    reg [63:0] half_clock;
    real command_time;
    reg cke_before;

    // Mode and start-up.
    reg [3:0] init_step;
    reg init_waited;
    reg [3:0] burst_length;
    reg [63:0] burst_clocks;
    reg interleaved;

    // Banks. `*_ready`: the first clock at which the rule allows the command.
    reg [3:0] bank_open, bank_touched;
    reg [11:0] bank_row [0:3];
    reg [63:0] trcd_ready [0:3];
    reg [63:0] tras_ready [0:3];
    reg [63:0] tras_limit [0:3];
    reg [63:0] trc_ready [0:3];
    reg [63:0] trp_ready [0:3];
    reg [63:0] tdal_ready [0:3];
    reg [63:0] twr_ready [0:3];
    reg [63:0] trtp_ready [0:3];
    reg [63:0] trrd_ready, trfc_ready, tmrd_ready, tdll_ready, twtr_ready, trtw_ready, read_ready, write_ready;
    reg [63:0] write_burst_end;
    reg [63:0] refresh_deadline;
    reg direction_known, direction_write;
    reg [1:0] read_bank;

    // Read data: bit k of the pipes is the pair of beats, and the start of a burst, that is due k clocks from now.
    reg [6:0] read_pipe;
    reg [3:0] read_start_pipe;
    reg [23:0] read_address [0:3]; // by the low bits of the command's clock
    reg [1:0] read_source;
    reg [23:0] read_burst_address;
    reg [2:0] read_beat;
    reg dq_enable, dqs_enable, dqs_out;
    reg [7:0] dq_out;

    // Write data: the slot of a pair of beats is the clock whose rising edge its DQS edge belongs to. A new command may
    // come before the last edge of the burst before it.
    reg [63:0] write_first_slot, write_last_slot, former_first_slot, former_last_slot;
    reg [23:0] write_address, former_address;
    reg [63:0] strobe_slot, strobe_slot_seen;
    reg [23:0] strobe_address;
    reg [2:0] strobe_beat;
    reg fall_pending, strobe_before;
    real strobe_phase, strobe_time, data_time, data_edge_time;

    reg [8*10:1] command_name;
    integer bank;

    assign ddr_dq = dq_enable ? dq_out : 8'bz;
    assign ddr_dqs = dqs_enable ? dqs_out : 1'bz;

    // What comes in; the processes that watch it sleep while the model itself drives.
    wire strobe_in = dqs_enable ? 1'b0 : ddr_dqs;
    wire [8:0] data_in = dq_enable ? 9'd0 : {ddr_dm, ddr_dq};

    // -- Reports ------------------------------------------------------------------------------------------------------

    task count_violation(input [5:0] rule);
        begin
            if (timing_violations == 0) begin
                first_rule = rule_names[rule];
                first_time = $realtime;
                first_clock = clock;
            end
            timing_violations = timing_violations + 1;
            rule_violations[rule] = rule_violations[rule] + 1;
        end
    endtask

    function printing(input integer number);
        printing = {32'd0, number} <= REPORT_LIMIT;
    endfunction

    // What is wrong with a command waits in a list, which `report_command` prints: every call of a task is a copy of its
    // text for Verilator, and of these there are a hundred.
    reg [5:0] found_rule [0:31];
    reg [1:0] found_bank [0:31];
    reg [63:0] found_wanted [0:31]; // the first clock at which the rule allows the command; 0 where none does
    integer found;

    // A command before the first clock that a rule allows.
    task too_early(input [5:0] rule, input [1:0] bank_number, input [63:0] wanted);
        begin
            found_rule[found[4:0]] = rule;
            found_bank[found[4:0]] = bank_number;
            found_wanted[found[4:0]] = wanted;
            found = found + 1;
        end
    endtask

    // A command that the state of the device does not allow.
    task fault(input [5:0] rule, input [1:0] bank_number);
        too_early(rule, bank_number, 64'd0);
    endtask

    task report_command;
        begin
            for (bank = 0; bank < found; bank = bank + 1) begin
                count_violation(found_rule[bank[4:0]]);
                if (printing(timing_violations)) begin
                    if (found_wanted[bank[4:0]] == 0)
                        $display("VIOLATION %0s at %0t clock %0d: %0s, bank %0d, wanted %0s",
                            rule_names[found_rule[bank[4:0]]], $realtime, clock, command_name, found_bank[bank[4:0]],
                            rule_texts[found_rule[bank[4:0]]]);
                    else
                        $display("VIOLATION %0s at %0t clock %0d: %0s, bank %0d, wanted at clock %0d or later",
                            rule_names[found_rule[bank[4:0]]], $realtime, clock, command_name, found_bank[bank[4:0]],
                            found_wanted[bank[4:0]]);
                end
            end
            found = 0;
        end
    endtask

    // A time or part of a clock out of its range; a `maximum` of 0 stands for none.
    task out_of_range(input [5:0] rule, input real measured, input real minimum, input real maximum);
        begin
            count_violation(rule);
            if (printing(timing_violations)) begin
                if (maximum > 0.0)
                    $display("VIOLATION %0s at %0t clock %0d: %0.3f, wanted %0.3f to %0.3f",
                        rule_names[rule], $realtime, clock, measured, minimum, maximum);
                else
                    $display("VIOLATION %0s at %0t clock %0d: %0.3f, wanted at least %0.3f",
                        rule_names[rule], $realtime, clock, measured, minimum);
            end
        end
    endtask

    // Something wrong on the pins.
    task pin_fault(input [5:0] rule);
        begin
            count_violation(rule);
            if (printing(timing_violations))
                $display("VIOLATION %0s at %0t clock %0d: wanted %0s", rule_names[rule], $realtime, clock,
                    rule_texts[rule]);
        end
    endtask

    // -- Power-up -----------------------------------------------------------------------------------------------------

    // The state after power-up. The contents of the memory stay, so that they may be loaded before.
    task power_up;
        begin
            timing_violations = 0;
            found = 0;
            for (bank = 0; bank < RULES; bank = bank + 1)
                rule_violations[bank] = 0;
            first_rule = "none";
            first_time = 0.0;
            first_clock = 0;
            row_hits = 0;
            row_misses = 0;
            activates = 0;
            precharges = 0;
            reads = 0;
            writes = 0;
            turnarounds = 0;
            refreshes = 0;
            clock = 0;
            ck_time = 0.0;
            ck_period = 0.0;
            ck_high = 0.0;
            half_clock = 0;
            cke_before = 1'b0;
            init_step = INIT_PRECHARGE;
            init_waited = 1'b0;
            burst_length = 4;
            burst_clocks = 2;
            interleaved = 1'b0;
            bank_open = 4'b0000;
            bank_touched = 4'b0000;
            for (bank = 0; bank < 4; bank = bank + 1) begin
                bank_row[bank] = 0;
                bank_hits[bank] = 0;
                bank_misses[bank] = 0;
                row_low[bank] = 12'd4095;
                row_high[bank] = 0;
                trcd_ready[bank] = 0;
                tras_ready[bank] = 0;
                tras_limit[bank] = 0;
                trc_ready[bank] = 0;
                trp_ready[bank] = 0;
                tdal_ready[bank] = 0;
                twr_ready[bank] = 0;
                trtp_ready[bank] = 0;
                read_address[bank] = 0;
            end
            trrd_ready = 0;
            trfc_ready = 0;
            tmrd_ready = 0;
            tdll_ready = 0;
            twtr_ready = 0;
            trtw_ready = 0;
            read_ready = 0;
            write_ready = 0;
            write_burst_end = 0;
            refresh_deadline = ~64'd0;
            direction_known = 1'b0;
            direction_write = 1'b0;
            read_bank = 0;
            read_pipe = 0;
            read_start_pipe = 0;
            read_source = 0;
            read_burst_address = 0;
            read_beat = 0;
            dq_enable = 1'b0;
            dqs_enable = 1'b0;
            dqs_out = 1'b0;
            dq_out = 0;
            write_first_slot = 1;
            write_last_slot = 0;
            former_first_slot = 1;
            former_last_slot = 0;
            write_address = 0;
            former_address = 0;
            strobe_slot = 0;
            strobe_slot_seen = 0;
            strobe_address = 0;
            strobe_beat = 0;
            fall_pending = 1'b0;
            command_name = "power-up";
        end
    endtask

    initial begin
        for (bank = 0; bank < RULES; bank = bank + 1)
            rule_texts[bank] = "";
        rule_names[RULE_TCK] = "tCK";
        rule_names[RULE_TCH] = "tCH";
        rule_texts[RULE_TCH] = "CK_n to rise between the rises of CK";
        rule_names[RULE_CKE] = "CKE";
        rule_texts[RULE_CKE] = "CKE high, also one clock before a command";
        rule_names[RULE_UNKNOWN_PINS] = "unknown_pins";
        rule_texts[RULE_UNKNOWN_PINS] = "known command pins while CKE is high";
        rule_names[RULE_TIS] = "tIS";
        rule_names[RULE_TIH] = "tIH";
        rule_names[RULE_INIT_WAIT] = "init_wait";
        rule_names[RULE_INIT_SEQUENCE] = "init_sequence";
        rule_texts[RULE_INIT_SEQUENCE] = "the steps of the start-up in their order";
        rule_names[RULE_INIT_INCOMPLETE] = "init_incomplete";
        rule_texts[RULE_INIT_INCOMPLETE] = "the start-up sequence completed";
        rule_names[RULE_TDLL] = "tDLL";
        rule_names[RULE_MODE_REGISTER] = "mode_register";
        rule_texts[RULE_MODE_REGISTER] = "CL 3, BL 2, 4 or 8, DLL on, the rest 0";
        rule_names[RULE_MODE_OPEN_BANK] = "mode_open_bank";
        rule_texts[RULE_MODE_OPEN_BANK] = "all banks precharged";
        rule_names[RULE_TMRD] = "tMRD";
        rule_names[RULE_TRFC] = "tRFC";
        rule_names[RULE_TRP] = "tRP";
        rule_names[RULE_TDAL] = "tDAL";
        rule_names[RULE_TRC] = "tRC";
        rule_names[RULE_TRRD] = "tRRD";
        rule_names[RULE_TRCD] = "tRCD";
        rule_names[RULE_TRAS_MIN] = "tRAS_min";
        rule_names[RULE_TRAS_MAX] = "tRAS_max";
        rule_texts[RULE_TRAS_MAX] = "the row closed earlier";
        rule_names[RULE_TWR] = "tWR";
        rule_names[RULE_TRTP] = "tRTP";
        rule_names[RULE_TWTR] = "tWTR";
        rule_names[RULE_TRTW] = "tRTW";
        rule_names[RULE_TCCD] = "tCCD";
        rule_names[RULE_CLOSED_BANK] = "closed_bank";
        rule_texts[RULE_CLOSED_BANK] = "an activate first";
        rule_names[RULE_ACTIVATE_OPEN_BANK] = "activate_open_bank";
        rule_texts[RULE_ACTIVATE_OPEN_BANK] = "the bank precharged first";
        rule_names[RULE_REFRESH_OPEN_BANK] = "refresh_open_bank";
        rule_texts[RULE_REFRESH_OPEN_BANK] = "all banks precharged";
        rule_names[RULE_TREFI] = "tREFI";
        rule_texts[RULE_TREFI] = "a refresh, with at most 8 postponed";
        rule_names[RULE_BURST_TERMINATE] = "burst_terminate";
        rule_texts[RULE_BURST_TERMINATE] = "it during a read without auto-precharge";
        rule_names[RULE_TDQSS] = "tDQSS";
        rule_texts[RULE_TDQSS] = "one rise of DQS for each clock of data";
        rule_names[RULE_DQS_MISSING] = "dqs_missing";
        rule_texts[RULE_DQS_MISSING] = "an edge of DQS for each beat of write data";
        rule_names[RULE_TWPRE] = "tWPRE";
        rule_texts[RULE_TWPRE] = "DQS driven low before it rises";
        rule_names[RULE_TDS] = "tDS";
        rule_names[RULE_TDH] = "tDH";
        rule_names[RULE_BUS_CONTENTION] = "bus_contention";
        rule_names[RULE_ROW] = "row";
        rule_texts[RULE_ROW] = "a row that the device has";
        rule_texts[RULE_BUS_CONTENTION] = "no other driver during read data";
        strobe_time = 0.0;
        strobe_before = 1'b0;
        data_time = 0.0;
        data_edge_time = -1000.0;
        command_time = 0.0;
        power_up;
        if (ROWS < 1 || ROWS > 4096 || TRAS_MAX < TRAS_MIN || TREFI == 0 || TCK_MAX < TCK_MIN || TDQSS_MAX < TDQSS_MIN) begin
            $display("ddr_sdram: illegal parameters");
            $finish;
        end
    end

    // -- Addresses ----------------------------------------------------------------------------------------------------

    // The byte address of a beat: bursts wrap within a block of their own length.
    function [23:0] beat_address(input [23:0] start, input [2:0] beat);
        reg [2:0] low;
        begin
            low = interleaved ? start[2:0] ^ beat : start[2:0] + beat;
            case (burst_length)
                4'd8: beat_address = {start[23:3], low};
                4'd4: beat_address = {start[23:2], low[1:0]};
                default: beat_address = {start[23:1], low[0]};
            endcase
        end
    endfunction

    // Whether a write command awaits data in a slot.
    function slot_expected(input [63:0] slot);
        slot_expected = (slot >= write_first_slot && slot <= write_last_slot)
            || (slot >= former_first_slot && slot <= former_last_slot);
    endfunction

    // -- Commands -----------------------------------------------------------------------------------------------------

    // All banks closed and precharged, before a refresh or a mode register command.
    task check_all_precharged(input [5:0] open_rule);
        begin
            for (bank = 0; bank < 4; bank = bank + 1) begin
                if (bank_open[bank])
                    fault(open_rule, bank[1:0]);
                if (clock < trp_ready[bank])
                    too_early(RULE_TRP, bank[1:0], trp_ready[bank]);
                if (clock < tdal_ready[bank])
                    too_early(RULE_TDAL, bank[1:0], tdal_ready[bank]);
                if (open_rule == RULE_REFRESH_OPEN_BANK && clock < trc_ready[bank])
                    too_early(RULE_TRC, bank[1:0], trc_ready[bank]);
            end
        end
    endtask

    task check_row_age(input [1:0] ba, input [63:0] precharge_clock);
        if (precharge_clock > tras_limit[ba]) begin
            fault(RULE_TRAS_MAX, ba);
            tras_limit[ba] = ~64'd0;
        end
    endtask

    task mode_command;
        begin
            check_all_precharged(RULE_MODE_OPEN_BANK);
            tmrd_ready = clock + TMRD;
            if (ddr_ba == 2'b01) begin
                if (ddr_a[0] || ddr_a[11:2] != 0)
                    fault(RULE_MODE_REGISTER, ddr_ba);
                if (init_step < INIT_EXTENDED_MODE)
                    fault(RULE_INIT_SEQUENCE, ddr_ba);
                if (init_step <= INIT_EXTENDED_MODE)
                    init_step = INIT_DLL_RESET;
            end else if (ddr_ba == 2'b00) begin
                if (ddr_a[6:4] != 3'd3 || ddr_a[2:0] == 3'd0 || ddr_a[2:0] > 3'd3 || ddr_a[11:9] != 0 || ddr_a[7])
                    fault(RULE_MODE_REGISTER, ddr_ba);
                burst_length = (ddr_a[2:0] == 3'd1) ? 4'd2 : (ddr_a[2:0] == 3'd3) ? 4'd8 : 4'd4;
                burst_clocks = {60'd0, burst_length} >> 1;
                interleaved = ddr_a[3];
                if (ddr_a[8]) begin
                    tdll_ready = clock + TDLL;
                    if (init_step < INIT_DLL_RESET)
                        fault(RULE_INIT_SEQUENCE, ddr_ba);
                    if (init_step <= INIT_DLL_RESET)
                        init_step = INIT_SECOND_PRECHARGE;
                end else if (init_step < INIT_DONE) begin
                    if (init_step < INIT_MODE)
                        fault(RULE_INIT_SEQUENCE, ddr_ba);
                    init_step = INIT_DONE;
                    refresh_deadline = clock + REFRESH_WINDOW;
                end
            end else
                fault(RULE_MODE_REGISTER, ddr_ba);
        end
    endtask

    task refresh_command;
        begin
            check_all_precharged(RULE_REFRESH_OPEN_BANK);
            refreshes = refreshes + 1;
            trfc_ready = clock + TRFC;
            if (init_step == INIT_DONE)
                refresh_deadline = (refresh_deadline < clock + REFRESH_WINDOW - TREFI)
                    ? refresh_deadline + TREFI : clock + REFRESH_WINDOW;
            else if (init_step < INIT_REFRESH) begin
                fault(RULE_INIT_SEQUENCE, 2'd0);
                init_step = INIT_SECOND_REFRESH;
            end else if (init_step < INIT_MODE)
                init_step = init_step + 1;
        end
    endtask

    task precharge_command;
        begin
            for (bank = 0; bank < 4; bank = bank + 1)
                if (ddr_a[10] || bank[1:0] == ddr_ba) begin
                    if (clock < twr_ready[bank])
                        too_early(RULE_TWR, bank[1:0], twr_ready[bank]);
                    if (clock < trtp_ready[bank])
                        too_early(RULE_TRTP, bank[1:0], trtp_ready[bank]);
                    if (bank_open[bank]) begin
                        if (clock < tras_ready[bank])
                            too_early(RULE_TRAS_MIN, bank[1:0], tras_ready[bank]);
                        check_row_age(bank[1:0], clock);
                        precharges = precharges + 1;
                    end
                    // What the banks do before the start-up is over is unknown, so they take their time.
                    if (bank_open[bank] || init_step != INIT_DONE)
                        trp_ready[bank] = clock + TRP;
                    bank_open[bank] = 1'b0;
                end
            if (ddr_a[10] && (init_step == INIT_PRECHARGE || init_step == INIT_SECOND_PRECHARGE))
                init_step = init_step + 1;
        end
    endtask

    task activate_command;
        begin
            if (bank_open[ddr_ba])
                fault(RULE_ACTIVATE_OPEN_BANK, ddr_ba);
            if (clock < trp_ready[ddr_ba])
                too_early(RULE_TRP, ddr_ba, trp_ready[ddr_ba]);
            if (clock < tdal_ready[ddr_ba])
                too_early(RULE_TDAL, ddr_ba, tdal_ready[ddr_ba]);
            if (clock < trc_ready[ddr_ba])
                too_early(RULE_TRC, ddr_ba, trc_ready[ddr_ba]);
            if (clock < trrd_ready)
                too_early(RULE_TRRD, ddr_ba, trrd_ready);
            if ({20'd0, ddr_a} >= ROWS)
                fault(RULE_ROW, ddr_ba);
            activates = activates + 1;
            bank_open[ddr_ba] = 1'b1;
            bank_touched[ddr_ba] = 1'b0;
            bank_row[ddr_ba] = ddr_a;
            trcd_ready[ddr_ba] = clock + TRCD;
            tras_ready[ddr_ba] = clock + TRAS_MIN;
            tras_limit[ddr_ba] = clock + TRAS_MAX;
            trc_ready[ddr_ba] = clock + TRC;
            trrd_ready = clock + TRRD;
        end
    endtask

    // What reads and writes have in common.
    task column_command(input is_write);
        begin
            if (!bank_open[ddr_ba])
                fault(RULE_CLOSED_BANK, ddr_ba);
            else begin
                if (clock < trcd_ready[ddr_ba])
                    too_early(RULE_TRCD, ddr_ba, trcd_ready[ddr_ba]);
                check_row_age(ddr_ba, clock);
            end
            if (bank_touched[ddr_ba]) begin
                row_hits = row_hits + 1;
                bank_hits[ddr_ba] = bank_hits[ddr_ba] + 1;
            end else begin
                row_misses = row_misses + 1;
                bank_misses[ddr_ba] = bank_misses[ddr_ba] + 1;
            end
            if (bank_row[ddr_ba] < row_low[ddr_ba])
                row_low[ddr_ba] = bank_row[ddr_ba];
            if (bank_row[ddr_ba] > row_high[ddr_ba])
                row_high[ddr_ba] = bank_row[ddr_ba];
            bank_touched[ddr_ba] = 1'b1;
            if (direction_known && direction_write != is_write)
                turnarounds = turnarounds + 1;
            direction_known = 1'b1;
            direction_write = is_write;
        end
    endtask

    task auto_precharge(input [63:0] start);
        begin
            check_row_age(ddr_ba, start);
            bank_open[ddr_ba] = 1'b0;
            precharges = precharges + 1;
        end
    endtask

    task read_command;
        begin
            column_command(1'b0);
            if (clock < tdll_ready)
                too_early(RULE_TDLL, ddr_ba, tdll_ready);
            if (clock < twtr_ready)
                too_early(RULE_TWTR, ddr_ba, twtr_ready);
            if (clock < read_ready)
                too_early(RULE_TCCD, ddr_ba, read_ready);
            reads = reads + 1;
            read_bank = ddr_ba;
            read_ready = clock + burst_clocks;
            trtw_ready = clock + CAS_LATENCY + burst_clocks;
            trtp_ready[ddr_ba] = clock + burst_clocks;
            read_address[clock[1:0]] = {bank_row[ddr_ba], ddr_ba, ddr_a[9:0]};
            read_start_pipe[3] = 1'b1;
            read_pipe[6:3] = (burst_length == 8) ? 4'b1111 : (burst_length == 4) ? 4'b0011 : 4'b0001;
            if (ddr_a[10]) begin
                if (trtp_ready[ddr_ba] < tras_ready[ddr_ba])
                    trp_ready[ddr_ba] = tras_ready[ddr_ba] + TRP;
                else
                    trp_ready[ddr_ba] = trtp_ready[ddr_ba] + TRP;
                auto_precharge(trp_ready[ddr_ba] - TRP);
            end
        end
    endtask

    task write_command;
        begin
            column_command(1'b1);
            if (clock < trtw_ready)
                too_early(RULE_TRTW, ddr_ba, trtw_ready);
            if (clock < write_ready)
                too_early(RULE_TCCD, ddr_ba, write_ready);
            writes = writes + 1;
            write_ready = clock + burst_clocks;
            write_burst_end = clock + 1 + burst_clocks;
            twtr_ready = write_burst_end + TWTR;
            twr_ready[ddr_ba] = write_burst_end + TWR;
            former_first_slot = write_first_slot;
            former_last_slot = (write_last_slot < clock) ? write_last_slot : clock;
            former_address = write_address;
            write_first_slot = clock + 1;
            write_last_slot = clock + burst_clocks;
            write_address = {bank_row[ddr_ba], ddr_ba, ddr_a[9:0]};
            if (ddr_a[10]) begin
                tdal_ready[ddr_ba] = write_burst_end + TDAL;
                auto_precharge(twr_ready[ddr_ba]);
            end
        end
    endtask

    task terminate_command;
        if (clock < write_burst_end)
            fault(RULE_BURST_TERMINATE, ddr_ba);
        else begin
            read_pipe[6:3] = 4'b0000;
            read_start_pipe[3] = 1'b0;
            if (clock < read_ready) begin
                if (!bank_open[read_bank])
                    fault(RULE_BURST_TERMINATE, read_bank);
                read_ready = clock;
                trtw_ready = clock + CAS_LATENCY;
                trtp_ready[read_bank] = clock;
            end
        end
    endtask

    task decode_command;
        begin
            case ({ddr_ras_n, ddr_cas_n, ddr_we_n})
                COMMAND_MODE: command_name = (ddr_ba == 2'b00) ? "MRS" : "EMRS";
                COMMAND_REFRESH: command_name = "refresh";
                COMMAND_PRECHARGE: command_name = "precharge";
                COMMAND_ACTIVATE: command_name = "activate";
                COMMAND_WRITE: command_name = "write";
                COMMAND_READ: command_name = "read";
                default: command_name = "terminate";
            endcase
            if (!cke_before)
                fault(RULE_CKE, ddr_ba);
            if (!init_waited) begin
                if (clock <= INIT_CLOCKS)
                    too_early(RULE_INIT_WAIT, ddr_ba, INIT_CLOCKS + 1);
                init_waited = 1'b1;
            end
            if (clock < tmrd_ready)
                too_early(RULE_TMRD, ddr_ba, tmrd_ready);
            if (clock < trfc_ready)
                too_early(RULE_TRFC, ddr_ba, trfc_ready);
            // Reported once, after that the device is taken as initialised.
            if (init_step != INIT_DONE && {ddr_ras_n, ddr_cas_n, ddr_we_n} >= COMMAND_ACTIVATE) begin
                fault(RULE_INIT_INCOMPLETE, ddr_ba);
                init_step = INIT_DONE;
                refresh_deadline = clock + REFRESH_WINDOW;
            end
            case ({ddr_ras_n, ddr_cas_n, ddr_we_n})
                COMMAND_MODE: mode_command;
                COMMAND_REFRESH: refresh_command;
                COMMAND_PRECHARGE: precharge_command;
                COMMAND_ACTIVATE: activate_command;
                COMMAND_WRITE: write_command;
                COMMAND_READ: read_command;
                default: terminate_command;
            endcase
            if (found != 0)
                report_command;
        end
    endtask

    // -- Read data ----------------------------------------------------------------------------------------------------

    // First half of a clock: the even beat of a pair with DQS high, or the preamble, or nothing.
    task drive_first_half;
        begin
            if (dqs_enable && ddr_dqs !== dqs_out || dq_enable && read_pipe[1] && ddr_dq !== dq_out)
                pin_fault(RULE_BUS_CONTENTION);
            read_pipe = read_pipe >> 1;
            read_start_pipe = read_start_pipe >> 1;
            if (read_start_pipe[0]) begin
                read_source = clock[1:0] - CAS_LATENCY[1:0];
                read_burst_address = read_address[read_source];
                read_beat = 0;
            end
            if (read_pipe[0])
                dq_out <= memory[beat_address(read_burst_address, read_beat)];
            dq_enable <= read_pipe[0];
            dqs_out <= read_pipe[0];
            dqs_enable <= read_pipe[0] || read_pipe[1];
        end
    endtask

    task drive_second_half;
        begin
            if (ddr_dqs !== dqs_out || ddr_dq !== dq_out)
                pin_fault(RULE_BUS_CONTENTION);
            dq_out <= memory[beat_address(read_burst_address, read_beat + 3'd1)];
            dqs_out <= 1'b0;
            read_beat = read_beat + 3'd2;
        end
    endtask

    // -- Processes ----------------------------------------------------------------------------------------------------

    always @(posedge ddr_ck) begin : rising_clock
        clock = clock + 1;
        ck_period = (clock > 1) ? $realtime - ck_time : 0.0;
        ck_time = $realtime;
        if (cke_before && ck_period > 0.0) begin
            if (ck_period < TCK_MIN - ROUNDING || ck_period > TCK_MAX + ROUNDING)
                out_of_range(RULE_TCK, ck_period, TCK_MIN, TCK_MAX);
            if (half_clock + 1 != clock)
                pin_fault(RULE_TCH);
            else if (ck_high < (TCH_MIN * ck_period) - ROUNDING || ck_high > (TCH_MAX * ck_period) + ROUNDING)
                out_of_range(RULE_TCH, ck_high / ck_period, TCH_MIN, TCH_MAX);
        end
        if (fall_pending && strobe_slot < clock) begin
            pin_fault(RULE_DQS_MISSING);
            fall_pending = 1'b0;
        end
        if (read_pipe != 0 || dqs_enable)
            drive_first_half;
        if (clock > refresh_deadline) begin
            pin_fault(RULE_TREFI);
            refresh_deadline = refresh_deadline + TREFI;
        end
        if (ddr_cke === 1'b1) begin
            if (ck_period > 0.0 && ck_time - command_time < TIS - ROUNDING)
                out_of_range(RULE_TIS, ck_time - command_time, TIS, 0.0);
            if (^{ddr_cs_n, ddr_ras_n, ddr_cas_n, ddr_we_n} === 1'bx && ddr_cs_n !== 1'b1)
                pin_fault(RULE_UNKNOWN_PINS);
            else if (ddr_cs_n == 1'b0 && {ddr_ras_n, ddr_cas_n, ddr_we_n} != COMMAND_NOP)
                decode_command;
        end else if (cke_before)
            pin_fault(RULE_CKE);
        cke_before = ddr_cke === 1'b1;
    end

    always @(posedge ddr_ck_n) begin : falling_clock
        half_clock = clock;
        ck_high = $realtime - ck_time;
        if (read_pipe[0])
            drive_second_half;
        if (clock <= write_last_slot && strobe_slot_seen < clock && slot_expected(clock))
            pin_fault(RULE_DQS_MISSING);
    end

    always @(ddr_cke or ddr_cs_n or ddr_ras_n or ddr_cas_n or ddr_we_n or ddr_ba or ddr_a) begin : command_pins
        command_time = $realtime;
        if (cke_before && ck_period > 0.0 && command_time - ck_time < TIH - ROUNDING)
            out_of_range(RULE_TIH, command_time - ck_time, TIH, 0.0);
    end

    always @(data_in) begin : data_pins
        data_time = $realtime;
        if (ck_period > 0.0 && data_time - data_edge_time < TDH - ROUNDING)
            out_of_range(RULE_TDH, data_time - data_edge_time, TDH, 0.0);
    end

    // Takes a byte at an edge of DQS. Adding 0 turns an undriven bit into an unknown one.
    task take_data(input [23:0] address);
        begin
            if (ck_period > 0.0 && $realtime - data_time < TDS - ROUNDING)
                out_of_range(RULE_TDS, $realtime - data_time, TDS, 0.0);
            data_edge_time = $realtime;
            if (data_in[8] === 1'b0)
                memory[address] = data_in[7:0] ^ 8'h00;
            else if (data_in[8] !== 1'b1)
                memory[address] = 8'hxx;
        end
    endtask

    task strobe_rise;
        begin
            strobe_phase = (ck_period > 0.0) ? ($realtime - ck_time) / ck_period : (ddr_ck ? 0.0 : 1.0);
            strobe_slot = (strobe_phase < 0.5) ? clock : clock + 1;
            if (slot_expected(strobe_slot)) begin
                if (fall_pending)
                    pin_fault(RULE_DQS_MISSING);
                if (strobe_slot == strobe_slot_seen)
                    pin_fault(RULE_TDQSS);
                else if (strobe_phase > TDQSS_MAX - 1.0 + ROUNDING && strobe_phase < TDQSS_MIN - ROUNDING)
                    out_of_range(RULE_TDQSS, (strobe_phase < 0.5) ? strobe_phase + 1.0 : strobe_phase, TDQSS_MIN,
                        TDQSS_MAX);
                if (strobe_before !== 1'b0)
                    pin_fault(RULE_TWPRE);
                else if (ck_period > 0.0 && $realtime - strobe_time < (TWPRE * ck_period) - ROUNDING)
                    out_of_range(RULE_TWPRE, ($realtime - strobe_time) / ck_period, TWPRE, 0.0);
                if (strobe_slot >= write_first_slot) begin
                    strobe_address = write_address;
                    strobe_beat = {strobe_slot[1:0] - write_first_slot[1:0], 1'b0};
                end else begin
                    strobe_address = former_address;
                    strobe_beat = {strobe_slot[1:0] - former_first_slot[1:0], 1'b0};
                end
                take_data(beat_address(strobe_address, strobe_beat));
                strobe_slot_seen = strobe_slot;
                fall_pending = 1'b1;
            end
        end
    endtask

    always @(strobe_in) begin : strobe_pin
        if (strobe_in === 1'b1 && clock <= write_last_slot)
            strobe_rise;
        else if (strobe_in === 1'b0 && fall_pending) begin
            take_data(beat_address(strobe_address, strobe_beat + 3'd1));
            fall_pending = 1'b0;
        end
        strobe_before = strobe_in;
        strobe_time = $realtime;
    end

    /* verilator lint_on MULTIDRIVEN */
    /* verilator lint_on BLKSEQ */

endmodule

`default_nettype wire
