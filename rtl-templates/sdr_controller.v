// SPDX-License-Identifier: MIT OR Apache-2.0
//
// sdr_controller: controller for one x16 SDR SDRAM of four banks with pages of 1 KB; the memory's clock is the
// accelerator's.
//
// Slave: the memory port of docs/ARCHITECTURE.md, as ddr_controller has it. A column command has burst length 2 and
// moves one 32-bit word in two cycles, the lower half first. Commands are done in order. Rows stay open in all four
// banks; while the segment of one page streams, the row of the next, in the same command or the one after it, is
// prepared if it is in another bank, in the cycles between the column commands. Column commands then follow each other
// every other cycle.
//
// PHY: one command and 16 bits per cycle; all outputs come from flip-flops.
//   phy_cke           clock enable of the device
//   phy_command       {ras_n, cas_n, we_n}; chip select is always low
//   phy_write_enable  drive phy_write_data, in the cycle of a write command and the one after it; phy_write_mask (DQM)
//                     is high where a byte is kept, and before the device is initialised
//   phy_read_enable   in the cycle of a read command and the one after it. The PHY answers each of the two with 16 bits
//                     on phy_read_data and with phy_read_valid, after any fixed latency; it cannot be stalled
//
// Latency     a command accepted in cycle 0 to an open row is on the PHY port in cycle 4, if it needs a precharge and an
//             activate first in cycle 6 + T_RP + T_RCD; a word is on m_read two cycles after its second phy_read_valid
// Parameters  ADDRESS_WIDTH    bits of a word address {page, column[7:0]}, 11 to 23; page_splitter makes bank and row
//                              of the page
//             LENGTH_WIDTH     bits of a command's length in words
//             READ_FIFO_DEPTH  words, a power of two; 16 or more for full speed
//             T_*, CAS_LATENCY, INIT_CLOCKS (from reset to the first command)  cycles
//             FIRST_REFRESHES  of the start-up
// Handshake   s_cmd_ready and s_write_ready follow from flip-flops alone; no input reaches a valid output.
`default_nettype none

module sdr_controller #(
    parameter integer ADDRESS_WIDTH   = 23,
    parameter integer LENGTH_WIDTH    = 16,
    parameter integer READ_FIFO_DEPTH = 32,
    parameter integer CAS_LATENCY     = 3,
    parameter integer T_RCD           = 3,
    parameter integer T_RP            = 3,
    parameter integer T_RAS           = 5,
    parameter integer T_RC            = 7,
    parameter integer T_RRD           = 2,
    parameter integer T_WR            = 2,
    parameter integer T_RFC           = 7,
    parameter integer T_MRD           = 2,
    parameter integer T_REFI          = 750,
    parameter integer INIT_CLOCKS     = 22000,
    parameter integer FIRST_REFRESHES = 8
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

    output reg                      phy_cke,
    output reg  [2:0]               phy_command,
    output reg  [1:0]               phy_bank,
    output reg  [12:0]              phy_address,
    output reg                      phy_write_enable,
    output reg  [15:0]              phy_write_data,
    output reg  [1:0]               phy_write_mask,
    output reg                      phy_read_enable,
    input  wire                     phy_read_valid,
    input  wire [15:0]              phy_read_data
);

    localparam integer ROW_WIDTH = ADDRESS_WIDTH - 10;

    localparam [2:0] COMMAND_MODE      = 3'b000,
                     COMMAND_REFRESH   = 3'b001,
                     COMMAND_PRECHARGE = 3'b010,
                     COMMAND_ACTIVATE  = 3'b011,
                     COMMAND_WRITE     = 3'b100,
                     COMMAND_READ      = 3'b101,
                     COMMAND_NOP       = 3'b111;

    // Cycles from a read to a write: the second half comes CAS_LATENCY + 1 cycles after the read, and the pins rest for
    // one cycle between two drivers.
    localparam integer READ_TO_WRITE = CAS_LATENCY + 3;
    // From a write command to the moment its second half is in the device, behind a PHY of up to two cycles.
    localparam integer DRAIN_CLOCKS  = 4;

    function integer larger(input integer first, input integer second);
        larger = first > second ? first : second;
    endfunction

    localparam integer COMMAND_CLOCKS = larger(larger(T_MRD, T_RFC), T_RRD);

    // A wait is loaded with a command: a one for every cycle after it in which another must not follow.
    localparam [READ_TO_WRITE-2:0]  READ_TO_WRITE_WAIT = {(READ_TO_WRITE - 1){1'b1}};
    localparam [COMMAND_CLOCKS-1:0] RRD_WAIT           = (1 << (T_RRD - 1)) - 1;
    localparam [COMMAND_CLOCKS-1:0] RFC_WAIT           = (1 << (T_RFC - 1)) - 1;
    localparam [COMMAND_CLOCKS-1:0] MRD_WAIT           = (1 << (T_MRD - 1)) - 1;

    generate
        if (ADDRESS_WIDTH < 11 || ADDRESS_WIDTH > 23) begin : illegal_address_width
            sdr_controller_error_ADDRESS_WIDTH_must_be_11_to_23 stop ();
        end
        if (READ_FIFO_DEPTH < 2 || (READ_FIFO_DEPTH & (READ_FIFO_DEPTH - 1)) != 0) begin : illegal_read_fifo_depth
            sdr_controller_error_READ_FIFO_DEPTH_must_be_a_power_of_two stop ();
        end
        if (T_RCD < 1 || T_RCD > 30 || T_RP < 1 || T_RP > 30 || T_RAS < 1 || T_RAS > 30 || T_RC < 1 || T_RC > 30
            || T_RRD < 1 || T_RRD > 30 || T_WR < 1 || T_WR > 29 || T_RFC < 1 || T_RFC > 30 || T_MRD < 1 || T_MRD > 30
            || CAS_LATENCY < 2 || CAS_LATENCY > 3) begin : illegal_timing
            sdr_controller_error_timing_is_out_of_range stop ();
        end
    endgenerate

    // The next segment, from the splitter.
    wire                 next_valid;
    wire                 next_write;
    wire [1:0]           next_bank;
    wire [ROW_WIDTH-1:0] next_row;
    wire [7:0]           next_column;
    wire [7:0]           next_end;

    // The segment that streams, the head. A refresh closes its row for a while.
    reg                  head_valid_reg;
    reg                  head_write_reg;
    reg  [1:0]           head_bank_reg;
    reg  [ROW_WIDTH-1:0] head_row_reg;
    reg  [7:0]           head_column_reg;
    reg  [7:0]           head_end_reg;
    reg                  head_last_reg;

    // A word of write data.
    reg        word_valid_reg;
    reg [31:0] word_data_reg;
    reg [3:0]  word_strobe_reg;

    wire        fifo_full;
    wire        fifo_empty;

    wire        running;
    wire        system_request;
    wire [2:0]  system_command;
    wire [12:0] system_address;

    // -- Column commands ----------------------------------------------------------------------------------------------

    // The second cycle of a burst, and the waits of writes for reads.
    reg                     second_reg;
    reg [READ_TO_WRITE-2:0] turnaround_reg;
    reg                     last_write_reg;

    wire head_open;
    wire head_ready;

    wire column_may = head_valid_reg && head_ready && running && !second_reg;
    wire read_go    = column_may && !head_write_reg && !fifo_full;
    wire write_go   = column_may && head_write_reg && !turnaround_reg[0] && word_valid_reg;
    wire column_go  = read_go || write_go;
    wire head_free  = !head_valid_reg || (column_go && head_last_reg);

    // -- Row commands -------------------------------------------------------------------------------------------------

    // One a cycle, for the head if a refresh has closed its row, else for the next segment: the subject. What its bank
    // holds is looked up in one cycle, and acted on in the next if neither it nor the banks have changed.
    wire                 head_closed   = head_valid_reg && !head_open;
    wire                 subject_valid = head_closed || next_valid;
    wire [1:0]           subject_bank  = head_closed ? head_bank_reg : next_bank;
    wire [ROW_WIDTH-1:0] subject_row   = head_closed ? head_row_reg : next_row;
    wire                 bank_in_use   = head_valid_reg && (head_bank_reg == next_bank);

    wire subject_open;
    wire subject_match;
    wire subject_busy;
    wire any_busy;

    reg looked_reg;
    reg open_reg;
    reg match_reg;

    reg [COMMAND_CLOCKS-1:0] command_wait_reg;

    wire activate_want  = looked_reg && !open_reg;
    wire precharge_want = looked_reg && open_reg && !match_reg && !bank_in_use;

    wire row_request = running ? (activate_want || precharge_want) && !subject_busy : system_request && !any_busy;
    wire row_go      = row_request && !command_wait_reg[0] && !column_go;

    wire activate_go  = row_go && running && !open_reg;
    wire precharge_go = row_go && running && open_reg;
    wire system_grant = row_go && !running;
    wire close_all    = system_grant && (system_command == COMMAND_PRECHARGE);

    wire next_take = looked_reg && open_reg && match_reg && !head_closed && head_free && running;

    reg [COMMAND_CLOCKS-1:0] command_clocks;

    always @* begin
        command_clocks = {COMMAND_CLOCKS{1'b0}};
        if (activate_go) begin
            command_clocks = RRD_WAIT;
        end
        if (system_grant && (system_command == COMMAND_REFRESH)) begin
            command_clocks = RFC_WAIT;
        end
        if (system_grant && (system_command == COMMAND_MODE)) begin
            command_clocks = MRD_WAIT;
        end
    end

    always @(posedge clk) begin
        looked_reg       <= subject_valid && !row_go && !next_take;
        command_wait_reg <= (command_wait_reg >> 1) | command_clocks;
        open_reg         <= subject_open;
        match_reg        <= subject_match;
        if (rst) begin
            looked_reg       <= 1'b0;
            command_wait_reg <= {COMMAND_CLOCKS{1'b0}};
        end
    end

    sdr_banks #(
        .ROW_WIDTH (ROW_WIDTH),
        .T_RCD     (T_RCD),
        .T_RP      (T_RP),
        .T_RAS     (T_RAS),
        .T_RC      (T_RC),
        .T_WR      (T_WR)
    ) u_banks (
        .clk           (clk),
        .rst           (rst),
        .bank          (subject_bank),
        .row           (subject_row),
        .open          (subject_open),
        .match         (subject_match),
        .busy          (subject_busy),
        .any_busy      (any_busy),
        .activate      (activate_go),
        .precharge     (precharge_go),
        .precharge_all (close_all),
        .column_bank   (head_bank_reg),
        .column_open   (head_open),
        .column_ready  (head_ready),
        .read          (read_go),
        .write         (write_go)
    );

    // -- Head ---------------------------------------------------------------------------------------------------------

    wire [7:0] head_column_next = head_column_reg + 8'd1;

    always @(posedge clk) begin
        if (head_free) begin
            head_valid_reg <= next_take;
        end

        second_reg     <= column_go;
        turnaround_reg <= read_go ? READ_TO_WRITE_WAIT : turnaround_reg >> 1;
        if (column_go) begin
            last_write_reg <= head_write_reg;
        end

        if (next_take) begin
            head_write_reg  <= next_write;
            head_bank_reg   <= next_bank;
            head_row_reg    <= next_row;
            head_column_reg <= next_column;
            head_end_reg    <= next_end;
            head_last_reg   <= next_column + 8'd1 == next_end;
        end else if (column_go) begin
            head_column_reg <= head_column_next;
            head_last_reg   <= head_column_next + 8'd1 == head_end_reg;
        end

        if (rst) begin
            head_valid_reg <= 1'b0;
            last_write_reg <= 1'b0;
            second_reg     <= 1'b0;
            turnaround_reg <= {(READ_TO_WRITE - 1){1'b0}};
        end
    end

    // -- Parts --------------------------------------------------------------------------------------------------------

    reg [DRAIN_CLOCKS-1:0] drain_reg;

    always @(posedge clk) begin
        drain_reg <= write_go ? {DRAIN_CLOCKS{1'b1}} : drain_reg >> 1;
        if (rst) begin
            drain_reg <= {DRAIN_CLOCKS{1'b0}};
        end
    end

    assign idle = !next_valid && !head_valid_reg && fifo_empty && !drain_reg[0];

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

    sdr_sequencer #(
        .T_REFI          (T_REFI),
        .INIT_CLOCKS     (INIT_CLOCKS),
        .FIRST_REFRESHES (FIRST_REFRESHES),
        .CAS_LATENCY     (CAS_LATENCY)
    ) u_sequencer (
        .clk        (clk),
        .rst        (rst),
        .idle       (!next_valid && !head_valid_reg),
        .turnaround (next_take && (next_write != last_write_reg)),
        .ready      (ready),
        .running    (running),
        .request    (system_request),
        .grant      (system_grant),
        .command    (system_command),
        .address    (system_address)
    );

    // The halves of a word come one after the other, never interleaved.
    reg        half_reg;
    reg [15:0] lower_reg;
    reg        word_read_reg;
    reg [31:0] word_read_data_reg;

    always @(posedge clk) begin
        half_reg      <= half_reg ^ phy_read_valid;
        word_read_reg <= phy_read_valid && half_reg;
        if (phy_read_valid) begin
            lower_reg <= phy_read_data;
        end
        word_read_data_reg <= {phy_read_data, lower_reg};
        if (rst) begin
            half_reg      <= 1'b0;
            word_read_reg <= 1'b0;
        end
    end

    read_fifo #(
        .DEPTH (READ_FIFO_DEPTH)
    ) u_read_fifo (
        .clk          (clk),
        .rst          (rst),
        .reserve      (read_go),
        .full         (fifo_full),
        .empty        (fifo_empty),
        .s_phy_valid  (word_read_reg),
        .s_phy_data   (word_read_data_reg),
        .m_read_valid (m_read_valid),
        .m_read_ready (m_read_ready),
        .m_read_data  (m_read_data)
    );

    // -- Write data ---------------------------------------------------------------------------------------------------

    assign s_write_ready = !word_valid_reg || write_go;

    // The upper half waits for the second cycle of the burst.
    reg [15:0] upper_data_reg;
    reg [1:0]  upper_mask_reg;

    always @(posedge clk) begin
        if (s_write_ready) begin
            word_valid_reg  <= s_write_valid;
            word_data_reg   <= s_write_data;
            word_strobe_reg <= s_write_strobe;
        end
        upper_data_reg <= word_data_reg[31:16];
        upper_mask_reg <= ~word_strobe_reg[3:2];

        if (rst) begin
            word_valid_reg <= 1'b0;
        end
    end

    // -- PHY side -----------------------------------------------------------------------------------------------------

    always @(posedge clk) begin
        phy_cke     <= !rst;
        phy_command <= COMMAND_NOP;
        if (write_go) begin
            phy_command <= COMMAND_WRITE;
        end
        if (read_go) begin
            phy_command <= COMMAND_READ;
        end
        if (row_go) begin
            phy_command <= !running ? system_command : open_reg ? COMMAND_PRECHARGE : COMMAND_ACTIVATE;
        end

        phy_bank    <= !running ? 2'b00 : column_go ? head_bank_reg : subject_bank;
        phy_address <= 13'd0;
        if (!running) begin
            phy_address <= system_address;
        end else if (column_go) begin
            phy_address[8:0] <= {head_column_reg, 1'b0};
        end else if (!open_reg) begin
            phy_address[ROW_WIDTH-1:0] <= subject_row;
        end

        phy_write_data   <= second_reg ? upper_data_reg : word_data_reg[15:0];
        phy_write_mask   <= {2{!ready}};
        if (write_go) begin
            phy_write_mask <= ~word_strobe_reg[1:0];
        end
        if (second_reg && last_write_reg) begin
            phy_write_mask <= upper_mask_reg;
        end
        phy_write_enable <= write_go || (second_reg && last_write_reg);
        phy_read_enable  <= read_go || (second_reg && !last_write_reg);

        if (rst) begin
            phy_command      <= COMMAND_NOP;
            phy_read_enable  <= 1'b0;
            phy_write_enable <= 1'b0;
        end
    end

`ifdef FORMAL
    // The device's rules, on the PHY port, for any one bank; and of any one command of the memory port that its words go, in
    // order, to the open row, bank and column that are theirs. See docs/PROOFS.md for the sources.
    (* anyconst *) wire [1:0] bank;
    (* anyseq *)   wire       watch;

    localparam [5:0] LONG_AGO = 6'd40;

    reg                 started_reg = 1'b0;
    reg                 bank_open_reg;
    reg [ROW_WIDTH-1:0] row_reg;
    // Cycles from the last such command to this one; of the bank, then of all banks.
    reg [5:0]           activated_reg, precharged_reg, written_reg, read_reg;
    reg [5:0]           any_activated_reg, any_written_reg, any_read_reg, refreshed_reg, mode_reg;

    wire is_command  = phy_command != COMMAND_NOP;
    wire is_read     = phy_command == COMMAND_READ;
    wire is_write    = phy_command == COMMAND_WRITE;
    wire is_activate = phy_command == COMMAND_ACTIVATE;
    wire is_refresh  = phy_command == COMMAND_REFRESH;
    wire is_mode     = phy_command == COMMAND_MODE;
    wire is_column   = is_read || is_write;
    wire here        = phy_bank == bank;
    wire activates   = is_activate && here;
    wire precharges  = phy_command == COMMAND_PRECHARGE && (here || phy_address[10]);
    wire closes      = precharges && bank_open_reg;

    function [5:0] later(input event_now, input [5:0] since);
        later = event_now ? 6'd1 : since >= LONG_AGO ? LONG_AGO : since + 6'd1;
    endfunction

    // The watched command.
    reg                     watched_reg;
    reg                     watched_write_reg;
    reg [ADDRESS_WIDTH-1:0] watched_address_reg;  // of its next word
    reg [LENGTH_WIDTH-1:0]  left_reg;
    reg [LENGTH_WIDTH+3:0]  words_reg;            // accepted without a column command
    reg [LENGTH_WIDTH+3:0]  words_before_reg;
    reg [7:0]               reads_reg;            // halves asked for that have not come

    wire                     accepts = s_cmd_valid && s_cmd_ready;
    wire                     begins  = accepts && watch && !watched_reg;
    wire                     mine    = watched_reg && words_before_reg == 0 && is_column;
    wire [ADDRESS_WIDTH-1:8] page    = watched_address_reg[ADDRESS_WIDTH-1:8];
    wire [5:0]               digits  = page;

    always @(posedge clk) begin
        started_reg       <= 1'b1;
        bank_open_reg     <= activates || (bank_open_reg && !precharges);
        activated_reg     <= later(activates, activated_reg);
        precharged_reg    <= later(precharges, precharged_reg);
        written_reg       <= later(is_write && here, written_reg);
        read_reg          <= later(is_read && here, read_reg);
        any_activated_reg <= later(is_activate, any_activated_reg);
        any_written_reg   <= later(is_write, any_written_reg);
        any_read_reg      <= later(is_read, any_read_reg);
        refreshed_reg     <= later(is_refresh, refreshed_reg);
        mode_reg          <= later(is_mode, mode_reg);
        words_reg         <= words_reg + (accepts ? s_cmd_length : 0) - is_column;
        reads_reg         <= reads_reg + {7'd0, phy_read_enable} - {7'd0, phy_read_valid};
        if (begins) begin
            watched_reg         <= 1'b1;
            watched_write_reg   <= s_cmd_write;
            watched_address_reg <= s_cmd_address;
            left_reg            <= s_cmd_length;
            words_before_reg    <= words_reg - is_column;
        end else if (mine) begin
            watched_reg         <= left_reg != 1;
            watched_address_reg <= watched_address_reg + 1'b1;
            left_reg            <= left_reg - 1'b1;
        end else if (is_column) begin
            words_before_reg    <= words_before_reg - 1'b1;
        end
        if (activates) begin
            row_reg <= phy_address[ROW_WIDTH-1:0];
        end
        if (rst) begin
            bank_open_reg     <= 1'b0;
            activated_reg     <= LONG_AGO;
            precharged_reg    <= LONG_AGO;
            written_reg       <= LONG_AGO;
            read_reg          <= LONG_AGO;
            any_activated_reg <= LONG_AGO;
            any_written_reg   <= LONG_AGO;
            any_read_reg      <= LONG_AGO;
            refreshed_reg     <= LONG_AGO;
            mode_reg          <= LONG_AGO;
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
            assert (phy_cke || !is_command);
            if (is_command) begin
                assert (refreshed_reg >= T_RFC);
                assert (mode_reg >= T_MRD);
            end
            if (bank_open_reg) begin
                assert (!activates && !is_refresh && !is_mode);
            end
            if (activates || is_refresh || is_mode) begin
                assert (precharged_reg >= T_RP);
            end
            if (activates || is_refresh) begin
                assert (activated_reg >= T_RC);
            end
            if (is_activate) begin
                assert (any_activated_reg >= T_RRD);
            end
            if (is_column && here) begin
                assert (bank_open_reg && activated_reg >= T_RCD);
            end
            if (closes) begin
                assert (activated_reg >= T_RAS);
                assert (written_reg >= T_WR + 1);
                assert (read_reg >= 2);
            end
            if (is_write) begin
                assert (any_read_reg >= CAS_LATENCY + 3);
            end
            if (is_column) begin
                assert (any_written_reg >= 2 && any_read_reg >= 2);
                assert (words_reg != 0);
                assert (!phy_address[10]);
            end
            assert (phy_read_enable == (is_read || any_read_reg == 6'd1));
            assert (phy_write_enable == (is_write || any_written_reg == 6'd1));
            if (mine) begin
                assert (watched_write_reg == is_write);
                assert (phy_bank == digits[1:0] + digits[3:2] + digits[5:4]);
                assert (phy_address == {4'd0, watched_address_reg[7:0], 1'b0});
            end
            if (mine && here) begin
                assert (row_reg == page >> 2);
            end
            cover (is_write && any_read_reg == CAS_LATENCY + 3);
            cover (is_read && any_written_reg == 2);
            cover (activates && precharged_reg < LONG_AGO && written_reg < LONG_AGO);
            cover (ready && is_refresh);
            cover (mine && left_reg == 1 && watched_address_reg[7:0] == 8'd0 && here);
        end
    end
`endif

endmodule

`default_nettype wire
