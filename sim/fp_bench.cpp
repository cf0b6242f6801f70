// Bench of the floating-point cells: every cell of sim/fp_operators.v against the processor's own arithmetic, on every
// pair of a table of corner values and on random operands, of which most are near what is hard.
//
//   fp_bench COUNT SEED     compares COUNT random pairs behind the table
//   fp_bench table          prints, for every pair of the table, a, b and the results in the order of CELLS, in
//                           hexadecimal, for another comparison
//
// FORMAT is 32 or 64, the bits of the cells' format. A NaN is as good as another if it is quiet.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "Vfp_operators.h"

#if FORMAT == 32
using Float = float;
using Bits = uint32_t;
using Other = double;
using OtherBits = uint64_t;
#else
using Float = double;
using Bits = uint64_t;
using Other = float;
using OtherBits = uint32_t;
#endif

static const int FRACTION = std::numeric_limits<Float>::digits - 1;
static const int EXPONENT = FORMAT - 1 - FRACTION;
static const Bits ONE = 1;
static const Bits HIDDEN = ONE << FRACTION;
static const Bits EXPONENTS = (ONE << EXPONENT) - 1;
static const Bits SIGN = ONE << (FORMAT - 1);
static const int BIAS = (1 << (EXPONENT - 1)) - 1;

template <typename To, typename From> static To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "one width");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

static Float number(Bits bits) { return same_bits<Float>(bits); }
static Bits bits_of(Float value) { return same_bits<Bits>(value); }

struct Operands {
    Bits a, b;
    uint64_t integer;
};

// What one cell has to give for the operands. A result that C leaves undefined is not compared.
struct Cell {
    const char *name;
    uint64_t (*result)(const Vfp_operators &);
    uint32_t (*latency)(const Vfp_operators &);
    bool (*expected)(const Operands &, uint64_t &);
    // Bits of the significand with the hidden one, where the result is a number of a format; 0 where it is an integer.
    int significand;
};

template <typename Integer> static bool truncated(Float value, uint64_t &result) {
    const Float low = static_cast<Float>(std::numeric_limits<Integer>::min());
    // One more than the greatest, a power of two.
    const Float high = std::ldexp(static_cast<Float>(1), std::numeric_limits<Integer>::digits);
    const Float whole = std::trunc(value);
    if (!(whole >= low && whole < high)) {
        return false;
    }
    result = static_cast<uint64_t>(static_cast<Integer>(value));
    return true;
}

#define FLOAT_CELL(NAME, LATENCY, VALUE)                                                                              \
    {#NAME, [](const Vfp_operators &c) { return uint64_t(c.m_##NAME); },                                              \
     [](const Vfp_operators &c) { return uint32_t(c.latency_##LATENCY); },                                            \
     [](const Operands &o, uint64_t &result) {                                                                        \
         const Float a = number(o.a), b = number(o.b);                                                                \
         (void)a, (void)b;                                                                                            \
         result = bits_of(VALUE);                                                                                     \
         return true;                                                                                                 \
     },                                                                                                               \
     FRACTION + 1}

#define TRUTH_CELL(NAME, VALUE)                                                                                       \
    {#NAME, [](const Vfp_operators &c) { return uint64_t(c.m_##NAME); },                                              \
     [](const Vfp_operators &c) { return uint32_t(c.latency_compare); },                                              \
     [](const Operands &o, uint64_t &result) {                                                                        \
         const Float a = number(o.a), b = number(o.b);                                                                \
         result = VALUE;                                                                                              \
         return true;                                                                                                 \
     },                                                                                                               \
     0}

#define TO_CELL(NAME, PORT, INTEGER)                                                                                  \
    {NAME, [](const Vfp_operators &c) { return uint64_t(static_cast<INTEGER>(c.PORT)); },                             \
     [](const Vfp_operators &c) { return uint32_t(c.latency_to); },                                                   \
     [](const Operands &o, uint64_t &result) { return truncated<INTEGER>(number(o.a), result); }, 0}

static const std::vector<Cell> CELLS = {
    FLOAT_CELL(add, add, a + b),
    FLOAT_CELL(multiply, multiply, a *b),
    FLOAT_CELL(divide, divide, a / b),
    FLOAT_CELL(sqrt, sqrt, std::sqrt(a)),
    TRUTH_CELL(less, a < b),
    TRUTH_CELL(equal, a == b),
    {"convert", [](const Vfp_operators &c) { return uint64_t(c.m_convert); },
     [](const Vfp_operators &c) { return uint32_t(c.latency_convert); },
     [](const Operands &o, uint64_t &result) {
         result = same_bits<OtherBits>(static_cast<Other>(number(o.a)));
         return true;
     },
     std::numeric_limits<Other>::digits},
    FLOAT_CELL(from_i8, from, static_cast<Float>(int8_t(o.integer))),
    FLOAT_CELL(from_u8, from, static_cast<Float>(uint8_t(o.integer))),
    FLOAT_CELL(from_i16, from, static_cast<Float>(int16_t(o.integer))),
    FLOAT_CELL(from_u16, from, static_cast<Float>(uint16_t(o.integer))),
    FLOAT_CELL(from_i32, from, static_cast<Float>(int32_t(o.integer))),
    FLOAT_CELL(from_u32, from, static_cast<Float>(uint32_t(o.integer))),
    FLOAT_CELL(from_i64, from, static_cast<Float>(int64_t(o.integer))),
    FLOAT_CELL(from_u64, from, static_cast<Float>(uint64_t(o.integer))),
    TO_CELL("to_i8", m_to_8, int8_t),
    TO_CELL("to_u8", m_to_8, uint8_t),
    TO_CELL("to_i16", m_to_16, int16_t),
    TO_CELL("to_u16", m_to_16, uint16_t),
    TO_CELL("to_i32", m_to_32, int32_t),
    TO_CELL("to_u32", m_to_32, uint32_t),
    TO_CELL("to_i64", m_to_64, int64_t),
    TO_CELL("to_u64", m_to_64, uint64_t),
    FLOAT_CELL(twice, scale, a * 2),
    FLOAT_CELL(by_8, scale, a * 8),
    FLOAT_CELL(half, scale, a / 2),
    FLOAT_CELL(minus_eighth, scale, a / -8),
    FLOAT_CELL(over_65536, scale, a / 65536),
};

// Whether `found` is as good as `expected` in a format with `digits` bits of significand.
static bool agrees(uint64_t found, uint64_t expected, int digits) {
    if (digits == 0) {
        return found == expected;
    }
    const bool single = digits == std::numeric_limits<float>::digits;
    const uint64_t sign = single ? uint64_t(1) << 31 : uint64_t(1) << 63;
    const uint64_t infinity = single ? uint64_t(0xff) << 23 : uint64_t(0x7ff) << 52;
    const uint64_t quiet = infinity | uint64_t(1) << (digits - 2);
    if ((expected & ~sign) > infinity) {
        return (found & quiet) == quiet;
    }
    return found == expected;
}

// xorshift64* of Marsaglia and Vigna.
static uint64_t state = 1;

static uint64_t random_bits() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dULL;
}

static int below(int limit) { return int(random_bits() % uint64_t(limit)); }

static Bits pack(uint64_t sign, int exponent, uint64_t fraction) {
    const int inside = exponent < 0 ? 0 : exponent > int(EXPONENTS) ? int(EXPONENTS) : exponent;
    return Bits(sign & 1) << (FORMAT - 1) | Bits(inside) << FRACTION | (Bits(fraction) & (HIDDEN - 1));
}

// A fraction with few changes between zeros and ones, or a random one.
static uint64_t fraction() {
    const uint64_t all = random_bits();
    switch (below(6)) {
    case 0: return 0;
    case 1: return (uint64_t(1) << below(FRACTION + 1)) + uint64_t(below(3)) - 1;
    case 2: return (uint64_t(1) << below(FRACTION + 1)) - (uint64_t(1) << below(FRACTION + 1));
    case 3: return all << below(FRACTION + 1);
    default: return all;
    }
}

static std::vector<Bits> corners() {
    std::vector<Bits> table;
    const auto add = [&](Bits bits) {
        table.push_back(bits);
        table.push_back(bits | SIGN);
    };
    // Zero, subnormal numbers, the least normal ones.
    for (const Bits bits : {Bits(0), Bits(1), Bits(2), Bits(3), HIDDEN / 2 - 1, HIDDEN / 2, HIDDEN / 2 + 1, HIDDEN - 2,
                            HIDDEN - 1, HIDDEN, HIDDEN + 1, HIDDEN + 2, 2 * HIDDEN - 1, 2 * HIDDEN}) {
        add(bits);
    }
    // Powers of two, one unit in the last place around them, and halfway between them and the next.
    for (const int power : {-BIAS / 2, -FRACTION - 2, -FRACTION - 1, -FRACTION, -2, -1, 0, 1, 2, 3, 7, 8, 15, 16, 23, 24,
                            25, 31, 32, 52, 53, 54, 62, 63, 64, BIAS / 2, BIAS - 1, BIAS}) {
        const Bits bits = pack(0, BIAS + power, 0);
        for (const Bits near : {bits - 1, bits, bits + 1, bits + HIDDEN / 2, bits + HIDDEN / 2 - 1}) {
            add(near);
        }
    }
    // The greatest, infinity, NaNs quiet and signalling.
    const Bits infinity = EXPONENTS << FRACTION;
    for (const Bits bits : {infinity - 1, infinity - 2, infinity, infinity + 1, infinity + HIDDEN / 2,
                            infinity + HIDDEN - 1}) {
        add(bits);
    }
    // Halfway cases of the conversion to float.
    for (const double value : {1 + std::ldexp(1.0, -24), 1 + 3 * std::ldexp(1.0, -24), std::ldexp(1.0, -150),
                               3 * std::ldexp(1.0, -150), std::ldexp(1.0, -149), 3.4028235677973366e38,
                               1.17549435e-38, 1.1754943157898259e-38}) {
        add(bits_of(static_cast<Float>(value)));
    }
    return table;
}

static Operands random_operands(const std::vector<Bits> &table) {
    const uint64_t signs = random_bits();
    Bits a = Bits(random_bits()), b = Bits(random_bits());
    switch (below(9)) {
    case 0: break;
    case 1: {
        // Exponents close together.
        const int exponent = below(int(EXPONENTS));
        a = pack(signs, exponent, fraction());
        b = pack(signs >> 1, exponent + below(7) - 3, fraction());
        break;
    }
    case 2: {
        // Cancellation down to a few units in the last place.
        a = pack(signs, below(int(EXPONENTS)), fraction());
        b = (a ^ SIGN) + Bits(below(9)) - 4;
        break;
    }
    case 3: {
        // Exponents about a significand apart: halfway cases of sums.
        const int exponent = below(int(EXPONENTS));
        a = pack(signs, exponent, fraction());
        b = pack(signs >> 1, exponent - FRACTION + below(7) - 3, fraction());
        break;
    }
    case 4: {
        // Products around the least numbers.
        const int exponent = below(BIAS);
        a = pack(signs, exponent, fraction());
        b = pack(signs >> 1, BIAS - exponent + below(8) - 3 - (signs & 4 ? below(FRACTION + 4) : 0), fraction());
        break;
    }
    case 5: {
        // Quotients around the least and greatest numbers.
        const int exponent = below(BIAS);
        a = pack(signs, exponent + (signs & 4 ? BIAS : 0), fraction());
        b = pack(signs >> 1, exponent + (signs & 4 ? 0 : BIAS) + below(8) - 3 - (signs & 8 ? below(FRACTION + 4) : 0),
                 fraction());
        break;
    }
    case 6: {
        // Subnormal numbers with others.
        a = pack(signs, 0, random_bits() >> below(64));
        b = pack(signs >> 1, signs & 4 ? below(int(EXPONENTS)) : BIAS + below(2 * FRACTION + 9), fraction());
        if (signs & 8) {
            std::swap(a, b);
        }
        break;
    }
    case 7: {
        // Numbers about the size of integers, where the other format ends, and squares.
        a = pack(signs, signs & 4 ? BIAS - 4 + below(70) : BIAS - 152 + below(30), fraction());
        b = pack(signs >> 1, BIAS + 126 + below(4), fraction());
        if (signs & 8) {
            const Float root = number(pack(0, BIAS - 20 + below(40), random_bits() << (FRACTION / 2 + 1)));
            a = bits_of(root * root) + Bits(below(3)) - 1;
        }
        break;
    }
    default: {
        a = table[size_t(below(int(table.size())))];
        b = pack(signs, below(int(EXPONENTS)), fraction());
        if (signs & 8) {
            std::swap(a, b);
        }
        break;
    }
    }
    // Integers of every length, with halfway cases of the rounding.
    uint64_t integer = random_bits() >> below(64);
    if (signs & 16) {
        integer = ((integer | 1) << below(64)) + uint64_t(below(3)) - 1;
    }
    if (signs & 32) {
        integer = -integer;
    }
    return {a, b, integer};
}

class Bench {
  public:
    // With `prints`, writes the operands and all cells' results, a line for each pair.
    explicit Bench(bool prints) : compared(CELLS.size(), 0), prints(prints) {
        cells.clk = 0;
        cells.eval();
        for (const Cell &cell : CELLS) {
            const size_t latency = cell.latency(cells);
            longest = latency > longest ? latency : longest;
        }
    }

    // Clocks the operands in, and compares what comes out.
    void push(const Operands &operands) {
        under_way.push_back({operands, std::vector<uint64_t>(prints ? CELLS.size() : 0)});
        cells.s_a = operands.a;
        cells.s_b = operands.b;
        cells.s_integer = operands.integer;
        cells.clk = 0;
        cells.eval();
        cells.clk = 1;
        cells.eval();
        for (size_t i = 0; i < CELLS.size(); i++) {
            const size_t latency = CELLS[i].latency(cells);
            if (latency <= under_way.size()) {
                compare(i, under_way[under_way.size() - latency]);
            }
        }
        if (under_way.size() == longest) {
            print(under_way.front());
            under_way.pop_front();
        }
    }

    // Clocks until the last operands are compared.
    void drain() {
        for (size_t i = 1; i < longest; i++) {
            push({0, 0, 0});
        }
    }

    bool report(std::FILE *file) const {
        for (size_t i = 0; i < CELLS.size(); i++) {
            std::fprintf(file, "%-9s latency %2u: %llu compared\n", CELLS[i].name, CELLS[i].latency(cells),
                         (unsigned long long)compared[i]);
        }
        std::fprintf(file, "%llu differ\n", (unsigned long long)failed);
        return failed == 0;
    }

  private:
    struct Row {
        Operands operands;
        std::vector<uint64_t> results;
    };

    void compare(size_t i, Row &row) {
        const uint64_t found = CELLS[i].result(cells);
        const Operands &of = row.operands;
        uint64_t expected = 0;
        if (prints) {
            row.results[i] = found;
        }
        if (!CELLS[i].expected(of, expected)) {
            return;
        }
        compared[i]++;
        if (!agrees(found, expected, CELLS[i].significand) && failed++ < 20) {
            std::fprintf(stderr, "%s(%llx, %llx, %llx) = %llx, not %llx\n", CELLS[i].name, (unsigned long long)of.a,
                         (unsigned long long)of.b, (unsigned long long)of.integer, (unsigned long long)found,
                         (unsigned long long)expected);
        }
    }

    void print(const Row &row) const {
        if (!prints) {
            return;
        }
        std::printf("%llx %llx", (unsigned long long)row.operands.a, (unsigned long long)row.operands.b);
        for (const uint64_t result : row.results) {
            std::printf(" %llx", (unsigned long long)result);
        }
        std::printf("\n");
    }

    Vfp_operators cells;
    std::deque<Row> under_way;
    std::vector<uint64_t> compared;
    size_t longest = 0;
    uint64_t failed = 0;
    bool prints;
};

int main(int argc, char **argv) {
    const bool prints = argc == 2 && std::string(argv[1]) == "table";
    if (!prints && argc != 3) {
        std::fprintf(stderr, "usage: %s COUNT SEED | table\n", argv[0]);
        return 2;
    }
    const std::vector<Bits> table = corners();
    Bench bench(prints);
    for (const Bits a : table) {
        for (const Bits b : table) {
            bench.push({a, b, uint64_t(a) ^ uint64_t(b) << 32});
        }
    }
    if (!prints) {
        state = std::strtoull(argv[2], nullptr, 10) * 2 + 1;
        const unsigned long long count = std::strtoull(argv[1], nullptr, 10);
        for (unsigned long long i = 0; i < count; i++) {
            bench.push(random_operands(table));
        }
    }
    bench.drain();
    return bench.report(prints ? stderr : stdout) ? 0 : 1;
}
