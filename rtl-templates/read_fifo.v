// SPDX-License-Identifier: MIT OR Apache-2.0
//
// read_fifo: takes read data from the PHY, which cannot be stalled, and hands them to a master that may stall.
//
// reserve is high with every read command, and only while full is low. A place is taken from the command until the
// master has the word, so that data always find room. empty is high when no read is under way.
//
// Latency     one cycle
// Parameters  DEPTH  words, a power of two
// Handshake   full throughput, one word per cycle; m_read_valid comes from the pointers alone
`default_nettype none

module read_fifo #(
    parameter integer DEPTH = 32
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        reserve,
    output wire        full,
    output wire        empty,

    input  wire        s_phy_valid,
    input  wire [31:0] s_phy_data,

    output wire        m_read_valid,
    input  wire        m_read_ready,
    output wire [31:0] m_read_data
);

    generate
        if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : illegal_depth
            read_fifo_error_DEPTH_must_be_a_power_of_two stop ();
        end
    endgenerate

    localparam integer INDEX_WIDTH = $clog2(DEPTH);

    // Pointers have one bit more than an index, so that full and empty differ.
    // Yosys has its own word for LUT RAM, whichever the maker.
`ifdef YOSYS
    (* ram_style = "distributed" *)
`else
    (* ramstyle = "MLAB" *)
`endif
    reg [31:0] words [0:DEPTH-1];

    reg [INDEX_WIDTH:0] reserved_reg;
    reg [INDEX_WIDTH:0] written_reg;
    reg [INDEX_WIDTH:0] taken_reg;

    wire take = m_read_valid && m_read_ready;

    assign m_read_valid = written_reg != taken_reg;
    assign m_read_data  = words[taken_reg[INDEX_WIDTH-1:0]];
    assign full         = reserved_reg == {~taken_reg[INDEX_WIDTH], taken_reg[INDEX_WIDTH-1:0]};
    assign empty        = reserved_reg == taken_reg;

    always @(posedge clk) begin
        if (s_phy_valid) begin
            words[written_reg[INDEX_WIDTH-1:0]] <= s_phy_data;
            written_reg <= written_reg + 1'b1;
        end
        if (take) begin
            taken_reg <= taken_reg + 1'b1;
        end
        if (reserve) begin
            reserved_reg <= reserved_reg + 1'b1;
        end

        if (rst) begin
            written_reg  <= 0;
            taken_reg    <= 0;
            reserved_reg <= 0;
        end
    end

`ifdef FORMAL
    // The words that are reserved, there and taken never overtake one another; a word that waits stays; any one word comes
    // out as it came in.
    (* anyconst *) wire [INDEX_WIDTH:0] watched;

    reg               started_reg = 1'b0;
    reg               waiting_reg = 1'b0;
    reg [31:0]        waiting_data_reg;
    reg               held_reg = 1'b0;
    reg [31:0]        held_data_reg;

    wire [INDEX_WIDTH:0] reserved = reserved_reg - taken_reg;
    wire [INDEX_WIDTH:0] there    = written_reg - taken_reg;

    always @(posedge clk) begin
        started_reg      <= 1'b1;
        waiting_reg      <= started_reg && !rst && m_read_valid && !m_read_ready;
        waiting_data_reg <= m_read_data;
        if (s_phy_valid && written_reg == watched) begin
            held_reg      <= 1'b1;
            held_data_reg <= s_phy_data;
        end else if (take && taken_reg == watched) begin
            held_reg <= 1'b0;
        end
        if (rst) begin
            held_reg <= 1'b0;
        end
    end

    always @* begin
        assume (rst == !started_reg);
        assume (!reserve || !full);
        assume (!s_phy_valid || written_reg != reserved_reg);
        if (started_reg) begin
            assert (reserved <= DEPTH);
            assert (there <= reserved);
            assert (full == (reserved == DEPTH));
            assert (empty == (reserved == 0));
            if (waiting_reg) begin
                assert (m_read_valid);
                assert (m_read_data == waiting_data_reg);
            end
            if (held_reg) begin
                assert (words[watched[INDEX_WIDTH-1:0]] == held_data_reg);
                assert (written_reg - watched - 1'b1 < there);
            end
            if (held_reg && taken_reg == watched) begin
                assert (m_read_data == held_data_reg);
            end
            cover (full && m_read_valid);
            cover (waiting_reg && full && there == DEPTH);
            cover (held_reg && taken_reg == watched && take && reserve);
        end
    end
`endif

endmodule

`default_nettype wire
