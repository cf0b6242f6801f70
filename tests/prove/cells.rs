//! Every cell with properties: under which parameters it is proved, how far, and what must break it.
//!
//! Parameters are small: depths of one, of a power of two and beside one, widths that let counters go round.

use crate::By::{Abc, Z3};
use crate::{Mutation, Proof, mutation, mutation_of};

/// One test per cell, so that they run side by side.
macro_rules! proofs {
    ($($cell:ident { $parameters:expr, $steps:expr, $by:expr, $cover_steps:expr, $mutations:expr $(,)? })*) => {
        pub const PROOFS: &[Proof] = &[$(Proof {
            cell: stringify!($cell),
            parameters: &$parameters,
            steps: $steps,
            by: $by,
            cover_steps: $cover_steps,
            mutations: { const MUTATIONS: &[Mutation] = &$mutations; MUTATIONS },
        }),*];

        $(
            #[test]
            fn $cell() {
                crate::prove(stringify!($cell));
            }
        )*
    };
}

proofs! {
    beat_packer {
        ["BEAT_WIDTH 1 BURST_WIDTH 1 LENGTH_WIDTH 3", "BEAT_WIDTH 0 BURST_WIDTH 2 LENGTH_WIDTH 3",
            "BEAT_WIDTH 2 BURST_WIDTH 2 LENGTH_WIDTH 3"],
        8, Z3, 16,
        [
            mutation("wire output_moves = m_beat_ready || !m_beat_valid_reg;", "wire output_moves = 1'b1;"),
            mutation("m_beat_data     = m_beat_data_reg;", "m_beat_data     = m_beat_data_reg ^ m_beat_ready;"),
            mutation("m_beat_strobe   = m_beat_strobe_reg;", "m_beat_strobe   = m_beat_strobe_reg ^ m_beat_ready;"),
            mutation("m_beat_last     = m_beat_last_reg;", "m_beat_last     = m_beat_last_reg ^ m_beat_ready;"),
        ]
    }
    beat_room {
        ["DEPTH 256", "DEPTH 257", "DEPTH 512"],
        6, Z3, 8,
        [
            mutation("2'b01: free_reg <= free_reg + 1'b1;", "2'b01: free_reg <= free_reg + 2'd2;"),
            mutation("2'b11: free_reg <= free_reg - length;", "2'b11: free_reg <= free_reg + length;"),
            mutation("granted = length < free_reg;", "granted = length <= free_reg;"),
        ]
    }
    beat_unpacker {
        ["BEAT_WIDTH 1 LENGTH_WIDTH 3 OFFSET_WIDTH 1", "BEAT_WIDTH 0 LENGTH_WIDTH 3 OFFSET_WIDTH 1",
            "BEAT_WIDTH 2 LENGTH_WIDTH 3 OFFSET_WIDTH 2"],
        8, Z3, 12,
        [
            mutation("if (m_word_ready || !m_word_valid_reg) begin", "if (1'b1) begin"),
            mutation("s_beat_valid && (m_word_ready || !m_word_valid_reg);", "s_beat_valid;"),
        ]
    }
    burst_splitter {
        ["ADDRESS_WIDTH 6 LENGTH_WIDTH 4 BEAT_WIDTH 0 BURST_WIDTH 2", "ADDRESS_WIDTH 7 LENGTH_WIDTH 4 BEAT_WIDTH 2 BURST_WIDTH 1",
            "ADDRESS_WIDTH 10 LENGTH_WIDTH 4 BEAT_WIDTH 1 BURST_WIDTH 8"],
        8, Z3, 12,
        [
            mutation("assign m_burst_last    = left_reg <= to_end;", "assign m_burst_last    = left_reg <= to_end + 1'b1;"),
            mutation("assign m_burst_valid   = active_reg;", "assign m_burst_valid   = active_reg && s_cmd_valid;"),
            mutation("end else if (m_burst_ready) begin", "end else begin"),
            mutation("m_burst_last ? left_reg[7:0] : to_end[7:0];", "m_burst_ready ? 8'd0 : to_end[7:0];"),
        ]
    }
    divide_serial {
        ["WIDTH 3 SIGNED 0", "WIDTH 4 SIGNED 1", "WIDTH 1 SIGNED 0"],
        8, Z3, 12,
        [
            mutation("end else if (finish) begin", "end else if (m_valid_reg) begin"),
            mutation("busy_reg    <= busy_next;", "busy_reg    <= busy_next || m_valid_next;"),
            mutation_of(1, "left_reg             <= ALL;", "left_reg             <= ALL + ONE;"),
            mutation("assign m_quotient  = m_quotient_reg;", "assign m_quotient  = m_quotient_reg ^ s_valid;"),
        ]
    }
    dual_port_ram {
        ["WIDTH 2 DEPTH 3 ADDRESS_WIDTH 2", "WIDTH 1 DEPTH 1 ADDRESS_WIDTH 1", "WIDTH 2 DEPTH 4 ADDRESS_WIDTH 2",
            "WIDTH 1 DEPTH 5 ADDRESS_WIDTH 3"],
        6, Z3, 8,
        [
            mutation("if (write_enable) begin", "if (write_enable && read_enable) begin"),
            mutation("read_data_reg <= memory[read_address];", "read_data_reg <= memory[write_address];"),
            mutation("write_enable && write_address == read_address", "write_enable"),
        ]
    }
    fifo {
        ["WIDTH 3 DEPTH 4", "WIDTH 3 DEPTH 1", "WIDTH 3 DEPTH 3", "WIDTH 2 DEPTH 5"],
        12, Z3, 14,
        [
            mutation("assign s_ready = write_pointer_reg", "assign s_ready = 1'b1 || write_pointer_reg"),
            mutation("if (more) begin", "if (1'b1) begin"),
            mutation("assign m_valid = m_valid_reg;", "assign m_valid = m_valid_reg && !m_ready;"),
            mutation("wire fetch = m_ready || !m_valid_reg;", "wire fetch = 1'b1;"),
            mutation(".read_enable   (fetch)", ".read_enable   (1'b1)"),
        ]
    }
    memory_arbiter {
        ["ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 3", "ADDRESS_WIDTH 4 LENGTH_WIDTH 2 HOLD 1",
            "ADDRESS_WIDTH 1 LENGTH_WIDTH 1 HOLD 4"],
        8, Z3, 12,
        [
            mutation("assign s_load_ready  = output_moves && granted == LOAD;", "assign s_load_ready  = output_moves;"),
            mutation("if (silence_reg == SILENCE_LIMIT[SILENCE_WIDTH-1:0]) begin", "if (silence_reg > SILENCE_LIMIT[SILENCE_WIDTH-1:0]) begin"),
            mutation("wire output_moves = m_cmd_ready || !m_cmd_valid_reg;", "wire output_moves = 1'b1;"),
            mutation("assign m_cmd_write   = m_cmd_write_reg;", "assign m_cmd_write   = m_cmd_write_reg ^ m_cmd_ready;"),
            mutation("assign m_cmd_length  = m_cmd_length_reg;", "assign m_cmd_length  = m_cmd_length_reg ^ m_cmd_ready;"),
        ]
    }
    stream_register {
        ["WIDTH 4", "WIDTH 1"],
        8, Z3, 10,
        [
            mutation("spare_valid_next = s_valid;", "spare_valid_next = 1'b0;"),
            mutation("spare_valid_reg || s_valid;", "spare_valid_reg || (s_valid && m_ready);"),
            mutation("m_data_next      = spare_valid_reg ? spare_reg : s_data;", "m_data_next      = s_data;"),
            mutation("spare_next       = s_data;", "spare_next       = spare_reg;"),
            mutation("assign s_ready = !spare_valid_reg;", "assign s_ready = 1'b1;"),
        ]
    }
    token_fifo {
        ["DEPTH 3 INITIAL 1", "DEPTH 1 INITIAL 0", "DEPTH 2 INITIAL 2", "DEPTH 5 INITIAL 0", "DEPTH 4 INITIAL 4"],
        8, Z3, 12,
        [
            mutation_of(3, "assign s_ready = count_reg != FULL;", "assign s_ready = 1'b1;"),
            mutation("end else if (pop && !push) begin", "end else if (!push) begin"),
        ]
    }
    word_packer {
        ["COUNT_WIDTH 3", "COUNT_WIDTH 1"],
        8, Z3, 10,
        [
            mutation("element_ends && remaining_reg == 1;", "element_ends && remaining_reg == 0;"),
            mutation("position_reg <= next_position[1:0];", "position_reg <= next_position[1:0] + 1'b1;"),
            mutation("high_reg     <= !element_ends;", "high_reg     <= element_ends;"),
            mutation("m_word_valid_reg  <= step && word_ends;", "m_word_valid_reg  <= word_ends;"),
            mutation("assign m_word_valid    = m_word_valid_reg;", "assign m_word_valid    = m_word_valid_reg && !m_word_ready;"),
            mutation("assign m_word_data     = m_word_data_reg;", "assign m_word_data     = m_word_data_reg ^ m_word_ready;"),
            mutation("assign m_word_strobe   = m_word_strobe_reg;", "assign m_word_strobe   = m_word_strobe_reg ^ m_word_ready;"),
        ]
    }
    word_unpacker {
        ["COUNT_WIDTH 3", "COUNT_WIDTH 1"],
        8, Z3, 10,
        [
            mutation("element_ends && remaining_reg == 1;", "element_ends && remaining_reg == 0;"),
            mutation("position_reg <= next_position[1:0];", "position_reg <= next_position[1:0] + 1'b1;"),
            mutation("high_reg     <= !element_ends;", "high_reg     <= element_ends;"),
            mutation("m_element_valid_reg <= step && element_ends;", "m_element_valid_reg <= step;"),
            mutation("assign m_element_valid = m_element_valid_reg;", "assign m_element_valid = m_element_valid_reg && !m_element_ready;"),
            mutation("assign m_element_data  = m_element_data_reg;", "assign m_element_data  = m_element_data_reg ^ m_element_ready;"),
        ]
    }
    ddr_timer {
        ["CLOCKS 8", "CLOCKS 3", "CLOCKS 5"],
        12, Abc(10), 12,
        [
            mutation("load_slot ? load_clocks[CLOCKS-1:1]", "!load_slot ? load_clocks[CLOCKS-1:1]"),
            mutation("waits_reg >> 2", "waits_reg >> 1"),
            mutation("assign wait_1 = waits_reg[1];", "assign wait_1 = waits_reg[0];"),
        ]
    }
    ddr_read_fifo {
        ["DEPTH 4", "DEPTH 2"],
        12, Abc(10), 24,
        [
            mutation("assign full         = reserved_reg ==", "assign full         = written_reg =="),
            mutation("assign empty        = reserved_reg ==", "assign empty        = written_reg =="),
            mutation("assign m_read_valid = written_reg != taken_reg;", "assign m_read_valid = written_reg != taken_reg && !s_phy_valid;"),
            mutation("assign m_read_data  = words[", "assign m_read_data  = s_phy_valid + words["),
            mutation("taken_reg <= taken_reg + 1'b1;", "taken_reg <= taken_reg + 2'd2;"),
        ]
    }
    ddr_splitter {
        ["ADDRESS_WIDTH 11 LENGTH_WIDTH 4", "ADDRESS_WIDTH 16 LENGTH_WIDTH 10"],
        6, Z3, 8,
        [
            mutation("assign s_cmd_ready      = enable &", "assign s_cmd_ready      = 1'b1 &"),
            mutation("s_digits[1:0] + s_digits[3:2]", "s_digits[1:0] - s_digits[3:2]"),
            mutation("page_reg    <= page_reg + 1'b1;", "page_reg    <= page_reg + 2'd2;"),
            mutation("column_reg  <= 8'd0;", "column_reg  <= 8'd1;"),
            mutation_of(1, "borders_reg <= sum[SUM_WIDTH-1:8];", "borders_reg <= sum[SUM_WIDTH-1:8] + 1'b1;"),
            mutation("end_reg     <= sum[7:0];", "end_reg     <= sum[7:0] - 1'b1;"),
            mutation("(borders_reg == 1 && end_reg == 8'd0)", "borders_reg == 1"),
            mutation("assign m_segment_valid  = valid_reg;", "assign m_segment_valid  = valid_reg && !s_cmd_write;"),
            mutation("assign m_segment_row    = page_reg[PAGE_WIDTH-1:2];", "assign m_segment_row    = page_reg[PAGE_WIDTH-1:2] + s_cmd_write;"),
        ]
    }
    axi4_lite_slave {
        [""],
        12, Abc(10), 12,
        [
            mutation("assign s_axil_awready = idle && s_axil_wvalid;", "assign s_axil_awready = idle;"),
            mutation("state_reg <= s_axil_bready ? IDLE : WRITTEN;", "state_reg <= IDLE;"),
            mutation("state_reg <= s_axil_rready ? IDLE : READ;", "state_reg <= IDLE;"),
            mutation("state_reg == WRITE && whole_reg;", "state_reg == WRITE;"),
            mutation("assign m_reg_data    = data_reg;", "assign m_reg_data    = s_axil_wdata;"),
            mutation("assign s_axil_rvalid  = state_reg == READ;", "assign s_axil_rvalid  = state_reg == READ && !s_axil_rready;"),
        ]
    }
    avalon_slave {
        [""],
        12, Abc(10), 12,
        [
            mutation("wire settled = waited_reg == 2'd2;", "wire settled = waited_reg == 2'd1;"),
            mutation("assign avs_waitrequest = avs_read && !settled;", "assign avs_waitrequest = !settled;"),
            mutation("avs_write && &avs_byteenable;", "avs_write && |avs_byteenable;"),
            mutation("if (rst || !avs_read || settled) begin", "if (rst || settled) begin"),
        ]
    }
    cycle_counters {
        ["COUNT 2"],
        20, Abc(1), 24,
        [mutation("total_reg[31:3] + {28'd0, carry}", "total_reg[31:3]"), mutation("fresh_reg <= 1'b1;", "fresh_reg <= 1'b0;")]
    }
    store_tracker {
        ["COUNT_WIDTH 4 DEPTH 4"],
        9, Abc(1), 12,
        [
            mutation("wire [COUNT_WIDTH-1:0] beyond = written_reg - mark;", "wire [COUNT_WIDTH-1:0] beyond = written_reg - mark + 1'b1;"),
            mutation("assign m_end = mark_valid &&", "assign m_end = mark_valid ||"),
        ]
    }
}
