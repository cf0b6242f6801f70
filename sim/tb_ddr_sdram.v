// Bench of the DDR SDRAM model: drives its pins directly and proves its data, its counters and every rule that it
// checks. For each rule it runs a sequence at the legal limit, which must pass, and one a step beyond it (a clock too
// early, or the nearest wrong time or command), which must be caught under that rule's name and no other. The limits
// are written here as numbers, apart from the model's parameters. The VIOLATION lines in the output are thus wanted;
// the last line counts.

`default_nettype none
`timescale 1ns / 1ps

module tb_ddr_sdram;

    localparam integer INIT_CLOCKS = 100;
    localparam integer RULES = 37;
    localparam [2:0] MODE = 3'b000, REFRESH = 3'b001, PRECHARGE = 3'b010, ACTIVATE = 3'b011, WRITE = 3'b100,
        READ = 3'b101, TERMINATE = 3'b110, NOP = 3'b111;

    // The bench drives pins at chosen times within the clock, blocking, from several processes.
    /* verilator lint_off BLKSEQ */
    /* verilator lint_off MULTIDRIVEN */
    /* verilator lint_off SYNCASYNCNET */

    reg ck, ck_n_enable;
    real ck_high, ck_low;
    reg cke, cs_n, ras_n, cas_n, we_n, dm;
    reg [1:0] ba;
    reg [11:0] a;
    reg dqs_enable, dqs_out, dq_enable, contention_dq, contention_dqs;
    reg [7:0] dq_out;
    wire [7:0] dq;
    wire dqs;
    wire ck_n = ~ck & ck_n_enable;

    assign dq = dq_enable ? dq_out : 8'bz;
    assign dq = contention_dq ? 8'hff : 8'bz;
    assign dqs = dqs_enable ? dqs_out : 1'bz;
    assign dqs = contention_dqs ? 1'b1 : 1'bz;

    ddr_sdram #(.INIT_CLOCKS(INIT_CLOCKS), .REPORT_LIMIT(1000)) u_ddr (
        .ddr_ck(ck),
        .ddr_ck_n(ck_n),
        .ddr_cke(cke),
        .ddr_cs_n(cs_n),
        .ddr_ras_n(ras_n),
        .ddr_cas_n(cas_n),
        .ddr_we_n(we_n),
        .ddr_ba(ba),
        .ddr_a(a),
        .ddr_dm(dm),
        .ddr_dq(dq),
        .ddr_dqs(dqs)
    );

    // -- Clock and data lanes -----------------------------------------------------------------------------------------

    // Half clock h = 2n is the rising edge of clock n, h = 2n + 1 its falling edge. The beats of a write at clock n lie
    // in the lanes 2n, 2n + 1, ...; each goes out `strobe_delay` clocks after its half clock.
    integer clock;
    real strobe_delay, preamble, data_lead;
    reg lane_valid [0:63];
    reg lane_quiet [0:63];
    reg [7:0] lane_data [0:63];
    reg lane_mask [0:63];
    reg [7:0] seen_dq [0:255];
    reg seen_dqs [0:255];

    task send_lane(input integer half);
        begin
            if (lane_valid[half & 63]) begin
                if (!lane_valid[(half - 1) & 63]) begin
                    dqs_enable <= #(5.0 * (strobe_delay - preamble)) 1'b1;
                    dqs_out <= #(5.0 * (strobe_delay - preamble)) 1'b0;
                end
                dq_enable <= #(5.0 * strobe_delay - data_lead) 1'b1;
                dq_out <= #(5.0 * strobe_delay - data_lead) lane_data[half & 63];
                dm <= #(5.0 * strobe_delay - data_lead) lane_mask[half & 63];
                if (!lane_quiet[half & 63])
                    dqs_out <= #(5.0 * strobe_delay) (half & 1) == 0;
                if (!lane_valid[(half + 1) & 63]) begin
                    dq_enable <= #(5.0 * strobe_delay - data_lead + 2.5) 1'b0;
                    dm <= #(5.0 * strobe_delay - data_lead + 2.5) 1'b0;
                    dqs_enable <= #(5.0 * strobe_delay + 2.5) 1'b0;
                end
            end
            lane_valid[(half - 8) & 63] = 1'b0;
            lane_quiet[(half - 8) & 63] = 1'b0;
        end
    endtask

    initial begin
        ck = 1'b0;
        forever begin
            #(ck_low) ck = 1'b1;
            #(ck_high) ck = 1'b0;
        end
    end

    // From the next rising edge on: time high and time low in ns.
    task set_clock(input real high, input real low);
        begin
            ck_high = high;
            @(posedge ck) ck_low = low;
            @(negedge ck);
        end
    endtask

    always @(posedge ck) begin
        clock = clock + 1;
        send_lane(2 * clock);
        #1.25;
        seen_dq[(2 * clock) & 255] = dq;
        seen_dqs[(2 * clock) & 255] = dqs;
    end

    always @(negedge ck) begin
        send_lane(2 * clock + 1);
        #1.25;
        seen_dq[(2 * clock + 1) & 255] = dq;
        seen_dqs[(2 * clock + 1) & 255] = dqs;
    end

    // -- Commands: each waits to the next falling edge of CK, so that commands in a row are one clock apart -----------

    // The clock at which the last command was taken.
    integer command_clock;

    task idle(input integer clocks);
        repeat (clocks) @(negedge ck);
    endtask

    // Makes the next command come so many clocks after the last one.
    task after(input integer clocks);
        idle(clocks - 1);
    endtask

    task command(input [2:0] code, input [1:0] bank, input [11:0] address);
        begin
            cs_n = 1'b0;
            {ras_n, cas_n, we_n} = code;
            ba = bank;
            a = address;
            command_clock = clock + 1;
            @(negedge ck);
            cs_n = 1'b1;
            {ras_n, cas_n, we_n} = NOP;
        end
    endtask

    task activate(input [1:0] bank, input [11:0] row);
        command(ACTIVATE, bank, row);
    endtask

    task read(input [1:0] bank, input [9:0] column, input auto);
        command(READ, bank, {1'b0, auto, column});
    endtask

    // Writes so many beats, beat k being first_data + 37 k, masked where the mask's bit k is set.
    integer beat;
    task write(input [1:0] bank, input [9:0] column, input auto, input integer beats, input [7:0] first_data,
        input [7:0] mask);
        begin
            for (beat = 0; beat < beats; beat = beat + 1) begin
                lane_valid[(2 * clock + 2 + beat) & 63] = 1'b1;
                lane_data[(2 * clock + 2 + beat) & 63] = first_data + 8'd37 * beat[7:0];
                lane_mask[(2 * clock + 2 + beat) & 63] = mask[beat];
            end
            command(WRITE, bank, {1'b0, auto, column});
        end
    endtask

    task precharge(input [1:0] bank);
        command(PRECHARGE, bank, 12'h000);
    endtask

    task precharge_all;
        command(PRECHARGE, 2'd0, 12'h400);
    endtask

    task refresh;
        command(REFRESH, 2'd0, 12'h000);
    endtask

    // MRS, with the burst length as a number.
    task mode(input integer burst_length, input interleaved, input dll_reset);
        command(MODE, 2'd0, {3'd0, dll_reset, 1'b0, 3'd3, interleaved,
            (burst_length == 2) ? 3'd1 : (burst_length == 4) ? 3'd2 : 3'd3});
    endtask

    task extended_mode;
        command(MODE, 2'd1, 12'h000);
    endtask

    // The start-up sequence without the steps of the mask: precharge all, EMRS, MRS with DLL reset, precharge all,
    // refresh, refresh, MRS. `wait_clocks` before the first command.
    task start_up(input [6:0] left_out, input integer wait_clocks);
        begin
            u_ddr.power_up;
            cke = 1'b1;
            idle(wait_clocks);
            if (!left_out[0]) begin
                precharge_all;
                after(3);
            end
            if (!left_out[1]) begin
                extended_mode;
                after(2);
            end
            if (!left_out[2]) begin
                mode(4, 1'b0, 1'b1);
                after(2);
            end
            if (!left_out[3]) begin
                precharge_all;
                after(3);
            end
            if (!left_out[4]) begin
                refresh;
                after(14);
            end
            if (!left_out[5]) begin
                refresh;
                after(14);
            end
            if (!left_out[6]) begin
                mode(4, 1'b0, 1'b0);
                after(2);
            end
        end
    endtask

    // All banks precharged, a refresh just done, the given burst length, no timing under way.
    task settle(input integer burst_length, input interleaved);
        begin
            idle(30);
            precharge_all;
            idle(10);
            refresh;
            idle(20);
            mode(burst_length, interleaved, 1'b0);
            idle(10);
        end
    endtask

    // -- Verdicts -----------------------------------------------------------------------------------------------------

    integer passed, failed;

    task check(input ok, input [8*40:1] what, input integer detail);
        if (ok)
            passed = passed + 1;
        else begin
            failed = failed + 1;
            $display("FAILED %0s (%0d) at %0t", what, detail, $realtime);
        end
    endtask

    // -- Rules --------------------------------------------------------------------------------------------------------

    // One sequence for a rule; `beyond` is 0 at the legal limit and 1 a step beyond it; `way` tells sequences of one
    // rule apart, and for rules that depend on the burst length its last digit is that.
    integer half_burst, step;
    reg [6:0] left_out;
    task sequence_of(input [8*18:1] code, input integer way, input integer beyond);
        begin
            half_burst = (way % 10) / 2;
            case (code)
                "tRCD": begin
                    activate(2'd1, 12'd5);
                    after(3 - beyond);
                    if (way == 0)
                        read(2'd1, 10'd0, 1'b0);
                    else
                        write(2'd1, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                end
                "tRP": begin
                    activate(2'd1, 12'd5);
                    if (way == 4) begin
                        after(3);
                        read(2'd1, 10'd0, 1'b1);
                        after(8 - beyond);
                        activate(2'd1, 12'd6);
                    end else begin
                        after(20);
                        if (way == 3) begin
                            read(2'd1, 10'd0, 1'b1);
                            after(5 - beyond);
                        end else begin
                            precharge(2'd1);
                            after(3 - beyond);
                        end
                        if (way == 1)
                            refresh;
                        else if (way == 2)
                            mode(4, 1'b0, 1'b0);
                        else
                            activate(2'd1, 12'd6);
                    end
                end
                "tRAS_min": begin
                    activate(2'd2, 12'd5);
                    after(8 - beyond);
                    if (way == 0)
                        precharge(2'd2);
                    else
                        precharge_all;
                end
                "tRAS_max": begin
                    activate(2'd2, 12'd5);
                    if (way == 2) begin
                        after(13998 + beyond);
                        read(2'd2, 10'd0, 1'b1);
                    end else begin
                        after(14000 + beyond);
                        if (way == 0)
                            precharge(2'd2);
                        else
                            read(2'd2, 10'd0, 1'b0);
                    end
                end
                // The limit of tRC is that of tRAS and tRP together, so one of them breaks with it.
                "tRC": begin
                    activate(2'd3, 12'd5);
                    after(8 - beyond);
                    precharge(2'd3);
                    after(3);
                    if (way == 0)
                        activate(2'd3, 12'd6);
                    else
                        refresh;
                end
                "tRFC": begin
                    refresh;
                    after(14 - beyond);
                    if (way == 0)
                        activate(2'd0, 12'd0);
                    else if (way == 1)
                        refresh;
                    else
                        mode(4, 1'b0, 1'b0);
                end
                "tRRD": begin
                    activate(2'd0, 12'd0);
                    after(2 - beyond);
                    activate(2'd1, 12'd0);
                end
                "tWR": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b0, 2 * half_burst, 8'd1, 8'd0);
                    after(4 + half_burst - beyond);
                    if (way < 10)
                        precharge(2'd1);
                    else
                        precharge_all;
                end
                "tWTR": begin
                    activate(2'd0, 12'd7);
                    after(20);
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b0, 2 * half_burst, 8'd1, 8'd0);
                    after(3 + half_burst - beyond);
                    read((way < 10) ? 2'd1 : 2'd0, 10'd0, 1'b0);
                end
                "tRTW": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    read(2'd1, 10'd0, 1'b0);
                    if (way < 10)
                        after(3 + half_burst - beyond);
                    else begin
                        after(1);
                        command(TERMINATE, 2'd0, 12'd0);
                        after(3 - beyond);
                    end
                    write(2'd1, 10'd0, 1'b0, 2 * half_burst, 8'd1, 8'd0);
                end
                "tRTP": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    read(2'd1, 10'd0, 1'b0);
                    after(half_burst - beyond);
                    precharge(2'd1);
                end
                "tCCD": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    if (way < 10) begin
                        read(2'd1, 10'd0, 1'b0);
                        after(half_burst - beyond);
                        read(2'd1, 10'd8, 1'b0);
                    end else begin
                        write(2'd1, 10'd0, 1'b0, 2 * half_burst, 8'd1, 8'd0);
                        after(half_burst - beyond);
                        write(2'd1, 10'd8, 1'b0, 2 * half_burst, 8'd1, 8'd0);
                    end
                end
                "tDAL": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b1, 2 * half_burst, 8'd1, 8'd0);
                    after(7 + half_burst - beyond);
                    if (way < 10)
                        activate(2'd1, 12'd8);
                    else
                        refresh;
                end
                "tMRD": begin
                    if (way == 1)
                        extended_mode;
                    else
                        mode(4, 1'b0, 1'b0);
                    after(2 - beyond);
                    if (way == 2)
                        mode(4, 1'b0, 1'b0);
                    else
                        activate(2'd0, 12'd0);
                end
                "tDLL": begin
                    mode(4, 1'b0, 1'b1);
                    after(100);
                    activate(2'd0, 12'd0);
                    after(100 - beyond);
                    read(2'd0, 10'd0, 1'b0);
                end
                "mode_register": begin
                    if (beyond == 0)
                        case (way)
                            0: mode(2, 1'b0, 1'b0);
                            1: mode(4, 1'b1, 1'b0);
                            2: mode(8, 1'b1, 1'b0);
                            default: command(MODE, 2'd1, 12'h002);
                        endcase
                    else
                        case (way)
                            0: command(MODE, 2'd0, 12'h022);
                            1: command(MODE, 2'd0, 12'h062);
                            2: command(MODE, 2'd0, 12'h030);
                            3: command(MODE, 2'd0, 12'h037);
                            4: command(MODE, 2'd0, 12'h0b2);
                            5: command(MODE, 2'd1, 12'h001);
                            6: command(MODE, 2'd1, 12'h004);
                            default: command(MODE, 2'd2, 12'h032);
                        endcase
                end
                "mode_open_bank", "refresh_open_bank": begin
                    activate(2'd3, 12'd1);
                    after(20);
                    if (beyond == 0) begin
                        precharge(2'd3);
                        after(3);
                    end
                    if (code == "refresh_open_bank")
                        refresh;
                    else if (way == 0)
                        mode(4, 1'b0, 1'b0);
                    else
                        extended_mode;
                end
                "closed_bank": begin
                    activate(2'd3, 12'd1);
                    after(20);
                    if (way == 2)
                        read(2'd3, 10'd0, beyond != 0);
                    else if (beyond != 0)
                        precharge(2'd3);
                    after(6);
                    if (way == 1)
                        write(2'd3, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                    else
                        read(2'd3, 10'd0, 1'b0);
                end
                "activate_open_bank": begin
                    activate(2'd3, 12'd1);
                    after(20);
                    if (beyond == 0) begin
                        precharge((way == 0) ? 2'd3 : 2'd2);
                        after(3);
                    end
                    activate((beyond == 0 && way == 1) ? 2'd2 : 2'd3, 12'd1);
                end
                "burst_terminate": begin
                    activate(2'd3, 12'd1);
                    after(20);
                    if (beyond == 0 || way == 1)
                        read(2'd3, 10'd0, beyond != 0);
                    else
                        write(2'd3, 10'd0, 1'b0, 8, 8'd1, 8'd0);
                    after(1);
                    command(TERMINATE, 2'd0, 12'd0);
                end
                "tREFI": begin
                    repeat (10) begin
                        refresh;
                        after(14);
                    end
                    // The last of them was 13 idle clocks ago.
                    after(28080 - 13 + (way == 0 ? beyond : 0));
                    refresh;
                    if (way == 1) begin
                        after(3120 + beyond);
                        refresh;
                    end
                end
                "tCK": begin
                    set_clock((way == 0) ? 2.5 - 0.05 * beyond : 4.0 + 0.05 * beyond,
                        (way == 0) ? 2.5 - 0.05 * beyond : 4.0 + 0.05 * beyond);
                    idle(20);
                    set_clock(2.5, 2.5);
                end
                "tCH": begin
                    case (way)
                        0: set_clock(2.25 - 0.05 * beyond, 2.75 + 0.05 * beyond);
                        1: set_clock(2.75 + 0.05 * beyond, 2.25 - 0.05 * beyond);
                        default: ck_n_enable = beyond == 0;
                    endcase
                    idle(5);
                    set_clock(2.5, 2.5);
                    ck_n_enable = 1'b1;
                end
                "CKE":
                    if (way == 0) begin
                        cke = beyond == 0;
                        idle(5);
                        cke = 1'b1;
                    end else begin
                        cke = 1'b0;
                        u_ddr.power_up;
                        idle(100 + beyond);
                        cke = 1'b1;
                        idle(1 - beyond);
                        precharge_all;
                    end
                "unknown_pins": begin
                    cs_n = beyond == 0;
                    ras_n = 1'bx;
                    idle(1);
                    cs_n = 1'b1;
                    ras_n = 1'b1;
                end
                "tIS": begin
                    #(2.5 - 0.6 + 0.05 * beyond) a = ~a;
                    idle(2);
                end
                "tIH": begin
                    #(2.5 + 0.6 - 0.05 * beyond) a = ~a;
                    idle(2);
                end
                "init_wait", "init_sequence", "init_incomplete": begin
                    if (beyond == 0 || code == "init_wait")
                        left_out = 7'h00;
                    else if (code == "init_sequence")
                        left_out = 7'h01 << way;
                    else
                        left_out = (way == 0) ? 7'h40 : 7'h7f;
                    start_up(left_out, (code == "init_wait") ? INIT_CLOCKS - beyond : INIT_CLOCKS);
                    if (code == "init_incomplete")
                        activate(2'd0, 12'd0);
                end
                "tDQSS": begin
                    strobe_delay = (way < 10) ? 0.72 - 0.01 * beyond : 1.25 + 0.01 * beyond;
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                    idle(10);
                    strobe_delay = 1.0;
                end
                "dqs_missing": begin
                    activate(2'd1, 12'd7);
                    after(20);
                    if (beyond != 0)
                        for (step = (way == 0) ? 0 : (way == 1) ? 2 : 3; step < 4; step = step + 1)
                            lane_quiet[(2 * clock + 2 + step) & 63] = 1'b1;
                    write(2'd1, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                    if (way == 2 && beyond != 0) begin
                        // DQS stays high beyond its last fall.
                        idle(2);
                        #1.3 force dqs_enable = 1'b1;
                        idle(2);
                        release dqs_enable;
                        dqs_enable = 1'b0;
                    end
                end
                "tWPRE": begin
                    preamble = 0.25 - 0.02 * beyond;
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                    idle(10);
                    preamble = 0.4;
                end
                "tDS", "tDH": begin
                    data_lead = (code == "tDS") ? 0.4 - 0.05 * beyond : 2.1 + 0.05 * beyond;
                    activate(2'd1, 12'd7);
                    after(20);
                    write(2'd1, 10'd0, 1'b0, 4, 8'd1, 8'd0);
                    idle(10);
                    data_lead = 1.25;
                end
                "bus_contention": begin
                    activate(2'd0, 12'd9);
                    after(20);
                    u_ddr.memory[24'h009000] = 8'h00;
                    u_ddr.memory[24'h009001] = 8'h00;
                    read(2'd0, 10'd0, 1'b0);
                    if (way == 0) begin
                        idle((beyond == 0) ? 6 : 3);
                        contention_dq = 1'b1;
                    end else begin
                        // High against the preamble.
                        idle((beyond == 0) ? 6 : 2);
                        contention_dqs = 1'b1;
                    end
                    idle(1);
                    contention_dq = 1'b0;
                    contention_dqs = 1'b0;
                end
                default: check(1'b0, "a rule without a sequence", way);
            endcase
            idle(20);
        end
    endtask

    // The plan: which sequences to run, with which burst length, and whether other rules may break with the rule.
    // Filled first and run by one loop, since Verilator copies a task into each of its calls.
    reg [8*18:1] plan_rule [0:127];
    integer plan_variant [0:127];
    integer plan_length [0:127];
    reg plan_companions [0:127];
    integer planned, variant, digit;

    task plan(input [8*18:1] rule, input integer rule_variant, input integer burst_length, input companions);
        begin
            plan_rule[planned] = rule;
            plan_variant[planned] = rule_variant;
            plan_length[planned] = burst_length;
            plan_companions[planned] = companions;
            planned = planned + 1;
        end
    endtask

    task plan_rules;
        begin
            planned = 0;
            for (variant = 0; variant < 8; variant = variant + 1) begin
                plan("mode_register", variant, 4, 1'b0);
                if (variant < 6)
                    plan("init_sequence", variant, 4, 1'b0);
                if (variant < 5)
                    plan("tRP", variant, 4, variant == 4);
                if (variant < 3) begin
                    plan("tRAS_max", variant, 4, 1'b0);
                    plan("tRFC", variant, 4, 1'b0);
                    plan("tMRD", variant, 4, 1'b0);
                    plan("closed_bank", variant, 4, 1'b0);
                    plan("tCH", variant, 4, 1'b0);
                    plan("dqs_missing", variant, 4, 1'b0);
                end
                if (variant < 2) begin
                    plan("tRCD", variant, 4, 1'b0);
                    plan("tRAS_min", variant, 4, 1'b0);
                    plan("tRC", variant, 4, 1'b1);
                    plan("mode_open_bank", variant, 4, 1'b0);
                    plan("activate_open_bank", variant, 4, 1'b0);
                    plan("burst_terminate", variant, 8, 1'b0);
                    plan("tREFI", variant, 4, 1'b0);
                    plan("tCK", variant, 4, 1'b0);
                    plan("CKE", variant, 4, 1'b0);
                    plan("init_incomplete", variant, 4, 1'b0);
                    plan("bus_contention", variant, 4, 1'b0);
                end
            end
            // Burst lengths 2, 4 and 8, each in two ways. A write too early also meets the data of the read.
            for (variant = 0; variant < 20; variant = variant + 10)
                for (digit = 2; digit <= 8; digit = 2 * digit) begin
                    plan("tWR", variant + digit, digit, 1'b0);
                    plan("tWTR", variant + digit, digit, 1'b0);
                    plan("tDAL", variant + digit, digit, 1'b0);
                    if (variant == 0 || digit > 2)
                        plan("tRTW", variant + digit, digit, 1'b1);
                    if (digit > 2)
                        plan("tCCD", variant + digit, digit, 1'b0);
                    if (variant == 0 && digit > 2)
                        plan("tRTP", digit, digit, 1'b0);
                end
            plan("init_wait", 0, 4, 1'b0);
            plan("tDLL", 0, 4, 1'b0);
            plan("tRRD", 0, 4, 1'b0);
            plan("refresh_open_bank", 0, 4, 1'b0);
            plan("tIS", 0, 4, 1'b0);
            plan("tIH", 0, 4, 1'b0);
            plan("tDQSS", 4, 4, 1'b0);
            plan("tDQSS", 14, 4, 1'b0);
            plan("tDS", 0, 4, 1'b0);
            plan("tDH", 0, 4, 1'b0);
            plan("unknown_pins", 0, 4, 1'b0);
            plan("tWPRE", 0, 4, 1'b0);
        end
    endtask

    integer plan_index, rule_index, early, total_before, own_before, total, own;
    reg found, powers_up;
    reg [8*18:1] rule;
    reg [RULES-1:0] rule_proven;
    task check_rules;
        begin
            plan_rules;
            rule_proven = 0;
`ifdef VERILATOR
            // Two states: neither an unknown pin nor the begin of a preamble can be seen.
            planned = planned - 2;
            $display("not tested without four states: unknown_pins, tWPRE");
`endif
            for (plan_index = 0; plan_index < planned; plan_index = plan_index + 1) begin
                rule = plan_rule[plan_index];
                found = 1'b0;
                rule_index = 0;
                while (!found && rule_index < RULES)
                    if (u_ddr.rule_names[rule_index] == rule)
                        found = 1'b1;
                    else
                        rule_index = rule_index + 1;
                check(found, "known rule", plan_index);
                for (early = 0; found && early < 2; early = early + 1) begin
                    settle(plan_length[plan_index], 1'b0);
                    total_before = u_ddr.timing_violations;
                    own_before = u_ddr.rule_violations[rule_index];
                    sequence_of(rule, plan_variant[plan_index], early);
                    // Sequences that power up start counting afresh.
                    powers_up = rule == "init_wait" || rule == "init_sequence" || rule == "init_incomplete"
                        || (rule == "CKE" && plan_variant[plan_index] == 1);
                    total = u_ddr.timing_violations - (powers_up ? 0 : total_before);
                    own = u_ddr.rule_violations[rule_index] - (powers_up ? 0 : own_before);
                    if (early == 0 && total != 0 || early == 1
                        && (own == 0 || own != total && !plan_companions[plan_index])) begin
                        $display("%0s %0d, %0s: %0d violations of it, %0d in all", rule, plan_variant[plan_index],
                            (early == 0) ? "at the limit" : "beyond the limit", own, total);
                        check(1'b0, "rule", plan_index);
                    end else
                        check(1'b1, "rule", plan_index);
                    if (powers_up) begin
                        start_up(7'h00, INIT_CLOCKS);
                        idle(200);
                    end
                end
                rule_proven[rule_index] = 1'b1;
            end
            for (rule_index = 0; rule_index < RULES; rule_index = rule_index + 1)
`ifdef VERILATOR
                if (u_ddr.rule_names[rule_index] != "unknown_pins" && u_ddr.rule_names[rule_index] != "tWPRE")
`endif
                check(rule_proven[rule_index], "each rule has sequences", rule_index);
        end
    endtask

    // -- Data ---------------------------------------------------------------------------------------------------------

    // The columns of a burst, from the device's table of burst orders; octal digits, first beat left.
    function [23:0] burst_order(input integer burst_length, input interleaved, input [2:0] start);
        case (burst_length)
            2: burst_order = start[0] ? 24'o10 : 24'o01;
            4:
                case ({interleaved, start[1:0]})
                    3'o0, 3'o4: burst_order = 24'o0123;
                    3'o1: burst_order = 24'o1230;
                    3'o2, 3'o6: burst_order = 24'o2301;
                    3'o3: burst_order = 24'o3012;
                    3'o5: burst_order = 24'o1032;
                    default: burst_order = 24'o3210;
                endcase
            default:
                case ({interleaved, start})
                    4'h0, 4'h8: burst_order = 24'o01234567;
                    4'h1: burst_order = 24'o12345670;
                    4'h2: burst_order = 24'o23456701;
                    4'h3: burst_order = 24'o34567012;
                    4'h4, 4'hc: burst_order = 24'o45670123;
                    4'h5: burst_order = 24'o56701234;
                    4'h6: burst_order = 24'o67012345;
                    4'h7: burst_order = 24'o70123456;
                    4'h9: burst_order = 24'o10325476;
                    4'ha: burst_order = 24'o23016745;
                    4'hb: burst_order = 24'o32107654;
                    4'hd: burst_order = 24'o54761032;
                    4'he: burst_order = 24'o67452301;
                    default: burst_order = 24'o76543210;
                endcase
        endcase
    endfunction

    // The column of a beat of the burst in `order`.
    /* verilator lint_off UNUSEDSIGNAL */ // high bits that are cut off
    reg [23:0] order, order_tail;
    function [5:0] burst_place(input integer burst_length, input [5:0] column, input integer number);
        begin
            order_tail = order >> (3 * (burst_length - 1 - number));
            burst_place = (burst_length == 2) ? {column[5:1], order_tail[0]}
                : (burst_length == 4) ? {column[5:2], order_tail[1:0]} : {column[5:3], order_tail[2:0]};
        end
    endfunction

    reg [31:0] random;
    function [7:0] random_byte(input unused);
        begin
            random = $random;
            random_byte = random[7:0] ^ {8{unused}};
        end
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    // Checks the beats of a read taken at clock `at`, of the row and bank of `base`, against what `expected` says of
    // the first 64 columns; also DQS, and the preamble and postamble where nothing precedes and follows.
    reg [7:0] expected [0:63];
    reg [5:0] place;
    integer half;
    reg data_right, strobe_right;
    task check_burst(input integer at, input integer burst_length, input interleaved, input [5:0] column,
        input alone, input integer detail);
        begin
            order = burst_order(burst_length, interleaved, column[2:0]);
            data_right = 1'b1;
            strobe_right = 1'b1;
            for (beat = 0; beat < burst_length; beat = beat + 1) begin
                half = 2 * (at + 3) + beat;
                place = burst_place(burst_length, column, beat);
                if (seen_dq[half & 255] !== expected[place])
                    data_right = 1'b0;
                if (seen_dqs[half & 255] !== ((beat & 1) == 0))
                    strobe_right = 1'b0;
            end
            if (alone) begin
                half = 2 * (at + 3);
                if (seen_dqs[(half - 1) & 255] !== 1'b0 || seen_dqs[(half - 2) & 255] !== 1'b0)
                    strobe_right = 1'b0;
`ifndef VERILATOR
                if (seen_dqs[(half - 3) & 255] !== 1'bz || seen_dqs[(half + burst_length) & 255] !== 1'bz
                    || seen_dq[(half - 1) & 255] !== 8'hzz || seen_dq[(half + burst_length) & 255] !== 8'hzz)
                    strobe_right = 1'b0;
`endif
            end
            check(data_right, "read data", detail);
            check(strobe_right, "read strobe", detail);
        end
    endtask

    // Fills `expected` as a write does.
    task expect_write(input integer burst_length, input interleaved, input [5:0] column, input [7:0] first_data,
        input [7:0] mask);
        begin
            order = burst_order(burst_length, interleaved, column[2:0]);
            for (beat = 0; beat < burst_length; beat = beat + 1)
                if (!mask[beat]) begin
                    place = burst_place(burst_length, column, beat);
                    expected[place] = first_data + 8'd37 * beat[7:0];
                end
        end
    endtask

    integer i, length, kind, start, at, violations_before;
    reg [7:0] value, mask;

    // Every burst length, type and start column, masked at random, in a row filled through the memory array.
    task check_bursts;
        for (length = 2; length <= 8; length = 2 * length)
            for (kind = 0; kind < 2; kind = kind + 1) begin
                settle(length, kind != 0);
                for (i = 0; i < 64; i = i + 1) begin
                    expected[i] = random_byte(0);
                    u_ddr.memory[{12'd77, 2'd2, 4'd0, i[5:0]}] = expected[i];
                end
                activate(2'd2, 12'd77);
                after(20);
                for (start = 0; start < 16; start = start + 1) begin
                    value = random_byte(0);
                    mask = random_byte(0);
                    expect_write(length, kind != 0, start[5:0], value, mask);
                    write(2'd2, start[9:0], 1'b0, length, value, mask);
                    after(20);
                    read(2'd2, start[9:0], 1'b0);
                    at = command_clock;
                    after(20);
                    check_burst(at, length, kind != 0, start[5:0], 1'b1, start);
                end
                for (i = 0; i < 64; i = i + 1)
                    if (u_ddr.memory[{12'd77, 2'd2, 4'd0, i[5:0]}] !== expected[i])
                        check(1'b0, "contents of the memory", i);
            end
    endtask

    // Writes without a gap over two banks, then reads without a gap, with DQS at several delays.
    integer delay_step;
    task check_streams;
        for (delay_step = 0; delay_step < 3; delay_step = delay_step + 1)
            for (length = 2; length <= 8; length = 2 * length) begin
                strobe_delay = (delay_step == 0) ? 0.72 : (delay_step == 1) ? 1.0 : 1.25;
                settle(length, 1'b0);
                activate(2'd0, 12'd4095);
                after(2);
                activate(2'd3, 12'd4095);
                after(3);
                value = random_byte(0);
                for (i = 0; i < 8; i = i + 1) begin
                    write(i[0] ? 2'd3 : 2'd0, 10'd8 * i[9:0], 1'b0, length, value + i[7:0], 8'd0);
                    expect_write(length, 1'b0, 6'd8 * i[5:0], value + i[7:0], 8'd0);
                    after(length / 2);
                end
                after(20);
                for (i = 0; i < 8; i = i + 1) begin
                    read(i[0] ? 2'd3 : 2'd0, 10'd8 * i[9:0], 1'b0);
                    if (i == 0)
                        at = command_clock;
                    after(length / 2);
                end
                after(20);
                for (i = 0; i < 8; i = i + 1)
                    check_burst(at + i * (length / 2), length, 1'b0, 6'd8 * i[5:0], 1'b0, i);
                strobe_delay = 1.0;
            end
    endtask

    // Burst terminate: 8 beats cut to 4; and a write whose address is checked in the array.
    task check_terminate;
        begin
            settle(8, 1'b0);
            activate(2'd1, 12'h123);
            after(3);
            write(2'd1, 10'h3f8, 1'b0, 8, 8'd11, 8'd0);
            after(7);
            read(2'd1, 10'h3f8, 1'b0);
            at = command_clock;
            after(2);
            command(TERMINATE, 2'd0, 12'd0);
            after(20);
            for (i = 0; i < 8; i = i + 1)
                check(u_ddr.memory[{12'h123, 2'd1, 7'h7f, i[2:0]}] === 8'd11 + 8'd37 * i[7:0], "linear address", i);
            for (i = 0; i < 4; i = i + 1)
                check(seen_dq[(2 * (at + 3) + i) & 255] === 8'd11 + 8'd37 * i[7:0], "terminated read", i);
            check(seen_dqs[(2 * (at + 5)) & 255] !== 1'b1, "no strobe after terminate", 0);
`ifndef VERILATOR
            check(seen_dq[(2 * (at + 5)) & 255] === 8'hzz, "no data after terminate", 0);
            // A cell that was never written.
            after(20);
            read(2'd1, 10'h008, 1'b0);
            at = command_clock;
            after(20);
            check(seen_dq[(2 * (at + 3)) & 255] === 8'hxx, "unwritten cell", 0);
`endif
        end
    endtask

    // Counters, from power-up.
    task check_counters;
        begin
            idle(30);
            start_up(7'h00, INIT_CLOCKS);
            idle(200);
            activate(2'd0, 12'd1);
            after(3);
            read(2'd0, 10'd0, 1'b0);
            after(2);
            read(2'd0, 10'd4, 1'b0);
            after(10);
            write(2'd0, 10'd4, 1'b0, 4, 8'd0, 8'd0);
            after(5);
            read(2'd0, 10'd4, 1'b1);
            after(20);
            activate(2'd0, 12'd2);
            after(2);
            activate(2'd1, 12'd2);
            after(3);
            write(2'd1, 10'd0, 1'b1, 4, 8'd0, 8'd0);
            after(20);
            precharge_all;
            after(3);
            refresh;
            after(14);
            check(u_ddr.row_hits == 3, "row_hits", 0);
            check(u_ddr.row_misses == 2, "row_misses", 0);
            check(u_ddr.activates == 3, "activates", 0);
            check(u_ddr.precharges == 3, "precharges", 0);
            check(u_ddr.reads == 3, "reads", 0);
            check(u_ddr.writes == 2, "writes", 0);
            check(u_ddr.turnarounds == 3, "turnarounds", 0);
            check(u_ddr.refreshes == 3, "refreshes", 0);
            check(u_ddr.timing_violations == 0, "no violation while counting", 0);
            check(u_ddr.first_rule == "none", "no first violation", 0);
            activate(2'd0, 12'd1);
            after(2);
            read(2'd0, 10'd0, 1'b0);
            after(20);
            check(u_ddr.timing_violations == 1 && u_ddr.first_rule == "tRCD"
                && u_ddr.first_clock == {32'd0, u_ddr.clock[31:0]} - 19, "first violation", 0);
        end
    endtask

    initial begin
        passed = 0;
        failed = 0;
        clock = 0;
        strobe_delay = 1.0;
        preamble = 0.4;
        data_lead = 1.25;
        for (i = 0; i < 64; i = i + 1) begin
            lane_valid[i] = 1'b0;
            lane_quiet[i] = 1'b0;
        end
        ck_high = 2.5;
        ck_low = 2.5;
        ck_n_enable = 1'b1;
        cke = 1'b0;
        cs_n = 1'b1;
        {ras_n, cas_n, we_n} = NOP;
        ba = 2'd0;
        a = 12'd0;
        dm = 1'b0;
        dqs_enable = 1'b0;
        dqs_out = 1'b0;
        dq_enable = 1'b0;
        dq_out = 8'd0;
        contention_dq = 1'b0;
        contention_dqs = 1'b0;
        idle(2);
        start_up(7'h00, INIT_CLOCKS);
        idle(200);
        violations_before = u_ddr.timing_violations;
        check_bursts;
        check_streams;
        check_terminate;
        check(u_ddr.timing_violations == 0 && violations_before == 0, "no violation in legal traffic", 0);
        check_counters;
        check_rules;
        $display("%0d passed, %0d failed", passed, failed);
        $finish;
    end

endmodule

`default_nettype wire
