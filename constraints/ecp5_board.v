// {{kernel}}_board: the accelerator {{kernel}} on {{title}}, without a processor.
//
// The PLL makes clk, {{clock_mhz}} MHz, from the oscillator, and clk_memory, 270 degrees later, for the memory's clock pin.
// After power-up, and whenever the button is pressed, the arguments below go into the registers and the accelerator runs
// on what the memory holds. `ready` is high when the memory is initialised, `busy` during a run, `done` after it unless
// the start was refused.
`default_nettype none

module {{kernel}}_board (
    input  wire        oscillator,
    input  wire        start,
    output wire        ready,
    output wire        busy,
    output wire        done,
    output wire        keep_high,

    output wire        sdram_clk,
    output wire        sdram_cke,
    output wire        sdram_csn,
    output wire        sdram_rasn,
    output wire        sdram_casn,
    output wire        sdram_wen,
    output wire [1:0]  sdram_ba,
    output wire [12:0] sdram_a,
    output wire [1:0]  sdram_dqm,
    inout  wire [15:0] sdram_d
);

    // -- Clocks -------------------------------------------------------------------------------------------------------

    wire clk;
    wire clk_memory;
    wire locked;

    EHXPLLL #(
        .PLLRST_ENA      ("DISABLED"),
        .INTFB_WAKE      ("DISABLED"),
        .STDBY_ENABLE    ("DISABLED"),
        .DPHASE_SOURCE   ("DISABLED"),
        .OUTDIVIDER_MUXA ("DIVA"),
        .OUTDIVIDER_MUXB ("DIVB"),
        .OUTDIVIDER_MUXC ("DIVC"),
        .OUTDIVIDER_MUXD ("DIVD"),
        .CLKI_DIV        ({{reference}}),
        .CLKFB_DIV       ({{feedback}}),
        .FEEDBK_PATH     ("CLKOP"),
        .CLKOP_ENABLE    ("ENABLED"),
        .CLKOP_DIV       ({{output}}),
        .CLKOP_CPHASE    ({{phase}}),
        .CLKOP_FPHASE    (0),
        .CLKOS_ENABLE    ("ENABLED"),
        .CLKOS_DIV       ({{output}}),
        .CLKOS_CPHASE    ({{late_phase}}),
        .CLKOS_FPHASE    ({{late_eighths}})
    ) pll (
        .CLKI         (oscillator),
        .CLKFB        (clk),
        .CLKOP        (clk),
        .CLKOS        (clk_memory),
        .LOCK         (locked),
        .RST          (1'b0),
        .STDBY        (1'b0),
        .PHASESEL0    (1'b0),
        .PHASESEL1    (1'b0),
        .PHASEDIR     (1'b1),
        .PHASESTEP    (1'b1),
        .PHASELOADREG (1'b1),
        .PLLWAKESYNC  (1'b0),
        .ENCLKOP      (1'b0)
    );

    // Reset ends some cycles after the PLL has locked.
    reg [7:0] locked_reg = 8'd0;
    reg       rst = 1'b1;

    always @(posedge clk) begin
        locked_reg <= {locked_reg[6:0], locked};
        rst        <= ~&locked_reg[7:2];
    end

    // -- Start --------------------------------------------------------------------------------------------------------

    // The last word that is written is the control register's start.
    localparam integer LAST = {{last}};

    // Bits of the status word, which is what the idle bus shows.
    localparam integer BUSY = 0, DONE = 1, READY = 2;

    localparam [1:0] WAIT = 2'd0, WRITE = 2'd1, RUN = 2'd2, REST = 2'd3;

    reg [1:0]  state_reg;
    reg [7:0]  index_reg;
    reg [2:0]  start_reg;

    reg [7:0]  argument_address;
    reg [31:0] argument_data;

    always @*
        case (index_reg)
{{arguments}}
            default: {argument_address, argument_data} = {8'd0, 32'd1};
        endcase

    wire        reg_write   = state_reg == WRITE;
    wire [7:0]  reg_address = reg_write ? argument_address : 8'd0;
    /* verilator lint_off UNUSEDSIGNAL */ // the counters, which nobody reads
    wire [31:0] reg_data;
    /* verilator lint_on UNUSEDSIGNAL */

    always @(posedge clk) begin
        start_reg <= {start_reg[1:0], start};

        case (state_reg)
            WAIT:
                if (reg_data[READY]) state_reg <= WRITE;
            WRITE: begin
                index_reg <= index_reg + 8'd1;
                if (index_reg == LAST[7:0]) state_reg <= RUN;
            end
            RUN:
                if (!reg_data[BUSY]) state_reg <= REST;
            default: begin
                index_reg <= 8'd0;
                if (start_reg[1] & ~start_reg[2]) state_reg <= WRITE;
            end
        endcase

        if (rst) begin
            state_reg <= WAIT;
            index_reg <= 8'd0;
        end
    end

    assign ready = ~rst & (state_reg != WAIT);
    assign busy  = state_reg == RUN;
    assign done  = (state_reg == REST) & reg_data[DONE];

    assign keep_high = 1'b1;

    // -- Accelerator and memory ---------------------------------------------------------------------------------------

    wire        phy_cke;
    wire [2:0]  phy_command;
    wire [1:0]  phy_bank;
    wire [12:0] phy_address;
    wire        phy_write_enable, phy_read_enable, phy_read_valid;
    wire [15:0] phy_write_data, phy_read_data;
    wire [1:0]  phy_write_mask;

    {{top}} accelerator (
        .clk              (clk),
        .rst              (rst),
        .s_reg_write      (reg_write),
        .s_reg_address    (reg_address),
        .s_reg_data       (argument_data),
        .m_reg_data       (reg_data),
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
        .CAS_LATENCY ({{cas}})
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

endmodule

`default_nettype wire
