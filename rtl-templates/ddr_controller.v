// DDR-400 SDRAM controller for one x8 device at twice the clock: every cycle moves one 32-bit word (burst length 4).
//
// Slave: the memory port of docs/ARCHITECTURE.md (`s_cmd`, `s_write`, `m_read`, `idle`, `ready`). Commands are done in
// order. Rows stay open in all four banks; while one page segment streams, the row of the next one, in the same or the
// next command, is prepared if it lies in another bank. Column commands then follow each other every cycle.
//
// PHY side, all outputs registered, one word and two command slots per cycle:
//   phy_cke              clock enable of the device
//   phy_command_{0,1}    {ras_n, cas_n, we_n} of the first and the second memory clock of the cycle; chip select is low
//   phy_bank_{0,1}, phy_address_{0,1}
//   phy_write_enable     slot 1 holds a write command; phy_write_data and phy_write_mask (high: byte kept) belong to it,
//                        the PHY brings them out one memory clock after the command, byte 0 first
//   phy_read_enable      slot 0 holds a read command; the PHY gives its word on phy_read_data with phy_read_valid,
//                        after any fixed latency, in order
//
// Reads go out in slot 0 and writes in slot 1, row commands in any slot that is free: both turnarounds are then odd
// numbers of clocks, and none is rounded up. Timings (T_*, CAS_LATENCY, INIT_CLOCKS, DLL_CLOCKS) are in memory clocks.
// Latency of a read on an open row: the command is in slot 0 three cycles after s_cmd was accepted, the word on m_read
// one cycle after phy_read_valid.
//
// Parameters: ADDRESS_WIDTH 11 to 22, bits of a word address {row, bank[1:0], column[7:0]}; LENGTH_WIDTH; READ_FIFO_DEPTH,
// words, a power of two, 16 or more for full speed; timings.
`default_nettype none

module ddr_controller #(
    parameter ADDRESS_WIDTH   = 22,
    parameter LENGTH_WIDTH    = 16,
    parameter READ_FIFO_DEPTH = 32,
    parameter CAS_LATENCY     = 3,
    parameter T_RCD           = 3,
    parameter T_RP            = 3,
    parameter T_RAS           = 8,
    parameter T_RC            = 11,
    parameter T_RRD           = 2,
    parameter T_WR            = 3,
    parameter T_WTR           = 2,
    parameter T_RFC           = 14,
    parameter T_MRD           = 2,
    parameter T_REFI          = 3120,
    parameter INIT_CLOCKS     = 40000,
    parameter DLL_CLOCKS      = 200
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
    localparam ROW_WIDTH = ADDRESS_WIDTH - 10;

    localparam [2:0] COMMAND_MODE      = 3'b000,
                     COMMAND_PRECHARGE = 3'b010,
                     COMMAND_ACTIVATE  = 3'b011,
                     COMMAND_WRITE     = 3'b100,
                     COMMAND_READ      = 3'b101,
                     COMMAND_NOP       = 3'b111;

    localparam BURST_CLOCKS       = 2;
    localparam WRITE_TO_PRECHARGE = 1 + BURST_CLOCKS + T_WR;
    // Cycles from a read in slot 0 to a write in slot 1, and back.
    localparam READ_TO_WRITE      = (CAS_LATENCY + BURST_CLOCKS) / 2;
    localparam WRITE_TO_READ      = (1 + BURST_CLOCKS + T_WTR + 2) / 2;

    // A write comes T_RCD after the activate at the earliest; what T_RAS still asks for then is covered as well.
    localparam WRITE_BUSY         = WRITE_TO_PRECHARGE > T_RAS - T_RCD ? WRITE_TO_PRECHARGE : T_RAS - T_RCD;

    function integer larger(input integer first, input integer second);
        larger = first > second ? first : second;
    endfunction

    localparam integer ROW_WAIT  = larger(larger(larger(T_MRD, T_RFC), larger(T_RRD, T_RP)), 2) - 1;
    localparam integer BANK_WAIT = larger(larger(T_RAS, WRITE_BUSY), 2) - 1;
    localparam integer HEAD_WAIT = larger(T_RCD, 2) - 1;

    localparam integer TURNAROUND_WAIT           = larger(READ_TO_WRITE, WRITE_TO_READ) - 1;
    localparam [31:0]  READ_TO_WRITE_WAITS = (32'd1 << (READ_TO_WRITE - 1)) - 32'd1,
                       WRITE_TO_READ_WAITS = (32'd1 << (WRITE_TO_READ - 1)) - 32'd1;

    // What a timer is loaded with at a command in slot 0 or slot 1 that asks for so many clocks from there on.
    function [31:0] waits(input integer clocks, input integer slot);
        waits = clocks + slot > 2 ? (32'd1 << (clocks + slot - 2)) - 32'd1 : 32'd0;
    endfunction

    localparam [31:0] MRD_0 = waits(T_MRD, 0), MRD_1 = waits(T_MRD, 1),
                      RFC_0 = waits(T_RFC, 0), RFC_1 = waits(T_RFC, 1),
                      RRD_0 = waits(T_RRD, 0), RRD_1 = waits(T_RRD, 1),
                      RCD_0 = waits(T_RCD, 0), RCD_1 = waits(T_RCD, 1),
                      RAS_0 = waits(T_RAS, 0), RAS_1 = waits(T_RAS, 1),
                      RC_0  = waits(T_RC, 0),  RC_1  = waits(T_RC, 1),
                      RP_0  = waits(T_RP, 0),  RP_1  = waits(T_RP, 1),
                      WR_1  = waits(WRITE_BUSY, 1);

    generate
        if (ADDRESS_WIDTH < 11 || ADDRESS_WIDTH > 22)
            ddr_controller_needs_ADDRESS_WIDTH_from_11_to_22 illegal_address_width ();
        if (READ_FIFO_DEPTH < 2 || (READ_FIFO_DEPTH & (READ_FIFO_DEPTH - 1)) != 0)
            ddr_controller_needs_READ_FIFO_DEPTH_a_power_of_two illegal_read_fifo_depth ();
        if (T_RAS > 32 || T_RC > 32 || T_WR > 29 || T_RFC > 32 || T_RP > 32 || T_RRD > 32 || T_MRD > 32 || T_RCD > 32
            || CAS_LATENCY < 2 || CAS_LATENCY > 3 || T_WTR > 8 || T_REFI < 64 || T_REFI > 65536)
            ddr_controller_timing_is_out_of_range illegal_timing ();
    endgenerate

    // The next segment, from the splitter.
    wire                    next_valid;
    wire                    next_take;
    wire                    next_write;
    wire [ADDRESS_WIDTH-9:0] next_page;
    wire [7:0]              next_column;
    wire [7:0]              next_end;
    wire [1:0]              next_bank = next_page[1:0];
    wire [ROW_WIDTH-1:0]    next_row  = next_page[ADDRESS_WIDTH-9:2];

    // The segment that streams, the head. Its row is the open row of its bank; a refresh closes it for a while.
    reg        head_valid_reg;
    reg        head_open_reg;
    reg        head_write_reg;
    reg  [1:0] head_bank_reg;
    reg  [7:0] head_column_reg;
    reg  [7:0] head_end_reg;

    // Open rows.
    reg  [3:0]           open_reg;
    reg  [ROW_WIDTH-1:0] rows [0:3];

    // A word of write data.
    reg        word_valid_reg;
    reg [31:0] word_data_reg;
    reg [3:0]  word_strobe_reg;

    wire        fifo_full;
    wire        fifo_empty;

    wire        running;
    wire        system_request;
    wire        system_grant;
    wire [2:0]  system_command;
    wire        system_bank;
    wire [11:0] system_address;

    // ------------------------------------------------------------------------------------------- column commands

    reg        last_write_reg;
    // Bit k: a command of the other direction has to wait for more than k cycles.
    reg  [TURNAROUND_WAIT-1:0] turnaround_reg;

    wire head_wait_0;
    wire head_wait_1;

    wire column_may = head_valid_reg & head_open_reg & running & ~((head_write_reg ^ last_write_reg) & turnaround_reg[0]);
    wire read_go    = column_may & ~head_write_reg & ~head_wait_0 & ~fifo_full;
    wire write_go   = column_may & head_write_reg & ~head_wait_1 & word_valid_reg;
    wire column_go  = read_go | write_go;

    wire [7:0] head_column_next = head_column_reg + 8'd1;
    wire       head_last        = head_column_next == head_end_reg;
    wire       head_free        = ~head_valid_reg | (column_go & head_last);

    // ---------------------------------------------------------------------------------------------- row commands

    // One row command a cycle, for the head if a refresh has closed its row, else for the next segment.
    wire       head_closed = head_valid_reg & ~head_open_reg;
    wire [1:0] row_bank    = head_closed ? head_bank_reg : next_bank;
    wire       row_open    = open_reg[row_bank];
    wire       row_match   = rows[row_bank] == next_row;
    wire       bank_in_use = head_valid_reg & (head_bank_reg == next_bank);

    wire activate_want  = ~row_open & (head_closed | next_valid);
    wire precharge_want = row_open & next_valid & ~row_match & ~head_closed & ~bank_in_use;

    wire       row_wait_0;
    wire       row_wait_1;
    wire [3:0] bank_wait_0;
    wire [3:0] bank_wait_1;
    wire [3:0] cycle_wait_0;
    wire [3:0] cycle_wait_1;

    wire row_request = running ? activate_want | precharge_want : system_request;
    wire wait_0      = row_wait_0 | (running ? cycle_wait_0[row_bank] & ~row_open : |cycle_wait_0) |
                        (running ? bank_wait_0[row_bank] : |bank_wait_0);
    wire wait_1      = row_wait_1 | (running ? cycle_wait_1[row_bank] & ~row_open : |cycle_wait_1) |
                        (running ? bank_wait_1[row_bank] : |bank_wait_1);
    wire row_go_0    = row_request & ~wait_0 & ~read_go;
    wire row_go_1    = row_request & ~wait_1 & ~write_go & ~row_go_0;
    wire row_go      = row_go_0 | row_go_1;

    wire activate_go = row_go & running & ~row_open;
    assign system_grant = row_go & ~running;
    wire close_all    = system_grant & (system_command == COMMAND_PRECHARGE);

    reg  [2:0]  row_command;
    reg  [1:0]  row_command_bank;
    reg  [11:0] row_address;
    reg  [ROW_WAIT-1:0] row_waits;

    always @* begin
        row_command      = system_command;
        row_command_bank = {1'b0, system_bank};
        row_address      = system_address;
        row_waits       = row_go_1 ? RFC_1[ROW_WAIT-1:0] : RFC_0[ROW_WAIT-1:0];
        if (running) begin
            row_command      = row_open ? COMMAND_PRECHARGE : COMMAND_ACTIVATE;
            row_command_bank = row_bank;
            row_address      = 12'd0;
            if (~row_open)
                row_address[ROW_WIDTH-1:0] = head_closed ? rows[row_bank] : next_row;
        end
        case (row_command)
            COMMAND_MODE:      row_waits = row_go_1 ? MRD_1[ROW_WAIT-1:0] : MRD_0[ROW_WAIT-1:0];
            COMMAND_PRECHARGE: row_waits = row_go_1 ? RP_1[ROW_WAIT-1:0] : RP_0[ROW_WAIT-1:0];
            COMMAND_ACTIVATE:  row_waits = row_go_1 ? RRD_1[ROW_WAIT-1:0] : RRD_0[ROW_WAIT-1:0];
            default: ;
        endcase
    end

    assign next_take = next_valid & row_open & row_match & head_free;

    always @(posedge clk) begin
        if (activate_go & ~head_closed)
            rows[next_bank] <= next_row;

        if (rst) begin
            open_reg       <= 4'd0;
            head_valid_reg <= 1'b0;
            last_write_reg <= 1'b0;
            turnaround_reg <= {TURNAROUND_WAIT{1'b0}};
        end else begin
            if (close_all)
                open_reg <= 4'd0;
            else if (row_go & running)
                open_reg <= open_reg ^ (4'd1 << row_bank);

            if (next_take)
                head_valid_reg <= 1'b1;
            else if (head_free)
                head_valid_reg <= 1'b0;

            if (column_go) begin
                last_write_reg <= head_write_reg;
                turnaround_reg <= head_write_reg ? WRITE_TO_READ_WAITS[TURNAROUND_WAIT-1:0]
                                                 : READ_TO_WRITE_WAITS[TURNAROUND_WAIT-1:0];
            end else
                turnaround_reg <= turnaround_reg >> 1;
        end

        if (next_take) begin
            head_write_reg  <= next_write;
            head_bank_reg   <= next_bank;
            head_column_reg <= next_column;
            head_end_reg    <= next_end;
        end else if (column_go)
            head_column_reg <= head_column_next;

        if (close_all)
            head_open_reg <= 1'b0;
        else if (next_take | (activate_go & head_closed))
            head_open_reg <= 1'b1;
    end

    // ---------------------------------------------------------------------------------------------------- timers

    // Next row command, whatever it is: T_RP after a precharge, T_RRD after an activate, T_RFC, T_MRD.
    ddr_timer #(.WIDTH(ROW_WAIT)) row_timer (
        .clk        (clk),
        .rst        (rst),
        .load       (row_go),
        .load_waits (row_waits),
        .wait_0     (row_wait_0),
        .wait_1     (row_wait_1)
    );

    // T_RCD of the next segment, and of the head, which inherits what is left when the segment becomes the head.
    wire [HEAD_WAIT-1:0] opening_load = row_go_1 ? RCD_1[HEAD_WAIT-1:0] : RCD_0[HEAD_WAIT-1:0];
    reg  [HEAD_WAIT-1:0] opening_reg;

    always @(posedge clk)
        if (rst)
            opening_reg <= {HEAD_WAIT{1'b0}};
        else
            opening_reg <= activate_go ? opening_load : opening_reg >> 2;

    ddr_timer #(.WIDTH(HEAD_WAIT)) head_timer (
        .clk        (clk),
        .rst        (rst),
        .load       (next_take | (activate_go & head_closed)),
        .load_waits (head_closed ? opening_load : opening_reg >> 2),
        .wait_0     (head_wait_0),
        .wait_1     (head_wait_1)
    );

    // Until a bank may be precharged: T_RAS after its activate, T_WR after the data of its last write. A read needs
    // none: its last column is two clocks old when the head is free.
    // T_RC needs timers of its own only where T_RAS and T_RP do not add up to it.
    genvar bank;
    generate
        for (bank = 0; bank < 4; bank = bank + 1) begin : bank_timers
            wire activate = activate_go & (row_bank == bank);
            wire write    = write_go & (head_bank_reg == bank);

            wire [BANK_WAIT-1:0] activate_waits = row_go_1 ? RAS_1[BANK_WAIT-1:0] : RAS_0[BANK_WAIT-1:0];

            ddr_timer #(.WIDTH(BANK_WAIT)) busy_timer (
                .clk        (clk),
                .rst        (rst),
                .load       (activate | write),
                .load_waits (write ? WR_1[BANK_WAIT-1:0] : activate_waits),
                .wait_0     (bank_wait_0[bank]),
                .wait_1     (bank_wait_1[bank])
            );

            if (T_RC > T_RAS + T_RP) begin : cycle
                ddr_timer #(.WIDTH(T_RC - 1)) cycle_timer (
                    .clk        (clk),
                    .rst        (rst),
                    .load       (activate),
                    .load_waits (row_go_1 ? RC_1[T_RC-2:0] : RC_0[T_RC-2:0]),
                    .wait_0     (cycle_wait_0[bank]),
                    .wait_1     (cycle_wait_1[bank])
                );
            end else begin : no_cycle
                assign cycle_wait_0[bank] = 1'b0;
                assign cycle_wait_1[bank] = 1'b0;
            end
        end
    endgenerate

    // ------------------------------------------------------------------------------------------------------ parts

    assign idle = ~next_valid & ~head_valid_reg & fifo_empty & ~|bank_wait_0;

    ddr_splitter #(.ADDRESS_WIDTH(ADDRESS_WIDTH), .LENGTH_WIDTH(LENGTH_WIDTH)) splitter (
        .clk(clk), .rst(rst), .enable(ready),
        .s_cmd_valid(s_cmd_valid), .s_cmd_ready(s_cmd_ready), .s_cmd_write(s_cmd_write),
        .s_cmd_address(s_cmd_address), .s_cmd_length(s_cmd_length),
        .m_segment_valid(next_valid), .m_segment_ready(next_take), .m_segment_write(next_write),
        .m_segment_page(next_page), .m_segment_column(next_column), .m_segment_end(next_end)
    );

    ddr_sequencer #(
        .T_REFI(T_REFI), .INIT_CLOCKS(INIT_CLOCKS), .DLL_CLOCKS(DLL_CLOCKS), .CAS_LATENCY(CAS_LATENCY)
    ) sequencer (
        .clk(clk), .rst(rst), .idle(~next_valid & ~head_valid_reg),
        .turnaround(next_take & (next_write != last_write_reg)),
        .ready(ready), .running(running), .cke(phy_cke), .request(system_request), .grant(system_grant),
        .command(system_command), .bank(system_bank), .address(system_address)
    );

    ddr_read_fifo #(.DEPTH(READ_FIFO_DEPTH)) read_fifo (
        .clk(clk), .rst(rst), .reserve(read_go), .full(fifo_full), .empty(fifo_empty),
        .s_phy_valid(phy_read_valid), .s_phy_data(phy_read_data),
        .m_read_valid(m_read_valid), .m_read_ready(m_read_ready), .m_read_data(m_read_data)
    );

    // ------------------------------------------------------------------------------------------------ write data

    assign s_write_ready = ~word_valid_reg | write_go;

    always @(posedge clk) begin
        if (rst)
            word_valid_reg <= 1'b0;
        else if (s_write_ready)
            word_valid_reg <= s_write_valid;

        if (s_write_ready) begin
            word_data_reg   <= s_write_data;
            word_strobe_reg <= s_write_strobe;
        end
    end

    // --------------------------------------------------------------------------------------------------- PHY side

    always @(posedge clk) begin
        phy_command_0 <= row_go_0 ? row_command : read_go ? COMMAND_READ : COMMAND_NOP;
        phy_command_1 <= row_go_1 ? row_command : write_go ? COMMAND_WRITE : COMMAND_NOP;

        phy_bank_0    <= read_go ? head_bank_reg : row_command_bank;
        phy_bank_1    <= write_go ? head_bank_reg : row_command_bank;
        phy_address_0 <= read_go ? {2'b00, head_column_reg, 2'b00} : row_address;
        phy_address_1 <= write_go ? {2'b00, head_column_reg, 2'b00} : row_address;

        phy_write_data <= word_data_reg;
        phy_write_mask <= ~word_strobe_reg;

        phy_read_enable  <= read_go & ~rst;
        phy_write_enable <= write_go & ~rst;
        if (rst) begin
            phy_command_0 <= COMMAND_NOP;
            phy_command_1 <= COMMAND_NOP;
        end
    end
endmodule

`default_nettype wire
