# Compares two dumps of memory, a byte in hexadecimal per line: what is expected, and what was found. `floats` lists the
# arrays of floating-point numbers as first:bytes:width; there any NaN is as good as another, because C leaves it open.
#
# Usage: awk -v floats="4096:256:4 8192:512:8" -f compare.awk EXPECTED FOUND
function number(digits) {
    return 16 * (index("0123456789abcdef", substr(digits, 1, 1)) - 1) + index("0123456789abcdef", substr(digits, 2, 1)) - 1
}
# Whether the little-endian number at `first` has all bits of the exponent set, and some of the fraction.
function is_nan(bytes, first, width,    top, next_top, rest, i) {
    for (i = 0; i < width; i++)
        if (bytes[first + i] !~ /^[0-9a-f][0-9a-f]$/)
            return 0
    top = number(bytes[first + width - 1]) % 128
    next_top = number(bytes[first + width - 2])
    for (i = 0; i < width - 2; i++)
        rest += number(bytes[first + i])
    if (width == 4)
        return top == 127 && next_top >= 128 && next_top % 128 + rest > 0
    return top == 127 && next_top >= 240 && next_top % 16 + rest > 0
}
{ $1 = tolower($1) }
NR == FNR { expected[FNR - 1] = $1; count = FNR; next }
{ found[FNR - 1] = $1; found_count = FNR }
END {
    if (found_count != count) {
        print "found " found_count + 0 " bytes, not " count
        exit 1
    }
    arrays = split(floats, list, " ")
    for (address = 0; address < count; address++) {
        if (expected[address] == found[address])
            continue
        same = 0
        for (i = 1; i <= arrays; i++) {
            split(list[i], array, ":")
            if (address >= array[1] && address < array[1] + array[2]) {
                first = address - (address - array[1]) % array[3]
                same = is_nan(expected, first, array[3]) && is_nan(found, first, array[3])
            }
        }
        if (!same) {
            printf "byte 0x%x is %s, expected %s\n", address, found[address], expected[address]
            exit 1
        }
    }
}
