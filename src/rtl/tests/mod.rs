//! The oracle is the tools: what the printer writes, they must take without a warning and compute as documented.

mod golden;
mod simulators;
mod tools;
mod trim;
mod verifier;

/// What registers get, of bits of them side by side; not where something is computed behind them, where a condition holds them, or a
/// reset has them.
#[test]
fn next_values_are_those_of_registers_that_always_move() {
    use crate::rtl::*;

    let mut m = Module::new("next_values");
    for name in ["clk", "rst"] {
        m.input(name, Type::BIT);
    }
    let (a, b) = (m.input("a", Type::unsigned(4)), m.input("b", Type::unsigned(4)));
    let [moves, held, cleared] = ["moves", "held", "cleared"].map(|name| m.reg(name, Type::unsigned(4)));
    let sum = a.e().add(&b.e(), Type::unsigned(4));
    let kept = when(a.e().is_zero(), vec![assign(&held, &sum)]);
    m.clocked("", vec![(cleared.clone(), 0)], vec![assign(&moves, &sum), kept, assign(&cleared, &sum)]);
    assert_eq!(m.next_value(&moves.e()), Some(sum.clone()));
    let wired = Expr::concat(&[moves.e().slice(1, 0), Expr::constant(2, Type::unsigned(2))]);
    let next = Expr::concat(&[sum.slice(1, 0), Expr::constant(2, Type::unsigned(2))]);
    assert_eq!(m.next_value(&wired), Some(next));
    for other in [held.e(), cleared.e(), a.e(), moves.e().is_zero(), Expr::concat(&[moves.e(), held.e()])] {
        assert_eq!(m.next_value(&other), None, "{other:?}");
    }
}
