//! The memory behind a bank, or behind a buffer without banks: one `dual_port_ram`, or several where rows are shorter than
//! their bits of an address allow.

use crate::hardware::circuit::cells::port;
use crate::offload::memory::{Part, Slice, slices};
use crate::rtl::{Connection, Expr, Module, Signal, Type, assign};

/// A memory with its ports. A word that is read comes a cycle later.
pub struct Ram<'a> {
    /// The parts of its addresses.
    pub parts: &'a [Part],
    pub write_enable: Expr,
    pub write_address: Expr,
    pub write_data: Expr,
    pub read_address: Expr,
    pub read_data: &'a Signal,
    /// What tools are told of its block RAM ([`Buffer::style`](crate::offload::Buffer::style)).
    pub style: Option<&'a str>,
}

impl Ram<'_> {
    /// Adds it to a module.
    pub fn add(&self, m: &mut Module, instance: &str) {
        let slices = slices(self.parts);
        let [whole] = &slices[..] else { return self.in_slices(m, instance, &slices) };
        let addresses = [self.write_address.clone(), self.read_address.clone()];
        self.memory(m, instance, whole.words(), (self.write_enable.clone(), addresses, self.read_data.clone()));
    }

    /// A memory for every slice; which of them a word comes from is told by the address that was read.
    fn in_slices(&self, m: &mut Module, instance: &str, slices: &[Slice]) {
        let mut words: Vec<Expr> = vec![];
        let mut arrives: Vec<Signal> = vec![];
        for (n, slice) in slices.iter().enumerate() {
            let name = format!("{instance}_slice_{n}");
            let data = m.wire(&format!("{name}_data"), self.read_data.ty());
            let enable = self.write_enable.and(&self.holds(slice, &self.write_address));
            let addresses = [&self.write_address, &self.read_address].map(|address| self.within(slice, address));
            self.memory(m, &name, slice.words(), (enable, addresses, data.clone()));
            words.push(data.e());
            if n + 1 < slices.len() {
                let from = m.reg(&format!("{name}_is_read"), Type::BIT);
                m.clocked("", vec![], vec![assign(&from, &self.holds(slice, &self.read_address))]);
                arrives.push(from);
            }
        }
        let last = words.pop().expect("a memory has a slice");
        let choose = |other: Expr, (from, word): (&Signal, &Expr)| from.e().select(word, &other);
        let word = arrives.iter().zip(&words).rev().fold(last, choose);
        m.assign(self.read_data, &word);
    }

    /// Each part with its lowest bit in an address, and what of it the slice has.
    fn fields<'s>(&'s self, slice: &'s Slice) -> impl Iterator<Item = (u32, Part, Part, i64)> + 's {
        let mut low: u32 = self.parts.iter().map(|part| part.bits).sum();
        self.parts.iter().zip(slice.parts.iter().zip(&slice.firsts)).map(move |(whole, (own, first))| {
            low -= whole.bits;
            (low, *whole, *own, *first)
        })
    }

    /// Whether the word at an address lies in the slice.
    fn holds(&self, slice: &Slice, address: &Expr) -> Expr {
        let above = self.fields(slice).filter(|(_, whole, own, _)| own.bits < whole.bits);
        let is = above.map(|(low, whole, own, first)| {
            let bits = address.slice(low + whole.bits - 1, low + own.bits);
            let wanted = Expr::constant((first >> own.bits).into(), bits.ty());
            bits.eq(&wanted)
        });
        Expr::all(&is.collect::<Vec<_>>())
    }

    /// Its address there.
    fn within(&self, slice: &Slice, address: &Expr) -> Expr {
        let fields = self.fields(slice).filter(|(_, _, own, _)| own.bits > 0);
        Expr::concat(&fields.map(|(low, _, own, _)| address.slice(low + own.bits - 1, low)).collect::<Vec<_>>())
    }

    fn memory(&self, m: &mut Module, instance: &str, words: i64, ports: (Expr, [Expr; 2], Signal)) {
        let (write_enable, [write_address, read_address], read_data) = ports;
        let parameters = vec![
            ("WIDTH", self.write_data.width().into()),
            ("DEPTH", words.into()),
            ("ADDRESS_WIDTH", read_address.width().into()),
        ];
        let connections = vec![
            ("clk".into(), Connection::In(port(m, "clk"))),
            ("write_enable".into(), Connection::In(write_enable)),
            ("write_address".into(), Connection::In(write_address)),
            ("write_data".into(), Connection::In(self.write_data.clone())),
            ("read_enable".into(), Connection::In(Expr::bit(true))),
            ("read_address".into(), Connection::In(read_address)),
            ("read_data".into(), Connection::Out(read_data)),
        ];
        m.instance("dual_port_ram", instance, parameters, connections);
        // On an instance it holds for the memories right inside (UG901, RAM_STYLE).
        if let Some(style) = self.style {
            m.attribute("ram_style", style);
        }
    }
}
