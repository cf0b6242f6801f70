// SPDX-License-Identifier: MIT OR Apache-2.0
//
// sdr_sequencer: starts an SDR SDRAM up, counts the refreshes owed to it, and asks for the commands of both.
//
// Start-up: INIT_CLOCKS without a command, precharge all, FIRST_REFRESHES refreshes, mode register (burst length 2, sequential);
// then ready.
//
// From then on a refresh falls due every T_REFI. They are given when the controller is idle, when three are owed at a
// turnaround, or at once when four are owed; always all that are owed, after one precharge of all banks. So no row stays
// open for longer than five T_REFI, of which the device allows more than ten.
//
// Parameters  T_REFI, INIT_CLOCKS, CAS_LATENCY  cycles
//             FIRST_REFRESHES  1 to 8; devices ask for up to eight
// Handshake   a command is asked for by request until grant; while running is high the controller gives its own
`default_nettype none

module sdr_sequencer #(
    parameter integer T_REFI          = 750,
    parameter integer INIT_CLOCKS     = 22000,
    parameter integer FIRST_REFRESHES = 8,
    parameter integer CAS_LATENCY     = 3
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        idle,
    input  wire        turnaround,
    output reg         ready,
    output wire        running,
    output reg         request,
    input  wire        grant,
    output reg  [2:0]  command,
    output reg  [12:0] address
);

    generate
        if (T_REFI < 2 || INIT_CLOCKS < 1) begin : illegal_timing
            sdr_sequencer_error_timing_is_out_of_range stop ();
        end
        if (FIRST_REFRESHES < 1 || FIRST_REFRESHES > 8) begin : illegal_first_refreshes
            sdr_sequencer_error_FIRST_REFRESHES_must_be_1_to_8 stop ();
        end
        if (CAS_LATENCY < 2 || CAS_LATENCY > 3) begin : illegal_cas_latency
            sdr_sequencer_error_CAS_LATENCY_must_be_2_or_3 stop ();
        end
    endgenerate

    localparam [2:0] POWER_UP  = 3'd0,
                     PRECHARGE = 3'd1,
                     REFRESH   = 3'd2,
                     MODE      = 3'd3,
                     RUN       = 3'd4;

    localparam [2:0] COMMAND_MODE      = 3'b000,
                     COMMAND_REFRESH   = 3'b001,
                     COMMAND_PRECHARGE = 3'b010;

    localparam [12:0] ADDRESS_ALL_BANKS = 13'h0400,
                      ADDRESS_MODE      = {6'd0, CAS_LATENCY[2:0], 4'b0001};

    localparam integer REFRESH_CYCLES = T_REFI - 1;
    localparam integer INTERVAL_WIDTH = $clog2((INIT_CLOCKS > REFRESH_CYCLES ? INIT_CLOCKS : REFRESH_CYCLES) + 1);

    reg  [2:0]                state_reg;
    reg  [2:0]                state_next;
    reg  [INTERVAL_WIDTH-1:0] interval_reg;

    wire interval_over = interval_reg == 0;
    wire due           = ready && interval_over;
    wire refreshed     = grant && (state_reg == REFRESH);
    wire refresh_last;
    wire refresh_now;

    assign running = state_reg == RUN;

    owed_refreshes #(
        .FIRST (FIRST_REFRESHES)
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
        command    = COMMAND_PRECHARGE;
        address    = ADDRESS_ALL_BANKS;
        case (state_reg)
            POWER_UP: begin
                request = 1'b0;
                if (interval_over) begin
                    state_next = PRECHARGE;
                end
            end
            PRECHARGE:
                if (grant) begin
                    state_next = REFRESH;
                end
            REFRESH: begin
                command = COMMAND_REFRESH;
                if (grant && refresh_last) begin
                    state_next = ready ? RUN : MODE;
                end
            end
            MODE: begin
                command = COMMAND_MODE;
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

        if (due || (grant && (state_reg == MODE))) begin
            interval_reg <= REFRESH_CYCLES[INTERVAL_WIDTH-1:0];
        end else if (!interval_over) begin
            interval_reg <= interval_reg - 1'b1;
        end

        if (rst) begin
            state_reg    <= POWER_UP;
            ready        <= 1'b0;
            interval_reg <= INIT_CLOCKS[INTERVAL_WIDTH-1:0];
        end
    end

endmodule

`default_nettype wire
