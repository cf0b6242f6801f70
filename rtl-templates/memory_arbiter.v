// SPDX-License-Identifier: MIT OR Apache-2.0
//
// memory_arbiter: joins a load process (reads only) and a store process (writes only) to one memory port, batch by
// batch, so that the bus seldom turns around.
//
// Latency     one cycle from a command's entry to m_cmd_valid.
// Parameters  ADDRESS_WIDTH  bits of a word address, at least 1
//             LENGTH_WIDTH   bits of a burst length in words, at least 1
//             HOLD           cycles, at least 1, that a silent owner keeps the port from a waiting process
// Handshake   full throughput, one command per cycle. m_cmd_valid and its payload come from flip-flops; the ready
//             outputs follow m_cmd_ready in the same cycle and may depend on the valid inputs.
//
// The process whose command is valid first owns the port until its command marked `last` (the end of a tile's batch)
// has moved, or until it has shown no valid command for HOLD cycles in a row while the other waited. After a `last` the
// other process goes first if it waits. Every batch must end with a `last`; then no process waits for ever.
`default_nettype none

module memory_arbiter #(
    parameter integer ADDRESS_WIDTH = 22,
    parameter integer LENGTH_WIDTH  = 10,
    parameter integer HOLD          = 8
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     s_load_valid,
    output wire                     s_load_ready,
    input  wire [ADDRESS_WIDTH-1:0] s_load_address,
    input  wire [LENGTH_WIDTH-1:0]  s_load_length,
    input  wire                     s_load_last,
    input  wire                     s_store_valid,
    output wire                     s_store_ready,
    input  wire [ADDRESS_WIDTH-1:0] s_store_address,
    input  wire [LENGTH_WIDTH-1:0]  s_store_length,
    input  wire                     s_store_last,
    output wire                     m_cmd_valid,
    input  wire                     m_cmd_ready,
    output wire                     m_cmd_write,
    output wire [ADDRESS_WIDTH-1:0] m_cmd_address,
    output wire [LENGTH_WIDTH-1:0]  m_cmd_length
);

    generate
        if (ADDRESS_WIDTH < 1) begin : illegal_address_width
            memory_arbiter_error_ADDRESS_WIDTH_must_be_at_least_1 stop ();
        end
        if (LENGTH_WIDTH < 1) begin : illegal_length_width
            memory_arbiter_error_LENGTH_WIDTH_must_be_at_least_1 stop ();
        end
        if (HOLD < 1) begin : illegal_hold
            memory_arbiter_error_HOLD_must_be_at_least_1 stop ();
        end
    endgenerate

    localparam integer SILENCE_WIDTH = HOLD < 3 ? 1 : $clog2(HOLD);
    localparam integer SILENCE_LIMIT = HOLD - 1;

    localparam LOAD  = 1'b0;
    localparam STORE = 1'b1;

    // While owned_reg is low, owner_reg is the process that goes first if both are valid.
    reg                     owned_reg;
    reg                     owned_next;
    reg                     owner_reg;
    reg                     owner_next;
    reg [SILENCE_WIDTH-1:0] silence_reg;
    reg [SILENCE_WIDTH-1:0] silence_next;

    reg                     m_cmd_valid_reg;
    reg                     m_cmd_write_reg;
    reg [ADDRESS_WIDTH-1:0] m_cmd_address_reg;
    reg [LENGTH_WIDTH-1:0]  m_cmd_length_reg;

    wire output_moves = m_cmd_ready || !m_cmd_valid_reg;

    wire granted       = (owned_reg || (s_load_valid && s_store_valid)) ? owner_reg : s_store_valid;
    wire granted_valid = (granted == STORE) ? s_store_valid : s_load_valid;
    wire granted_last  = (granted == STORE) ? s_store_last : s_load_last;
    wire other_valid   = (granted == STORE) ? s_load_valid : s_store_valid;

    assign s_load_ready  = output_moves && granted == LOAD;
    assign s_store_ready = output_moves && granted == STORE;

    assign m_cmd_valid   = m_cmd_valid_reg;
    assign m_cmd_write   = m_cmd_write_reg;
    assign m_cmd_address = m_cmd_address_reg;
    assign m_cmd_length  = m_cmd_length_reg;

    always @* begin
        owned_next   = owned_reg;
        owner_next   = owner_reg;
        silence_next = {SILENCE_WIDTH{1'b0}};
        if (granted_valid) begin
            if (output_moves && granted_last) begin
                owned_next = 1'b0;
                owner_next = !granted;
            end else begin
                owned_next = 1'b1;
                owner_next = granted;
            end
        end else if (owned_reg && other_valid) begin
            if (silence_reg == SILENCE_LIMIT[SILENCE_WIDTH-1:0]) begin
                owner_next = !granted;
            end else begin
                silence_next = silence_reg + 1'b1;
            end
        end
    end

    always @(posedge clk) begin
        if (output_moves) begin
            m_cmd_write_reg   <= granted;
            m_cmd_address_reg <= (granted == STORE) ? s_store_address : s_load_address;
            m_cmd_length_reg  <= (granted == STORE) ? s_store_length : s_load_length;
        end
        owned_reg       <= owned_next;
        owner_reg       <= owner_next;
        silence_reg     <= silence_next;
        if (output_moves) begin
            m_cmd_valid_reg <= granted_valid;
        end
        if (rst) begin
            owned_reg       <= 1'b0;
            owner_reg       <= LOAD;
            silence_reg     <= {SILENCE_WIDTH{1'b0}};
            m_cmd_valid_reg <= 1'b0;
        end
    end

`ifdef FORMAL
    // A command that waits does not change, one process at most is served, and the silence counter stays in its range.
    reg                     started_reg = 1'b0;
    reg                     waiting_reg = 1'b0;
    reg                     waiting_write_reg;
    reg [ADDRESS_WIDTH-1:0] waiting_address_reg;
    reg [LENGTH_WIDTH-1:0]  waiting_length_reg;

    always @(posedge clk) begin
        started_reg         <= 1'b1;
        waiting_reg         <= started_reg && !rst && m_cmd_valid && !m_cmd_ready;
        waiting_write_reg   <= m_cmd_write;
        waiting_address_reg <= m_cmd_address;
        waiting_length_reg  <= m_cmd_length;
    end

    always @* begin
        assume (rst == !started_reg);
        if (started_reg) begin
            assert (!(s_load_ready && s_store_ready));
            assert (silence_reg <= SILENCE_LIMIT[SILENCE_WIDTH-1:0]);
            if (waiting_reg) begin
                assert (m_cmd_valid);
                assert (m_cmd_write == waiting_write_reg);
                assert (m_cmd_address == waiting_address_reg);
                assert (m_cmd_length == waiting_length_reg);
            end
            cover (waiting_reg && m_cmd_write);
            cover (waiting_reg && !m_cmd_write && s_store_valid);
            cover (owned_reg && !granted_valid && other_valid && owner_next != owner_reg);
        end
    end
`endif

endmodule

`default_nettype wire
