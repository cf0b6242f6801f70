// What the benches of cells have in common: the clock, the checks and the verdict, which tests/cells.sh reads. Included inside
// of the bench's module; INSTANCE is what its several instances of the cell differ in, such as "depth".

    integer passed = 0;
    integer failed = 0;
    integer cycle  = 0;

    reg clk = 1'b0;

    always #5 clk = !clk;

    always @(posedge clk) begin
        cycle <= cycle + 1;
    end

    // A check of the instance with this number.
    task check(input ok, input integer number, input [8*20-1:0] what);
        begin
            if (ok === 1'b1) begin
                passed = passed + 1;
            end else begin
                failed = failed + 1;
                if (failed <= 10) begin
                    $display("cycle %0d, %0s %0d: %0s", cycle, INSTANCE, number, what);
                end
            end
        end
    endtask

    task verdict;
        begin
            $display("%0d passed, %0d failed", passed, failed);
            $finish;
        end
    endtask
