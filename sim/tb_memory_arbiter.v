// Bench of memory_arbiter: four values of HOLD side by side. A model of the policy, kept in plain integers, says in
// every cycle which process may pass and what the output shows; a counter per process bounds its wait.
`default_nettype none
`timescale 1ns / 1ps

module tb_memory_arbiter;

    localparam integer CASES   = 4;
    localparam integer CYCLES  = 12000;
    localparam integer RESTART = 6000;
    localparam integer ADDRESS_WIDTH = 22;
    localparam integer LENGTH_WIDTH  = 9;

    localparam integer NOBODY = 0;
    localparam integer LOAD   = 1;
    localparam integer STORE  = 2;

    function integer hold_of(input integer index);
        case (index)
            0:       hold_of = 1;
            1:       hold_of = 2;
            2:       hold_of = 5;
            default: hold_of = 8;
        endcase
    endfunction

    localparam INSTANCE = "hold";

`include "cell_bench.vh"
`include "cycles_bench.vh"

    // Chances in 16 that a process is silent for a cycle, and in 4 that the port stalls.
    integer load_stall  = 0;
    integer store_stall = 0;
    integer m_stall     = 0;

    always @(posedge clk) begin
        if (cycle > 300 && cycle % 128 == 0) begin
            load_stall  <= $random & 15;
            store_stall <= $random & 15;
            m_stall     <= $random & 3;
        end
    end

    genvar index;

    generate
        for (index = 0; index < CASES; index = index + 1) begin : holds
            localparam integer HOLD = hold_of(index);

            reg                      s_load_valid = 1'b0;
            wire                     s_load_ready;
            reg  [ADDRESS_WIDTH-1:0] s_load_address = 0;
            reg  [LENGTH_WIDTH-1:0]  s_load_length  = 0;
            reg                      s_load_last    = 1'b0;
            reg                      s_store_valid = 1'b0;
            wire                     s_store_ready;
            reg  [ADDRESS_WIDTH-1:0] s_store_address = 0;
            reg  [LENGTH_WIDTH-1:0]  s_store_length  = 0;
            reg                      s_store_last    = 1'b0;
            wire                     m_cmd_valid;
            reg                      m_cmd_ready = 1'b0;
            wire                     m_cmd_write;
            wire [ADDRESS_WIDTH-1:0] m_cmd_address;
            wire [LENGTH_WIDTH-1:0]  m_cmd_length;

            integer owner       = NOBODY;
            integer favourite   = LOAD;    // goes first if both come at once
            integer silence     = 0;
            integer allowed     = NOBODY;
            integer load_waits  = 0;       // commands that passed while it waited
            integer store_waits = 0;
            reg     slot_free   = 1'b0;
            reg     load_moves  = 1'b0;
            reg     store_moves = 1'b0;

            reg                                shown = 1'b0;
            reg [ADDRESS_WIDTH+LENGTH_WIDTH:0] shown_command;

            memory_arbiter #(
                .ADDRESS_WIDTH (ADDRESS_WIDTH),
                .LENGTH_WIDTH  (LENGTH_WIDTH),
                .HOLD          (HOLD)
            ) dut (
                .clk             (clk),
                .rst             (rst),
                .s_load_valid    (s_load_valid),
                .s_load_ready    (s_load_ready),
                .s_load_address  (s_load_address),
                .s_load_length   (s_load_length),
                .s_load_last     (s_load_last),
                .s_store_valid   (s_store_valid),
                .s_store_ready   (s_store_ready),
                .s_store_address (s_store_address),
                .s_store_length  (s_store_length),
                .s_store_last    (s_store_last),
                .m_cmd_valid     (m_cmd_valid),
                .m_cmd_ready     (m_cmd_ready),
                .m_cmd_write     (m_cmd_write),
                .m_cmd_address   (m_cmd_address),
                .m_cmd_length    (m_cmd_length)
            );

            always @(posedge clk) begin
                if (rst) begin
                    owner       = NOBODY;
                    favourite   = LOAD;
                    silence     = 0;
                    shown       = 1'b0;
                    load_waits  = 0;
                    store_waits = 0;
                    s_load_valid  <= 1'b0;
                    s_store_valid <= 1'b0;
                end else begin
                    check(m_cmd_valid === shown, HOLD, "m_cmd_valid");
                    if (shown) begin
                        check({m_cmd_write, m_cmd_address, m_cmd_length} === shown_command, HOLD, "m_cmd payload");
                    end
                    slot_free = !shown || m_cmd_ready;

                    // Who may pass in this cycle.
                    if (owner == NOBODY) begin
                        if (s_load_valid && s_store_valid) begin
                            owner = favourite;
                        end else if (s_load_valid) begin
                            owner = LOAD;
                        end else if (s_store_valid) begin
                            owner = STORE;
                        end
                        silence = 0;
                    end
                    load_moves  = s_load_valid && slot_free && owner == LOAD;
                    store_moves = s_store_valid && slot_free && owner == STORE;
                    check((s_load_valid && s_load_ready) === load_moves, HOLD, "load moves");
                    check((s_store_valid && s_store_ready) === store_moves, HOLD, "store moves");

                    // Nobody waits for more than the rest of one batch of at most 6 commands.
                    load_waits  = s_load_valid && !load_moves ? load_waits + (store_moves ? 1 : 0) : 0;
                    store_waits = s_store_valid && !store_moves ? store_waits + (load_moves ? 1 : 0) : 0;
                    check(load_waits <= 6 && store_waits <= 6, HOLD, "starvation");

                    // What the port shows next, and who owns it next.
                    if (load_moves || store_moves) begin
                        shown         = 1'b1;
                        shown_command = load_moves ? {1'b0, s_load_address, s_load_length}
                                                   : {1'b1, s_store_address, s_store_length};
                    end else if (slot_free) begin
                        shown = 1'b0;
                    end
                    if (owner == LOAD ? !s_load_valid && s_store_valid : !s_store_valid && s_load_valid) begin
                        silence = silence + 1;
                    end else begin
                        silence = 0;
                    end
                    if (load_moves && s_load_last) begin
                        owner     = NOBODY;
                        favourite = STORE;
                    end else if (store_moves && s_store_last) begin
                        owner     = NOBODY;
                        favourite = LOAD;
                    end else if (owner != NOBODY && silence == HOLD) begin
                        owner   = owner == LOAD ? STORE : LOAD;
                        silence = 0;
                    end

                    if (!s_load_valid || s_load_ready) begin
                        s_load_valid   <= ($random & 15) >= load_stall;
                        s_load_address <= $random;
                        s_load_length  <= $random;
                    end
                    if (!s_store_valid || s_store_ready) begin
                        s_store_valid   <= ($random & 15) >= store_stall;
                        s_store_address <= $random;
                        s_store_length  <= $random;
                    end
                end
                m_cmd_ready <= ($random & 3) >= m_stall;
            end

            // Batches of 1 to 6 commands.
            integer load_left  = 1;
            integer store_left = 1;

            always @(posedge clk) begin
                if (s_load_valid && s_load_ready && !rst) begin
                    load_left = load_left == 1 ? 1 + $unsigned($random) % 6 : load_left - 1;
                end
                if (s_store_valid && s_store_ready && !rst) begin
                    store_left = store_left == 1 ? 1 + $unsigned($random) % 6 : store_left - 1;
                end
                s_load_last  <= load_left == 1;
                s_store_last <= store_left == 1;
            end
        end
    endgenerate

endmodule

`default_nettype wire
