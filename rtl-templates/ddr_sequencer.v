// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ddr_sequencer: starts the device up, counts the refreshes owed to it, and asks for the commands of both.
//
// Start-up: INIT_CLOCKS with CKE low, precharge all, extended mode register (DLL on), mode register with DLL reset,
// precharge all, two refreshes, and DLL_CLOCKS after the DLL reset the mode register without it; then ready.
//
// From then on a refresh falls due every T_REFI. They are given when the controller is idle, when three are owed at a
// turnaround, or at once when four are owed; always all that are owed, after one precharge of all banks. The device
// would let eight be owed, but no row may stay open for 70 us, and a row in steady use is closed by refreshes only.
//
// Parameters  T_REFI, INIT_CLOCKS, DLL_CLOCKS, CAS_LATENCY  memory clocks
// Handshake   a command is asked for by request until grant; while running is high the controller gives its own
`default_nettype none

module ddr_sequencer #(
    parameter integer T_REFI      = 3120,
    parameter integer INIT_CLOCKS = 40000,
    parameter integer DLL_CLOCKS  = 200,
    parameter integer CAS_LATENCY = 3
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        idle,
    input  wire        turnaround,
    output reg         ready,
    output wire        running,
    output reg         cke,
    output reg         request,
    input  wire        grant,
    output reg  [2:0]  command,
    output wire        bank,
    output reg  [11:0] address
);

    generate
        if (T_REFI < 4 || INIT_CLOCKS < 1 || DLL_CLOCKS < 1) begin : illegal_timing
            ddr_sequencer_error_timing_is_out_of_range stop ();
        end
        if (CAS_LATENCY < 2 || CAS_LATENCY > 3) begin : illegal_cas_latency
            ddr_sequencer_error_CAS_LATENCY_must_be_2_or_3 stop ();
        end
    endgenerate

    localparam [2:0] POWER_UP        = 3'd0,
                     PRECHARGE_FIRST = 3'd1,
                     EXTENDED_MODE   = 3'd2,
                     MODE_DLL_RESET  = 3'd3,
                     PRECHARGE       = 3'd4,
                     REFRESH         = 3'd5,
                     MODE            = 3'd6,
                     RUN             = 3'd7;

    localparam [2:0] COMMAND_MODE      = 3'b000,
                     COMMAND_REFRESH   = 3'b001,
                     COMMAND_PRECHARGE = 3'b010;

    localparam [11:0] ADDRESS_ALL_BANKS = 12'h400,
                      ADDRESS_DLL_RESET = 12'h100,
                      ADDRESS_MODE      = {5'd0, CAS_LATENCY[2:0], 4'b0010};  // burst length 4, sequential

    localparam integer INIT_CYCLES    = (INIT_CLOCKS + 1) / 2;
    localparam integer DLL_CYCLES     = (DLL_CLOCKS + 1) / 2;
    localparam integer REFRESH_CYCLES = T_REFI / 2 - 1;

    localparam integer LONGER_START   = INIT_CYCLES > DLL_CYCLES ? INIT_CYCLES : DLL_CYCLES;
    localparam integer LONGEST        = LONGER_START > REFRESH_CYCLES ? LONGER_START : REFRESH_CYCLES;
    localparam integer INTERVAL_WIDTH = $clog2(LONGEST + 1);

    reg  [2:0]                state_reg;
    reg  [2:0]                state_next;
    reg  [INTERVAL_WIDTH-1:0] interval_reg;

    // It counts up from 0, so the value is reached when its ones are there.
    function reached(input [INTERVAL_WIDTH-1:0] interval, input [INTERVAL_WIDTH-1:0] value);
        reached = &(interval | ~value);
    endfunction

    wire interval_over = ready ? reached(interval_reg, REFRESH_CYCLES[INTERVAL_WIDTH-1:0])
                       : state_reg == POWER_UP ? reached(interval_reg, INIT_CYCLES[INTERVAL_WIDTH-1:0])
                       : reached(interval_reg, DLL_CYCLES[INTERVAL_WIDTH-1:0]);
    wire due           = ready && interval_over;
    wire refreshed     = grant && (state_reg == REFRESH);
    wire refresh_last;
    wire refresh_now;

    assign running = state_reg == RUN;
    assign bank    = state_reg == EXTENDED_MODE;

    owed_refreshes #(
        .FIRST (2)
    ) u_owed (
        .clk        (clk),
        .rst        (rst),
        .due        (due),
        .given      (refreshed),
        .idle       (idle),
        .turnaround (turnaround),
        .last       (refresh_last),
        .now        (refresh_now)
    );

    always @* begin
        state_next = state_reg;
        request    = 1'b1;
        command    = COMMAND_MODE;
        address    = 12'h000;
        case (state_reg)
            POWER_UP: begin
                request = 1'b0;
                if (interval_over) begin
                    state_next = PRECHARGE_FIRST;
                end
            end
            PRECHARGE_FIRST: begin
                command = COMMAND_PRECHARGE;
                address = ADDRESS_ALL_BANKS;
                if (grant) begin
                    state_next = EXTENDED_MODE;
                end
            end
            EXTENDED_MODE:
                if (grant) begin
                    state_next = MODE_DLL_RESET;
                end
            MODE_DLL_RESET: begin
                address = ADDRESS_MODE | ADDRESS_DLL_RESET;
                if (grant) begin
                    state_next = PRECHARGE;
                end
            end
            PRECHARGE: begin
                command = COMMAND_PRECHARGE;
                address = ADDRESS_ALL_BANKS;
                if (grant) begin
                    state_next = REFRESH;
                end
            end
            REFRESH: begin
                command = COMMAND_REFRESH;
                if (grant && refresh_last) begin
                    state_next = ready ? RUN : MODE;
                end
            end
            MODE: begin
                request = interval_over;
                address = ADDRESS_MODE;
                if (grant) begin
                    state_next = RUN;
                end
            end
            default: begin
                request = 1'b0;
                if (refresh_now) begin
                    state_next = PRECHARGE;
                end
            end
        endcase
    end

    always @(posedge clk) begin
        state_reg <= state_next;
        ready     <= ready || running;
        cke       <= state_next != POWER_UP;

        if (due || (grant && (state_reg == MODE_DLL_RESET || state_reg == MODE))) begin
            interval_reg <= {INTERVAL_WIDTH{1'b0}};
        end else if (!interval_over) begin
            interval_reg <= interval_reg + 1'b1;
        end

        if (rst) begin
            state_reg    <= POWER_UP;
            ready        <= 1'b0;
            cke          <= 1'b0;
            interval_reg <= {INTERVAL_WIDTH{1'b0}};
        end
    end

endmodule

`default_nettype wire
