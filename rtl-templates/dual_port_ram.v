// SPDX-License-Identifier: MIT OR Apache-2.0
//
// dual_port_ram: simple dual-port memory, one write port and one read port.
//
// Latency     a read: one cycle; a write is seen by reads from the next cycle on.
// Parameters  WIDTH          bits of a word, at least 1
//             DEPTH          words, at least 1, any number (addresses from DEPTH on are not used)
//             ADDRESS_WIDTH  bits of an address, 2^ADDRESS_WIDTH >= DEPTH
// Handshake   none. read_data keeps its value while read_enable is low.
//
// A read of the address that is written in the same cycle returns an unspecified word: every vendor's block RAM can do
// that without extra logic. A caller may do such a read, but must not use the word; in simulation it is unknown, and in
// proofs any. Contents and read_data are not reset.
`default_nettype none

module dual_port_ram #(
    parameter integer WIDTH         = 32,
    parameter integer DEPTH         = 1024,
    parameter integer ADDRESS_WIDTH = 10
) (
    input  wire                     clk,
    input  wire                     write_enable,
    input  wire [ADDRESS_WIDTH-1:0] write_address,
    input  wire [WIDTH-1:0]         write_data,
    input  wire                     read_enable,
    input  wire [ADDRESS_WIDTH-1:0] read_address,
    output wire [WIDTH-1:0]         read_data
);

    generate
        if (WIDTH < 1) begin : illegal_width
            dual_port_ram_error_WIDTH_must_be_at_least_1 stop ();
        end
        if (DEPTH < 1) begin : illegal_depth
            dual_port_ram_error_DEPTH_must_be_at_least_1 stop ();
        end
        if (ADDRESS_WIDTH < 1 || (ADDRESS_WIDTH < 31 && (1 << ADDRESS_WIDTH) < DEPTH)) begin : illegal_address_width
            dual_port_ram_error_ADDRESS_WIDTH_too_small_for_DEPTH stop ();
        end
    endgenerate

    // No one relies on a same-address collision. Yosys takes the value of Quartus' attribute for a kind of RAM.
`ifdef YOSYS
    (* no_rw_check *)
`else
    (* ramstyle = "no_rw_check", rw_addr_collision = "no" *)
`endif
    reg [WIDTH-1:0] memory [0:DEPTH-1];

    reg [WIDTH-1:0] read_data_reg;

`ifndef SYNTHESIS
`ifdef FORMAL
    (* anyseq *) wire [WIDTH-1:0] unspecified;
`else
    /* verilator lint_off WIDTHCONCAT */ // lines of a buffer may have more than 8,192 bits
    wire [WIDTH-1:0] unspecified = {WIDTH{1'bx}};
    /* verilator lint_on WIDTHCONCAT */
`endif
`endif

    always @(posedge clk) begin
        if (write_enable) begin
            memory[write_address] <= write_data;
        end
        if (read_enable) begin
            read_data_reg <= memory[read_address];
`ifndef SYNTHESIS
            if (write_enable && write_address == read_address) begin
                read_data_reg <= unspecified;
            end
`endif
        end
    end

    assign read_data = read_data_reg;

`ifdef FORMAL
    // Of any one word: a read gives what was written to it last, and stays.
    (* anyconst *) wire [ADDRESS_WIDTH-1:0] watched;

    reg             started_reg = 1'b0;
    reg             known_reg   = 1'b0;
    reg [WIDTH-1:0] content_reg;
    reg             expects_reg = 1'b0;
    reg [WIDTH-1:0] expected_reg;

    wire written = write_enable && write_address == watched && {1'b0, watched} < DEPTH;

    always @(posedge clk) begin
        started_reg <= 1'b1;
        if (written) begin
            known_reg   <= 1'b1;
            content_reg <= write_data;
        end
        if (read_enable) begin
            expects_reg  <= known_reg && read_address == watched && !written;
            expected_reg <= content_reg;
        end
    end

    always @* begin
        assume (!write_enable || {1'b0, write_address} < DEPTH);
        if (known_reg && {1'b0, watched} < DEPTH) begin
            assert (memory[watched] == content_reg);
        end
        if (expects_reg && {1'b0, watched} < DEPTH) begin
            assert (read_data == expected_reg);
        end
        cover (expects_reg && !read_enable && content_reg != expected_reg);
    end
`endif

endmodule

`default_nettype wire
