// SPDX-License-Identifier: MIT OR Apache-2.0
//
// fifo: first-word fall-through queue whose storage is a dual_port_ram.
//
// Latency     two cycles from a word's entry to its appearance at the empty fifo's output; one cycle from a word's
//             exit to s_ready of the full fifo.
// Parameters  WIDTH  bits of a word, at least 1
//             DEPTH  words it holds, at least 1. The memory has a power of two of them, at least 4, and the output one
//                    more. Use token_fifo where the bound must be exact.
// Handshake   full throughput, one word per cycle. No combinational path joins the two sides; m_valid comes from a
//             flip-flop. m_data is never unknown while m_valid is high.
//
// The memory's output is the head of the queue; the next word is read as the head leaves. A word is read when it has
// been in the memory for a cycle, so none has to be forwarded past it, and m_ready reaches no address.
`default_nettype none

module fifo #(
    parameter integer WIDTH = 32,
    parameter integer DEPTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output wire             m_valid,
    input  wire             m_ready,
    output wire [WIDTH-1:0] m_data
);

    generate
        if (WIDTH < 1) begin : illegal_width
            fifo_error_WIDTH_must_be_at_least_1 stop ();
        end
        if (DEPTH < 1) begin : illegal_depth
            fifo_error_DEPTH_must_be_at_least_1 stop ();
        end
    endgenerate

    localparam integer ADDRESS_WIDTH = DEPTH < 4 ? 2 : $clog2(DEPTH);
    localparam integer CAPACITY      = 1 << ADDRESS_WIDTH;

    // One bit more than an address, so that full and empty differ.
    reg [ADDRESS_WIDTH:0] write_pointer_reg;
    reg [ADDRESS_WIDTH:0] read_pointer_reg;   // the word behind the head
    reg                   m_valid_reg;

    wire push  = s_valid && s_ready;
    wire fetch = m_ready || !m_valid_reg;
    wire more  = write_pointer_reg != read_pointer_reg;

    assign s_ready = write_pointer_reg != {~read_pointer_reg[ADDRESS_WIDTH], read_pointer_reg[ADDRESS_WIDTH-1:0]};
    assign m_valid = m_valid_reg;

    dual_port_ram #(
        .WIDTH         (WIDTH),
        .DEPTH         (CAPACITY),
        .ADDRESS_WIDTH (ADDRESS_WIDTH)
    ) u_storage (
        .clk           (clk),
        .write_enable  (push),
        .write_address (write_pointer_reg[ADDRESS_WIDTH-1:0]),
        .write_data    (s_data),
        .read_enable   (fetch),
        .read_address  (read_pointer_reg[ADDRESS_WIDTH-1:0]),
        .read_data     (m_data)
    );

    always @(posedge clk) begin
        if (push) begin
            write_pointer_reg <= write_pointer_reg + 1'b1;
        end
        if (fetch) begin
            m_valid_reg <= more;
            if (more) begin
                read_pointer_reg <= read_pointer_reg + 1'b1;
            end
        end
        if (rst) begin
            write_pointer_reg <= {ADDRESS_WIDTH+1{1'b0}};
            read_pointer_reg  <= {ADDRESS_WIDTH+1{1'b0}};
            m_valid_reg       <= 1'b0;
        end
    end

`ifdef FORMAL
    // The memory's occupancy never leaves 0 to CAPACITY, and a word that waits does not change.
    wire [ADDRESS_WIDTH:0] occupancy = write_pointer_reg - read_pointer_reg;

    reg             started_reg = 1'b0;
    reg             waiting_reg = 1'b0;
    reg [WIDTH-1:0] waiting_data_reg;

    always @(posedge clk) begin
        started_reg      <= 1'b1;
        waiting_reg      <= started_reg && !rst && m_valid && !m_ready;
        waiting_data_reg <= m_data;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (occupancy <= CAPACITY[ADDRESS_WIDTH:0]);
            if (waiting_reg) begin
                assert (m_valid);
                assert (m_data == waiting_data_reg);
            end
            cover (!s_ready);
            cover (waiting_reg && occupancy == {(ADDRESS_WIDTH + 1){1'b0}});
            cover (waiting_reg && push);
        end
    end
`endif

endmodule

`default_nettype wire
