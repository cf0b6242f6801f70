//! Names that every tool accepts and that are distinct within a module.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

/// Verilog-2001, SystemVerilog-2012, and what Verilator's C++ could not be called: keywords, common types, macros.
const RESERVED: &str = "
    always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam
    design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify
    endtable endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include
    initial inout input instance integer join large liblist library localparam macromodule medium module nand
    negedge nmos nor noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1
    pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran
    rtranif0 rtranif1 scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table
    task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand weak0
    weak1 while wire wor xnor xor

    accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte chandle
    checker class clocking const constraint context continue cover covergroup coverpoint cross dist do endchecker
    endclass endclocking endgroup endinterface endpackage endprogram endproperty endsequence enum eventually expect
    export extends extern final first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies
    import inside int interconnect interface intersect join_any join_none let local logic longint matches modport
    nettype new nexttime null package packed priority program property protected pure rand randc randcase
    randsequence ref reject_on restrict return s_always s_eventually s_nexttime s_until s_until_with sequence
    shortint shortreal soft solve static string strong struct super sync_accept_on sync_reject_on tagged this
    throughout timeprecision timeunit type typedef union unique unique0 until until_with untyped var virtual void
    wait_order weak wildcard with within

    abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bit_vector bitand bitor bool
    catch cdecl char char16_t char32_t char8_t co_await co_return co_yield compl complex concept const_cast
    const_iterator const_reference consteval constexpr constinit decltype delete deque double dynamic_cast EOF errno
    explicit false far float friend goto huge INFINITY inline int16_t int32_t int64_t int8_t interrupt iterator
    linux list long major map minor multimap multiset mutable namespace NAN near noexcept not_eq NULL nullptr
    operator or_eq override pascal private public queue reference register reinterpret_cast requires sc_clock sc_in
    sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos set short size_t sizeof stack static_assert
    static_cast stderr stdin stdout switch synchronized template thread_local throw transaction_safe
    transaction_safe_dynamic true try type_info typeid typename uint16_t uint32_t uint64_t uint8_t unix using vector
    volatile wchar_t xor_eq
";

/// Whether a tool keeps the word to itself.
pub fn is_reserved(name: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| reserved_words().collect());
    WORDS.contains(name)
}

pub(super) fn reserved_words() -> impl Iterator<Item = &'static str> {
    RESERVED.split_whitespace()
}

/// `name` as an identifier: other characters than letters, digits and `_` become `_`, a digit in front gets a `_`
/// before it, and a reserved word one behind it.
pub fn legal(name: &str) -> String {
    let mut legal: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if legal.is_empty() || legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert(0, '_');
    }
    if is_reserved(&legal) {
        legal.push('_');
    }
    legal
}

/// The names of one module.
#[derive(Clone, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// Taken by `reserve` and not yet claimed.
    reserved: BTreeSet<String>,
    /// The first number behind a name that may be free.
    next: BTreeMap<String, usize>,
}

impl Names {
    /// A name for a new thing: `base` made legal, with a number behind it where it is taken.
    pub fn unique(&mut self, base: &str) -> String {
        if self.reserved.remove(base) {
            return base.to_string();
        }
        let mut name = legal(base);
        if self.taken.insert(name.clone()) {
            return name;
        }
        let separator = if name.ends_with('_') { "" } else { "_" };
        let number = self.next.entry(name.clone()).or_insert(2);
        let base = name;
        loop {
            name = format!("{base}{separator}{number}");
            *number += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// As `unique`, but the next call of `unique` with the result gives the result.
    pub fn reserve(&mut self, base: &str) -> String {
        let name = self.unique(base);
        self.reserved.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_legal_and_distinct() {
        assert_eq!(["a b", "2x", "", "reg", "map", "x$y"].map(legal), ["a_b", "_2x", "_", "reg_", "map_", "x_y"]);
        let mut names = Names::default();
        let made = ["x", "x", "x", "reg", "reg", "reg_", "x_2"].map(|name| names.unique(name));
        assert_eq!(made, ["x", "x_2", "x_3", "reg_", "reg_2", "reg_3", "x_2_2"]);
    }

    #[test]
    fn reserved_names_are_claimed_once() {
        let mut names = Names::default();
        assert_eq!(names.reserve("x"), "x");
        assert_eq!(names.unique("x"), "x");
        assert_eq!(names.unique("x"), "x_2");
        let fresh = names.reserve("x");
        assert_eq!((fresh.as_str(), names.reserve("x").as_str()), ("x_3", "x_4"));
        assert_eq!(names.unique("x_3"), "x_3");
    }
}
