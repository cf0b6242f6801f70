//! A buffer in banks that no two references of an iteration share ([`crate::offload::Partition`]).

use crate::hardware::buffers::address::address_type;
use crate::hardware::buffers::banks::picked;
use crate::hardware::buffers::ram::Ram;
use crate::offload::{Buffer, Partition, bits_below};
use crate::rtl::{Expr, Module, Type, assign};

/// A read port: address and bank of a word, which comes one cycle later, or two ([`is_read_late`]).
pub struct Port {
    /// The reference's number in the ports' names, `read_<copy>_address`, `_bank`, `_used` and `_data`.
    pub copy: usize,
    /// Whether some iterations that read the buffer do not read through this port; `read_<copy>_used` tells.
    pub optional: bool,
}

/// The bits of a bank's number.
pub fn bank_type(partition: &Partition) -> Type {
    Type::unsigned(partition.count.trailing_zeros())
}

/// Banks from which on words that come out of block RAM go into a register before they are chosen among: a read takes two cycles.
const MANY: i64 = 4;

/// Whether a read takes two cycles.
pub fn is_read_late(buffer: &Buffer) -> bool {
    buffer.partition.as_ref().is_some_and(|partition| partition.count >= MANY)
}

/// Where the residues of a buffer's address begin, the innermost at bit 0, and how wide they are.
fn residues(buffer: &Buffer) -> Vec<(u32, u32)> {
    let mut low = 0;
    let mut fields = vec![];
    let mapping = buffer.common_mapping().expect("bands agree on what is in banks");
    for modulus in mapping.moduli.iter().rev() {
        let width = bits_below(*modulus);
        fields.insert(0, (low, width));
        low += width;
    }
    fields
}

/// The bank of an address.
fn bank(buffer: &Buffer, partition: &Partition, address: &Expr) -> Expr {
    let ty = bank_type(partition);
    let used = residues(buffer).into_iter().zip(&partition.weights).filter(|((_, width), w)| **w != 0 && *width > 0);
    let parts = used.map(|((low, width), &weight)| {
        let residue = address.slice(low + width.min(ty.width) - 1, low).resize(ty);
        residue.mul(&Expr::constant(weight.into(), ty), ty)
    });
    parts.reduce(|sum, part| sum.add(&part, ty)).expect("a weight is odd")
}

/// The address inside the bank.
fn inner(buffer: &Buffer, partition: &Partition, address: &Expr) -> Expr {
    let (low, _) = residues(buffer)[partition.along];
    let top = address_type(buffer).width - 1;
    let above = low + partition.count.trailing_zeros();
    let mut parts = vec![];
    if above <= top {
        parts.push(address.slice(top, above));
    }
    if low > 0 {
        parts.push(address.slice(low - 1, 0));
    }
    if parts.is_empty() { Expr::constant(0, Type::BIT) } else { Expr::concat(&parts) }
}

/// The memory for words of `width` bits; with `drain`, a word is read in place of those of the ports: `drain_valid`,
/// `drain_address` and as late `drain_data`.
pub fn memory(name: &str, about: &str, buffer: &Buffer, width: u32, reads: &[Port], drain: bool) -> Module {
    let partition = buffer.partition.as_ref().expect("a buffer in banks");
    let (address, word, bank_type) = (address_type(buffer), Type::unsigned(width), bank_type(partition));
    let mut m = Module::new(name);
    m.describe(&format!(
        "{about}\nNo two ports of an iteration read one bank; a read takes {}.",
        if is_read_late(buffer) { "two cycles" } else { "one cycle" }
    ));
    m.input("clk", Type::BIT);
    let enable = m.input("write_enable", Type::BIT);
    let write_address = m.input("write_address", address);
    let data = m.input("write_data", word);
    let write_bank = m.define("write_bank", &bank(buffer, partition, &write_address.e()));
    struct Reader {
        bank: Expr,
        used: Expr,
        inner: Expr,
        arriving: Expr,
    }
    let mut readers = vec![];
    let mut arrive = vec![];
    for read in reads {
        let input = |m: &mut Module, what: &str, ty: Type| m.input(&format!("read_{}_{what}", read.copy), ty);
        let at = input(&mut m, "address", address);
        let bank = input(&mut m, "bank", bank_type);
        let used = if read.optional { input(&mut m, "used", Type::BIT).e() } else { Expr::bit(true) };
        let arriving = m.reg(&format!("read_{}_arrives_from", read.copy), bank_type);
        arrive.push(assign(&arriving, &bank.e()));
        let inner = inner(buffer, partition, &at.e());
        readers.push(Reader { bank: bank.e(), used, inner, arriving: arriving.e() });
    }
    let drained = drain.then(|| {
        let valid = m.input("drain_valid", Type::BIT);
        let at = m.input("drain_address", address);
        let arriving = m.reg("drain_arrives_from", bank_type);
        arrive.push(assign(&arriving, &bank(buffer, partition, &at.e())));
        (valid.e(), inner(buffer, partition, &at.e()), arriving.e())
    });
    // Beside the words.
    let mut in_time = |m: &mut Module, name: String, value: Expr| {
        if !is_read_late(buffer) {
            return value;
        }
        let register = m.reg(&name, value.ty());
        arrive.push(assign(&register, &value));
        register.e()
    };
    for (reader, read) in readers.iter_mut().zip(reads) {
        reader.arriving = in_time(&mut m, format!("read_{}_comes_from", read.copy), reader.arriving.clone());
    }
    let drained = drained.map(|(valid, inner, from)| (valid, inner, in_time(&mut m, "drain_comes_from".into(), from)));

    let parts = buffer.parts_in_bank();
    let mut words = vec![];
    for b in 0..partition.count {
        let is = |bank: &Expr| bank.eq(&Expr::constant(b.into(), bank_type));
        let mut at: Option<Expr> = None;
        for reader in &readers {
            let here = reader.used.and(&is(&reader.bank));
            let own = here.replicate(reader.inner.width()).and(&reader.inner);
            at = Some(at.map_or(own.clone(), |others| others.or(&own)));
        }
        let mut at = at.expect("a partition serves references");
        if let Some((valid, inner, _)) = &drained {
            at = valid.select(inner, &at);
        }
        let read = m.wire(&format!("bank_{b}_data"), word);
        let ram = Ram {
            parts: &parts,
            write_enable: enable.e().and(&is(&write_bank.e())),
            write_address: inner(buffer, partition, &write_address.e()),
            write_data: data.e(),
            read_address: at,
            read_data: &read,
            style: buffer.style(0),
        };
        ram.add(&mut m, &format!("u_bank_{b}"));
        words.push(in_time(&mut m, format!("bank_{b}_word"), read.e()));
    }
    m.clocked("", vec![], arrive);
    for (read, reader) in reads.iter().zip(&readers) {
        let output = m.output(&format!("read_{}_data", read.copy), word);
        m.assign(&output, &picked(&words, &reader.arriving));
    }
    if let Some((.., arriving)) = &drained {
        let output = m.output("drain_data", word);
        m.assign(&output, &picked(&words, arriving));
    }
    m
}
