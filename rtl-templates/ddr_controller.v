// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ddr_controller: DDR-400 SDRAM controller for one x8 device; a cycle is two memory clocks and moves one 32-bit word.
//
// Slave: the memory port of docs/ARCHITECTURE.md. Commands are done in order. Rows stay open in all four banks; while
// the segment of one page streams, the row of the next, in the same command or the one after it, is prepared if it is
// in another bank. Column commands (burst length 4) then follow each other every cycle.
//
// PHY: one word and two command slots per cycle; all outputs come from flip-flops.
//   phy_cke              clock enable of the device
//   phy_command_{0,1}    {ras_n, cas_n, we_n} of the cycle's first and second memory clock; chip select is always low
//   phy_bank_{0,1}, phy_address_{0,1}
//   phy_write_enable     slot 1 holds a write command. phy_write_data and phy_write_mask (high where a byte is kept)
//                        come with it; the PHY puts them on the pins one memory clock after the command, byte 0 first
//   phy_read_enable      slot 0 holds a read command. The PHY answers with the word on phy_read_data and phy_read_valid
//                        after any fixed latency; it cannot be stalled
// Reads go out in slot 0 and writes in slot 1, row commands in any free slot: both turnarounds, of an odd number of
// clocks, then lose nothing to rounding.
//
// Latency     a command accepted in cycle 0 to an open row is in its slot of the PHY port in cycle 3, if it needs a
//             precharge and an activate first in cycle 5; a word is on m_read the cycle after phy_read_valid
// Parameters  ADDRESS_WIDTH    bits of a word address {page, column[7:0]}, 11 to 22; page_splitter makes bank and row
//                              of the page
//             LENGTH_WIDTH     bits of a command's length in words
//             READ_FIFO_DEPTH  words, a power of two; 16 or more for full speed
//             T_*, CAS_LATENCY, INIT_CLOCKS (CKE low after reset), DLL_CLOCKS  memory clocks, defaults of DDR400B
// Handshake   s_cmd_ready and s_write_ready follow from flip-flops alone; no input reaches a valid output.
`default_nettype none

module ddr_controller #(
    parameter integer ADDRESS_WIDTH   = 22,
    parameter integer LENGTH_WIDTH    = 16,
    parameter integer READ_FIFO_DEPTH = 32,
    parameter integer CAS_LATENCY     = 3,
    parameter integer T_RCD           = 3,
    parameter integer T_RP            = 3,
    parameter integer T_RAS           = 8,
    parameter integer T_RC            = 11,
    parameter integer T_RRD           = 2,
    parameter integer T_WR            = 3,
    parameter integer T_WTR           = 2,
    parameter integer T_RFC           = 14,
    parameter integer T_MRD           = 2,
    parameter integer T_REFI          = 3120,
    parameter integer INIT_CLOCKS     = 40000,
    parameter integer DLL_CLOCKS      = 200
) (
    input  wire                     clk,
    input  wire                     rst,
    output wire                     ready,
    output wire                     idle,

    input  wire                     s_cmd_valid,
    output wire                     s_cmd_ready,
    input  wire                     s_cmd_write,
    input  wire [ADDRESS_WIDTH-1:0] s_cmd_address,
    input  wire [LENGTH_WIDTH-1:0]  s_cmd_length,

    input  wire                     s_write_valid,
    output wire                     s_write_ready,
    input  wire [31:0]              s_write_data,
    input  wire [3:0]               s_write_strobe,

    output wire                     m_read_valid,
    input  wire                     m_read_ready,
    output wire [31:0]              m_read_data,

    output wire                     phy_cke,
    output reg  [2:0]               phy_command_0,
    output reg  [1:0]               phy_bank_0,
    output reg  [11:0]              phy_address_0,
    output reg  [2:0]               phy_command_1,
    output reg  [1:0]               phy_bank_1,
    output reg  [11:0]              phy_address_1,
    output reg                      phy_write_enable,
    output reg  [31:0]              phy_write_data,
    output reg  [3:0]               phy_write_mask,
    output reg                      phy_read_enable,
    input  wire                     phy_read_valid,
    input  wire [31:0]              phy_read_data
);

    localparam integer ROW_WIDTH = ADDRESS_WIDTH - 10;

    localparam [2:0] COMMAND_MODE      = 3'b000,
                     COMMAND_PRECHARGE = 3'b010,
                     COMMAND_ACTIVATE  = 3'b011,
                     COMMAND_WRITE     = 3'b100,
                     COMMAND_READ      = 3'b101,
                     COMMAND_NOP       = 3'b111;

    // Cycles from a read in slot 0 to a write in slot 1, which comes after the read data, CAS_LATENCY + 2 clocks; and
    // from that to a read, T_WTR after the written data, 1 + 2 + T_WTR clocks.
    localparam integer READ_TO_WRITE = (CAS_LATENCY + 2) / 2;
    localparam integer WRITE_TO_READ = (T_WTR + 5) / 2;

    function integer larger(input integer first, input integer second);
        larger = first > second ? first : second;
    endfunction

    localparam integer TURNAROUND_WIDTH = larger(larger(READ_TO_WRITE, WRITE_TO_READ) - 1, 1);
    localparam integer OPENING_CLOCKS   = larger(T_RCD, 3);
    localparam integer ROW_CLOCKS       = larger(larger(larger(T_MRD, T_RFC), larger(T_RRD, T_RP)), 3);

    localparam [TURNAROUND_WIDTH-1:0] READ_TO_WRITE_WAIT = (1 << (READ_TO_WRITE - 1)) - 1;
    localparam [TURNAROUND_WIDTH-1:0] WRITE_TO_READ_WAIT = (1 << (WRITE_TO_READ - 1)) - 1;
    localparam [OPENING_CLOCKS-1:0]   RCD_WAIT           = (1 << T_RCD) - 1;
    localparam [ROW_CLOCKS-1:0]       RP_WAIT            = (1 << T_RP) - 1;
    localparam [ROW_CLOCKS-1:0]       RRD_WAIT           = (1 << T_RRD) - 1;
    localparam [ROW_CLOCKS-1:0]       RFC_WAIT           = (1 << T_RFC) - 1;
    localparam [ROW_CLOCKS-1:0]       MRD_WAIT           = (1 << T_MRD) - 1;

    generate
        if (ADDRESS_WIDTH < 11 || ADDRESS_WIDTH > 22) begin : illegal_address_width
            ddr_controller_error_ADDRESS_WIDTH_must_be_11_to_22 stop ();
        end
        if (READ_FIFO_DEPTH < 2 || (READ_FIFO_DEPTH & (READ_FIFO_DEPTH - 1)) != 0) begin : illegal_read_fifo_depth
            ddr_controller_error_READ_FIFO_DEPTH_must_be_a_power_of_two stop ();
        end
        if (T_RCD < 1 || T_RCD > 30 || T_RP < 1 || T_RP > 30 || T_RAS < 1 || T_RAS > 30 || T_RC < 1 || T_RC > 30
            || T_RRD < 1 || T_RRD > 30 || T_WR < 1 || T_WR > 27 || T_WTR < 0 || T_WTR > 27 || T_RFC < 1 || T_RFC > 30
            || T_MRD < 1 || T_MRD > 30 || CAS_LATENCY < 2 || CAS_LATENCY > 3) begin : illegal_timing
            ddr_controller_error_timing_is_out_of_range stop ();
        end
    endgenerate

    // The next segment, from the splitter.
    wire                     next_valid;
    wire                     next_write;
    wire [1:0]               next_bank;
    wire [ROW_WIDTH-1:0]     next_row;
    wire [7:0]               next_column;
    wire [7:0]               next_end;

    // The segment that streams, the head. Its row is the open row of its bank; a refresh closes it for a while.
    reg        head_valid_reg;
    reg        head_open_reg;
    reg        head_write_reg;
    reg  [1:0] head_bank_reg;
    reg  [7:0] head_column_reg;
    reg  [7:0] head_end_reg;

    // A word of write data.
    reg        word_valid_reg;
    reg [31:0] word_data_reg;
    reg [3:0]  word_strobe_reg;

    wire        fifo_full;
    wire        fifo_empty;

    wire        running;
    wire        system_request;
    wire [2:0]  system_command;
    wire        system_bank;
    wire [11:0] system_address;

    // -- Column commands ----------------------------------------------------------------------------------------------

    // Bit k: a column command of the other direction has to wait for more than k cycles.
    reg [TURNAROUND_WIDTH-1:0] turnaround_reg;
    reg                        last_write_reg;

    wire head_wait_0;
    wire head_wait_1;

    wire column_may = head_valid_reg && head_open_reg && running
                    && !(turnaround_reg[0] && (head_write_reg != last_write_reg));
    wire read_go    = column_may && !head_write_reg && !head_wait_0 && !fifo_full;
    wire write_go   = column_may && head_write_reg && !head_wait_1 && word_valid_reg;
    wire column_go  = read_go || write_go;

    wire [7:0] head_column_next = head_column_reg + 8'd1;
    wire       head_last        = head_column_next == head_end_reg;
    wire       head_free        = !head_valid_reg || (column_go && head_last);

    // -- Row commands -------------------------------------------------------------------------------------------------

    wire [ROW_WIDTH-1:0] open_row;
    wire                 row_open;
    wire                 row_match;

    // One row command a cycle, for the head if a refresh has closed its row, else for the next segment.
    wire                 head_closed = head_valid_reg && !head_open_reg;
    wire [1:0]           row_bank    = head_closed ? head_bank_reg : next_bank;
    wire [ROW_WIDTH-1:0] row         = head_closed ? open_row : next_row;
    wire                 bank_in_use = head_valid_reg && (head_bank_reg == next_bank);

    wire row_wait_0, row_wait_1, bank_busy_0, bank_busy_1, any_busy_0, any_busy_1;

    wire activate_want  = !row_open && (head_closed || next_valid);
    wire precharge_want = row_open && !row_match && next_valid && !head_closed && !bank_in_use;

    wire row_request = running ? activate_want || precharge_want : system_request;
    wire row_go_0    = row_request && !row_wait_0 && !(running ? bank_busy_0 : any_busy_0) && !read_go;
    wire row_go_1    = row_request && !row_wait_1 && !(running ? bank_busy_1 : any_busy_1) && !write_go && !row_go_0;
    wire row_go      = row_go_0 || row_go_1;

    wire activate_go  = row_go && running && !row_open;
    wire precharge_go = row_go && running && row_open;
    wire head_opens   = activate_go && head_closed;
    wire system_grant = row_go && !running;
    wire close_all    = system_grant && (system_command == COMMAND_PRECHARGE);

    reg [2:0]            row_command;
    reg [1:0]            row_command_bank;
    reg [11:0]           row_address;
    reg [ROW_CLOCKS-1:0] row_clocks;

    always @* begin
        row_command      = system_command;
        row_command_bank = {1'b0, system_bank};
        row_address      = system_address;
        row_clocks       = RFC_WAIT;
        if (running) begin
            row_command      = row_open ? COMMAND_PRECHARGE : COMMAND_ACTIVATE;
            row_command_bank = row_bank;
            row_address      = 12'd0;
            if (!row_open) begin
                row_address[ROW_WIDTH-1:0] = row;
            end
        end
        case (row_command)
            COMMAND_MODE:      row_clocks = MRD_WAIT;
            COMMAND_PRECHARGE: row_clocks = RP_WAIT;
            COMMAND_ACTIVATE:  row_clocks = RRD_WAIT;
            default: ;
        endcase
    end

    wire next_take = next_valid && row_match && head_free;

    // Until the next row command, whichever it is.
    ddr_timer #(
        .CLOCKS (ROW_CLOCKS)
    ) u_row_timer (
        .clk         (clk),
        .rst         (rst),
        .load        (row_go),
        .load_slot   (row_go_1),
        .load_clocks (row_clocks),
        .wait_0      (row_wait_0),
        .wait_1      (row_wait_1)
    );

    ddr_banks #(
        .ROW_WIDTH (ROW_WIDTH),
        .T_RCD     (T_RCD),
        .T_RP      (T_RP),
        .T_RAS     (T_RAS),
        .T_RC      (T_RC),
        .T_WR      (T_WR)
    ) u_banks (
        .clk           (clk),
        .rst           (rst),
        .bank          (row_bank),
        .row           (next_row),
        .open          (row_open),
        .match         (row_match),
        .open_row      (open_row),
        .busy_0        (bank_busy_0),
        .busy_1        (bank_busy_1),
        .any_busy_0    (any_busy_0),
        .any_busy_1    (any_busy_1),
        .activate      (activate_go),
        .precharge     (precharge_go),
        .precharge_all (close_all),
        .slot          (row_go_1),
        .activate_row  (row),
        .write         (write_go),
        .write_bank    (head_bank_reg)
    );

    // -- Head ---------------------------------------------------------------------------------------------------------

    // T_RCD of the row opened last; the segment takes what is left of it along when it becomes the head.
    reg  [OPENING_CLOCKS-2:0] opening_reg;

    always @(posedge clk) begin
        if (activate_go) begin
            opening_reg <= row_go_1 ? RCD_WAIT[OPENING_CLOCKS-1:1] : {1'b0, RCD_WAIT[OPENING_CLOCKS-1:2]};
        end else begin
            opening_reg <= opening_reg >> 2;
        end
        if (rst) begin
            opening_reg <= {(OPENING_CLOCKS - 1){1'b0}};
        end
    end

    ddr_timer #(
        .CLOCKS (OPENING_CLOCKS)
    ) u_head_timer (
        .clk         (clk),
        .rst         (rst),
        .load        (next_take || head_opens),
        .load_slot   (head_opens && row_go_1),
        .load_clocks (head_opens ? RCD_WAIT : {1'b0, opening_reg}),
        .wait_0      (head_wait_0),
        .wait_1      (head_wait_1)
    );

    always @(posedge clk) begin
        if (head_free) begin
            head_valid_reg <= next_take;
        end

        if (column_go) begin
            last_write_reg <= head_write_reg;
            turnaround_reg <= head_write_reg ? WRITE_TO_READ_WAIT : READ_TO_WRITE_WAIT;
        end else begin
            turnaround_reg <= turnaround_reg >> 1;
        end

        if (next_take) begin
            head_write_reg  <= next_write;
            head_bank_reg   <= next_bank;
            head_column_reg <= next_column;
            head_end_reg    <= next_end;
        end else if (column_go) begin
            head_column_reg <= head_column_next;
        end

        if (close_all) begin
            head_open_reg <= 1'b0;
        end else if (next_take || head_opens) begin
            head_open_reg <= 1'b1;
        end

        if (rst) begin
            head_valid_reg <= 1'b0;
            last_write_reg <= 1'b0;
            turnaround_reg <= {TURNAROUND_WIDTH{1'b0}};
        end
    end

    // -- Parts --------------------------------------------------------------------------------------------------------

    // A bank is busy until the data of its last write are in the device.
    assign idle = !next_valid && !head_valid_reg && fifo_empty && !any_busy_0;

    page_splitter #(
        .ADDRESS_WIDTH (ADDRESS_WIDTH),
        .LENGTH_WIDTH  (LENGTH_WIDTH)
    ) u_splitter (
        .clk              (clk),
        .rst              (rst),
        .enable           (ready),
        .s_cmd_valid      (s_cmd_valid),
        .s_cmd_ready      (s_cmd_ready),
        .s_cmd_write      (s_cmd_write),
        .s_cmd_address    (s_cmd_address),
        .s_cmd_length     (s_cmd_length),
        .m_segment_valid  (next_valid),
        .m_segment_ready  (next_take),
        .m_segment_write  (next_write),
        .m_segment_bank   (next_bank),
        .m_segment_row    (next_row),
        .m_segment_column (next_column),
        .m_segment_end    (next_end)
    );

    ddr_sequencer #(
        .T_REFI      (T_REFI),
        .INIT_CLOCKS (INIT_CLOCKS),
        .DLL_CLOCKS  (DLL_CLOCKS),
        .CAS_LATENCY (CAS_LATENCY)
    ) u_sequencer (
        .clk        (clk),
        .rst        (rst),
        .idle       (!next_valid && !head_valid_reg),
        .turnaround (next_take && (next_write != last_write_reg)),
        .ready      (ready),
        .running    (running),
        .cke        (phy_cke),
        .request    (system_request),
        .grant      (system_grant),
        .command    (system_command),
        .bank       (system_bank),
        .address    (system_address)
    );

    read_fifo #(
        .DEPTH (READ_FIFO_DEPTH)
    ) u_read_fifo (
        .clk          (clk),
        .rst          (rst),
        .reserve      (read_go),
        .full         (fifo_full),
        .empty        (fifo_empty),
        .s_phy_valid  (phy_read_valid),
        .s_phy_data   (phy_read_data),
        .m_read_valid (m_read_valid),
        .m_read_ready (m_read_ready),
        .m_read_data  (m_read_data)
    );

    // -- Write data ---------------------------------------------------------------------------------------------------

    assign s_write_ready = !word_valid_reg || write_go;

    always @(posedge clk) begin
        if (s_write_ready) begin
            word_valid_reg  <= s_write_valid;
            word_data_reg   <= s_write_data;
            word_strobe_reg <= s_write_strobe;
        end

        if (rst) begin
            word_valid_reg <= 1'b0;
        end
    end

    // -- PHY side -----------------------------------------------------------------------------------------------------

    always @(posedge clk) begin
        phy_command_0 <= row_go_0 ? row_command : read_go ? COMMAND_READ : COMMAND_NOP;
        phy_command_1 <= row_go_1 ? row_command : write_go ? COMMAND_WRITE : COMMAND_NOP;

        phy_bank_0    <= read_go ? head_bank_reg : row_command_bank;
        phy_bank_1    <= write_go ? head_bank_reg : row_command_bank;
        phy_address_0 <= read_go ? {2'b00, head_column_reg, 2'b00} : row_address;
        phy_address_1 <= write_go ? {2'b00, head_column_reg, 2'b00} : row_address;

        phy_write_data <= word_data_reg;
        phy_write_mask <= ~word_strobe_reg;

        phy_read_enable  <= read_go;
        phy_write_enable <= write_go;

        if (rst) begin
            phy_command_0    <= COMMAND_NOP;
            phy_command_1    <= COMMAND_NOP;
            phy_read_enable  <= 1'b0;
            phy_write_enable <= 1'b0;
        end
    end

`ifdef FORMAL
    // The device's rules, on the command slots of the PHY port, for any one bank; and of any one command of the memory port
    // that its words go, in order, to the open row, bank and column that are theirs. See docs/PROOFS.md for the sources.
    (* anyconst *) wire [1:0] bank;
    (* anyseq *)   wire       watch;

    localparam [6:0] LONG_AGO = 7'd100;

    reg                    started_reg = 1'b0;
    reg                    open_reg;
    reg [ROW_WIDTH-1:0]    row_reg;
    // Clocks from the last such command to slot 0 of this cycle; of the bank, then of all banks.
    reg [6:0]              activated_reg, precharged_reg, written_reg, read_reg;
    reg [6:0]              any_activated_reg, any_written_reg, any_read_reg, refreshed_reg, mode_reg, dll_reset_reg;

    // {slot 1, slot 0}
    wire [1:0] is_command   = {phy_command_1 != COMMAND_NOP, phy_command_0 != COMMAND_NOP};
    wire [1:0] is_read      = {phy_command_1 == COMMAND_READ, phy_command_0 == COMMAND_READ};
    wire [1:0] is_write     = {phy_command_1 == COMMAND_WRITE, phy_command_0 == COMMAND_WRITE};
    wire [1:0] is_activate  = {phy_command_1 == COMMAND_ACTIVATE, phy_command_0 == COMMAND_ACTIVATE};
    wire [1:0] is_refresh   = {phy_command_1 == 3'b001, phy_command_0 == 3'b001};
    wire [1:0] is_mode      = {phy_command_1 == COMMAND_MODE, phy_command_0 == COMMAND_MODE};
    wire [1:0] is_precharge = {phy_command_1 == COMMAND_PRECHARGE, phy_command_0 == COMMAND_PRECHARGE};
    wire [1:0] here         = {phy_bank_1 == bank, phy_bank_0 == bank};
    wire [1:0] activates    = is_activate & here;
    wire [1:0] precharges   = is_precharge & (here | {phy_address_1[10], phy_address_0[10]});
    wire [1:0] dll_resets   = is_mode & {phy_bank_1 == 2'b00 && phy_address_1[8], phy_bank_0 == 2'b00 && phy_address_0[8]};
    wire [1:0] column       = is_read | is_write;
    wire [1:0] is_open      = {activates[0] || (open_reg && !precharges[0]), open_reg};
    wire       open_next    = activates[1] || (is_open[1] && !precharges[1]);

    // Whether a clock count is kept in both slots by the commands that are wanted to keep it.
    function kept(input [1:0] command, input [1:0] event_before, input [6:0] since, input [6:0] wanted);
        kept = (!command[0] || since >= wanted)
            && (!command[1] || (event_before[0] ? 7'd1 : since + 7'd1) >= wanted);
    endfunction

    function [6:0] later(input [1:0] event_now, input [6:0] since);
        later = event_now[1] ? 7'd1 : event_now[0] ? 7'd2 : since >= LONG_AGO ? LONG_AGO : since + 7'd2;
    endfunction

    wire row_closed_long_enough = kept(activates | is_refresh | is_mode, precharges, precharged_reg, T_RP);
    wire row_open_long_enough   = kept(column & here, activates, activated_reg, T_RCD);

    // The watched command.
    reg                     watched_reg;
    reg                     watched_write_reg;
    reg [ADDRESS_WIDTH-1:0] watched_address_reg;  // of its next word
    reg [LENGTH_WIDTH-1:0]  left_reg;
    reg [LENGTH_WIDTH+3:0]  words_reg;            // accepted without a column command
    reg [LENGTH_WIDTH+3:0]  words_before_reg;
    reg [7:0]               reads_reg;            // column commands without their word

    wire                     accepts = s_cmd_valid && s_cmd_ready;
    wire                     begins  = accepts && watch && !watched_reg;
    wire                     moves   = column != 2'b00;
    wire                     mine    = watched_reg && words_before_reg == 0 && moves;
    wire [1:0]               column_bank    = column[0] ? phy_bank_0 : phy_bank_1;
    wire [11:0]              column_address = column[0] ? phy_address_0 : phy_address_1;
    wire [ADDRESS_WIDTH-1:8] page    = watched_address_reg[ADDRESS_WIDTH-1:8];
    wire [5:0]               digits  = page;

    always @(posedge clk) begin
        started_reg       <= 1'b1;
        open_reg          <= open_next;
        activated_reg     <= later(activates, activated_reg);
        precharged_reg    <= later(precharges, precharged_reg);
        written_reg       <= later(is_write & here, written_reg);
        read_reg          <= later(is_read & here, read_reg);
        any_activated_reg <= later(is_activate, any_activated_reg);
        any_written_reg   <= later(is_write, any_written_reg);
        any_read_reg      <= later(is_read, any_read_reg);
        refreshed_reg     <= later(is_refresh, refreshed_reg);
        mode_reg          <= later(is_mode, mode_reg);
        dll_reset_reg     <= later(dll_resets, dll_reset_reg);
        words_reg         <= words_reg + (accepts ? s_cmd_length : 0) - moves;
        reads_reg         <= reads_reg + {7'd0, is_read != 2'b00} - {7'd0, phy_read_valid};
        if (begins) begin
            watched_reg         <= 1'b1;
            watched_write_reg   <= s_cmd_write;
            watched_address_reg <= s_cmd_address;
            left_reg            <= s_cmd_length;
            words_before_reg    <= words_reg - moves;
        end else if (mine) begin
            watched_reg         <= left_reg != 1;
            watched_address_reg <= watched_address_reg + 1'b1;
            left_reg            <= left_reg - 1'b1;
        end else if (moves) begin
            words_before_reg    <= words_before_reg - 1'b1;
        end
        if (activates[0]) begin
            row_reg <= phy_address_0[ROW_WIDTH-1:0];
        end
        if (activates[1]) begin
            row_reg <= phy_address_1[ROW_WIDTH-1:0];
        end
        if (rst) begin
            open_reg          <= 1'b0;
            activated_reg     <= LONG_AGO;
            precharged_reg    <= LONG_AGO;
            written_reg       <= LONG_AGO;
            read_reg          <= LONG_AGO;
            any_activated_reg <= LONG_AGO;
            any_written_reg   <= LONG_AGO;
            any_read_reg      <= LONG_AGO;
            refreshed_reg     <= LONG_AGO;
            mode_reg          <= LONG_AGO;
            dll_reset_reg     <= 7'd0;
            watched_reg       <= 1'b0;
            words_reg         <= 0;
            reads_reg         <= 8'd0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!s_cmd_valid || s_cmd_length != 0);
        assume ({33'd0, s_cmd_address} + {33'd0, s_cmd_length} <= 1 << ADDRESS_WIDTH);
        assume (!started_reg || !phy_read_valid || reads_reg != 8'd0);
        if (started_reg && !rst) begin
            assert (phy_cke || is_command == 2'b00);
            assert (kept(is_command, is_refresh, refreshed_reg, T_RFC));
            assert (kept(is_command, is_mode, mode_reg, T_MRD));
            assert (kept(is_read, dll_resets, dll_reset_reg, DLL_CLOCKS));
            assert (((activates | is_refresh | is_mode) & is_open) == 2'b00);
            assert ((column & here & ~is_open) == 2'b00);
            assert (row_closed_long_enough && row_open_long_enough);
            assert (kept(precharges & is_open, activates, activated_reg, T_RAS));
            assert (kept(activates | is_refresh, activates, activated_reg, T_RC));
            assert (kept(is_activate, is_activate, any_activated_reg, T_RRD));
            assert (kept(precharges & is_open, is_write & here, written_reg, 3 + T_WR));
            assert (kept(precharges & is_open, is_read & here, read_reg, 2));
            assert (kept(is_read, is_write, any_written_reg, 3 + T_WTR));
            assert (kept(is_write, is_read, any_read_reg, CAS_LATENCY + 2));
            assert (kept(column, is_write, any_written_reg, 2) && kept(column, is_read, any_read_reg, 2));
            assert (is_read == {1'b0, phy_read_enable} && is_write == {phy_write_enable, 1'b0});
            assert (words_reg != 0 || !moves);
            if (mine) begin
                assert (watched_write_reg == is_write[1]);
                assert (column_bank == digits[1:0] + digits[3:2] + digits[5:4]);
                assert (column_address == {2'b00, watched_address_reg[7:0], 2'b00});
            end
            if (mine && column_bank == bank) begin
                assert ((column[0] ? row_reg : activates[0] ? phy_address_0[ROW_WIDTH-1:0] : row_reg) == page >> 2);
            end
            cover (is_write[1] && any_read_reg == 2 * READ_TO_WRITE);
            cover (is_read[0] && any_written_reg < LONG_AGO);
            cover (activates != 2'b00 && precharged_reg < LONG_AGO && written_reg < LONG_AGO);
            cover (ready && is_refresh != 2'b00);
            cover (mine && left_reg == 1 && watched_address_reg[7:0] == 8'd0 && column_bank == bank);
        end
    end
`endif

endmodule

`default_nettype wire
