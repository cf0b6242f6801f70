// What the benches of packers and unpackers have in common, beside cases_bench.vh: rows of an endless made-up memory.

    function [7:0] byte_at(input integer position);
        reg [31:0] mixed;
        begin
            mixed   = position * 32'h9e3779b1 + 32'h7f4a7c15;
            byte_at = (mixed ^ (mixed >> 15)) >> 5;
        end
    endfunction
