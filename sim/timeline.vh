// What the accelerator's processes do, for a page: BURSTC_TIMELINE is the cycles of a slice. Included inside of the benches of
// whole accelerators, not of direct versions.
//
// Prints a line `SLICE cycles load word compute stall store sent` per slice from start to done: its cycles, those in which each
// process is busy or stalled as its counter has it, and those in which a word comes from a memory port or goes there; the
// last slice may be shorter. Where the bench looks into the device (BURSTC_BANKS), a line of `tell_banks` follows each. Of the first TILES tiles lines `TILE what cycle`: 0 a tile is taken to be loaded, 1 it is in the
// buffers and taken to be computed, 2 computed, 3 stored. The end mark is taken like a tile.

    localparam integer SLICE = `BURSTC_TIMELINE;
    localparam integer TILES = 2000;

    integer now = 0;
    integer sliced = 0;
    integer busy_load = 0, busy_word = 0, busy_compute = 0, busy_stall = 0, busy_store = 0, busy_sent = 0;
    integer tiles_taken = 0, tiles_loaded = 0, tiles_computed = 0, tiles_stored = 0;

    task tell_slice;
        begin
            $display("SLICE %0d %0d %0d %0d %0d %0d %0d", sliced, busy_load, busy_word, busy_compute, busy_stall,
                busy_store, busy_sent);
            sliced = 0;
            busy_load = 0;
            busy_word = 0;
            busy_compute = 0;
            busy_stall = 0;
            busy_store = 0;
            busy_sent = 0;
`ifdef BURSTC_BANKS
            tell_banks;
`endif
        end
    endtask

    always @(posedge clk)
        if (dut.u_accelerator.running === 1'b1) begin
            now = now + 1;
            sliced = sliced + 1;
            if (dut.u_accelerator.load_is_busy) busy_load = busy_load + 1;
            if (word_comes) busy_word = busy_word + 1;
            if (dut.u_accelerator.compute_is_busy) busy_compute = busy_compute + 1;
            if (dut.u_accelerator.compute_is_stalled) busy_stall = busy_stall + 1;
            if (dut.u_accelerator.store_is_busy) busy_store = busy_store + 1;
            if (word_goes) busy_sent = busy_sent + 1;
            if (dut.u_accelerator.tile_valid && dut.u_accelerator.tile_ready) begin
                if (tiles_taken < TILES) $display("TILE 0 %0d", now);
                tiles_taken = tiles_taken + 1;
            end
            if (dut.u_accelerator.loaded_valid && dut.u_accelerator.loaded_ready) begin
                if (tiles_loaded < TILES) $display("TILE 1 %0d", now);
                tiles_loaded = tiles_loaded + 1;
            end
            if (dut.u_accelerator.token_computed) begin
                if (tiles_computed < TILES) $display("TILE 2 %0d", now);
                tiles_computed = tiles_computed + 1;
            end
            if (dut.u_accelerator.token_stored) begin
                if (tiles_stored < TILES) $display("TILE 3 %0d", now);
                tiles_stored = tiles_stored + 1;
            end
            if (sliced == SLICE) tell_slice;
        end else if (sliced > 0)
            tell_slice;
