//! The memories of a buffer and who is joined to them: copies of one RAM, banks for lanes, or banks that no two
//! references of an iteration share.

use crate::hardware::buffers::address::address_type;
use crate::hardware::buffers::banks::{self, Drained, Fields, Rotations};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::buffers::partition;
use crate::hardware::buffers::ram::Ram;
use crate::hardware::circuit::cells::port;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::interface::names;
use crate::ids::ArrayId;
use crate::offload::Buffer;
use crate::rtl::{Connection, Expr, Module, Signal, Type};

/// Beats from memory, or lines of several: the load process waits while the compute process writes.
pub struct Fill {
    pub array: ArrayId,
    pub stream: Stream,
    pub address: Signal,
    pub beat: Beat,
    /// At least as wide as the beat.
    pub data: Signal,
    /// A bit for each element of the beat with the most of them, where that has several.
    pub elements: Option<Signal>,
    /// The beat wants a gap in the writes of the compute process, see [`crate::hardware::transfer::load::LoadPorts`].
    pub asks: Option<Signal>,
}

/// Words that the compute process writes.
pub struct Write {
    pub array: ArrayId,
    pub valid: Signal,
    pub address: Signal,
    pub data: Signal,
    /// In banks: how a group is turned, and a bit for each of its words.
    pub group: Option<(Rotations, Signal)>,
    /// In skewed storage, along which subscript, where that differs.
    pub along: Option<Signal>,
}

/// A read port of the compute process.
pub struct Read {
    pub array: ArrayId,
    pub copy: usize,
    pub address: Signal,
    pub data: Signal,
    /// In banks for lanes.
    pub rotation: Option<Rotations>,
    /// In skewed storage, along which subscript, where that differs.
    pub along: Option<Signal>,
    /// Of a partitioned buffer.
    pub bank: Option<Signal>,
    pub used: Option<Signal>,
}

/// Beats that the store process reads.
pub struct Drain {
    pub array: ArrayId,
    pub drained: Drained,
    pub valid: Signal,
    /// Goes ahead of `valid`, where iterations use the port late.
    pub asks: Option<Signal>,
    pub address: Signal,
    pub data: Signal,
}

/// All that is joined to the buffer of one array.
pub struct Users<'a> {
    pub fill: Option<&'a Fill>,
    pub write: Option<&'a Write>,
    pub reads: Vec<&'a Read>,
    pub drain: Option<&'a Drain>,
}

/// Adds the memories of `buffer` to the accelerator, those of this unit; gives the modules that they are made of, described by `text`.
pub fn memories(
    m: &mut Module,
    context: &Context,
    (buffer, unit): (&Buffer, i64),
    users: &Users,
    text: String,
) -> Vec<Module> {
    let array = context.array(buffer.array);
    let memories = Memories {
        buffer,
        users,
        module: format!("{}_buffer_{}", context.kernel.name, array.name),
        name: format!("{}buffer_{}", names::of_unit(buffer.units, unit), array.name),
        before: unit as usize * buffer.memories_of_unit(),
        text,
        word: Type::unsigned(array.word_bits()),
    };
    match Fields::of(buffer) {
        Some(fields) => memories.in_lanes(m, &fields),
        None => memories.single_words(m),
    }
}

/// Ports of an instance with what they are joined to.
pub type Ports = Vec<(String, Connection)>;

/// The write port of the memories of a buffer that takes a word per cycle.
struct Written {
    enable: Expr,
    address: Expr,
    data: Expr,
}

struct Memories<'a> {
    buffer: &'a Buffer,
    users: &'a Users<'a>,
    /// The name that those of modules begin with.
    module: String,
    /// What the names of its signals and instances have in them.
    name: String,
    /// Memories of other units before these.
    before: usize,
    text: String,
    word: Type,
}

impl Memories<'_> {
    /// Copies of a buffer whose banks give a group of words to the lanes.
    fn in_lanes(&self, m: &mut Module, fields: &Fields) -> Vec<Module> {
        let Users { fill, write, reads, drain } = self.users;
        if let Some(fill) = fill {
            let taken = write.map_or(Expr::bit(false), |write| write.valid.e());
            m.assign(&fill.stream.ready, &taken.not());
        }
        let drained_copy = self.drained_copy();
        let mut modules = vec![];
        for copy in self.copies() {
            let drain = drain.filter(|_| copy == drained_copy);
            let read = reads.iter().find(|read| read.copy == copy);
            let shape = banks::Ports {
                write: write.and_then(|write| write.group.as_ref()).map(|(rotation, _)| rotation.clone()),
                fill: fill.map(|fill| fill.beat),
                read: read.and_then(|read| read.rotation.clone()),
                drain: drain.map(|drain| drain.drained),
                style: self.buffer.style(self.before + copy),
            };
            let module = format!("{}_{copy}", self.module);
            modules.push(banks::memory(&module, &self.text, self.buffer, fields, self.word.width, &shape));
            let mut ports = vec![("clk".into(), Connection::In(port(m, "clk")))];
            if let Some(Write { valid, address, data, group: Some((_, words)), along, .. }) = write {
                for (port, signal) in [("valid", valid), ("words", words), ("address", address), ("data", data)] {
                    ports.push((format!("write_{port}"), Connection::In(signal.e())));
                }
                ports.extend(along.iter().map(|along| ("write_along".into(), Connection::In(along.e()))));
            }
            if let Some(fill) = fill {
                ports.push(("fill_valid".into(), Connection::In(fill.stream.valid.e())));
                ports.push(("fill_address".into(), Connection::In(fill.address.e())));
                let bits = Type::unsigned(fill.beat.elements());
                let elements = fill.elements.as_ref().filter(|_| bits.width > 1);
                ports.extend(elements.map(|e| ("fill_elements".into(), Connection::In(e.e().resize(bits)))));
                let data = fill.data.e().resize(fill.beat.data(self.word.width));
                ports.push(("fill_data".into(), Connection::In(data)));
            }
            if let Some(read) = read {
                ports.push(("read_address".into(), Connection::In(read.address.e())));
                ports.extend(read.along.iter().map(|along| ("read_along".into(), Connection::In(along.e()))));
                ports.push(("read_data".into(), Connection::Out(read.data.clone())));
            }
            ports.extend(drain.into_iter().flat_map(drain_ports));
            m.instance(&module, &format!("u_{}_{copy}", self.name), vec![], ports);
        }
        modules
    }

    /// The store process reads what the first reference does, or a copy of its own behind those of the references.
    fn drained_copy(&self) -> usize {
        if self.users.drain.is_some() && self.buffer.store_copy { self.users.reads.len() } else { 0 }
    }

    /// One for each reference, and the store process's own behind them.
    fn copies(&self) -> std::ops::Range<usize> {
        0..(self.users.reads.len() + usize::from(self.drained_copy() > 0)).max(1)
    }

    /// A buffer that takes a word per cycle, in as many memories as have to read.
    fn single_words(&self, m: &mut Module) -> Vec<Module> {
        let Users { reads, drain, .. } = self.users;
        let written = self.written(m);
        let drained_copy = self.drained_copy();
        let mut copies = self.copies();
        let mut modules = vec![];
        if self.buffer.partition.is_some() {
            modules.push(self.partitioned(m, &written, drain.filter(|_| drained_copy == 0)));
            copies.start = reads.len();
        }
        for copy in copies {
            let read = reads.iter().copied().find(|read| read.copy == copy);
            self.copy(m, &written, copy, (read, drain.filter(|_| copy == drained_copy)));
        }
        modules
    }

    /// How a word comes in; the compute process goes first.
    fn written(&self, m: &mut Module) -> Written {
        let (address_type, word) = (address_type(self.buffer), self.word);
        let (enable, address, data) = match (self.users.fill, self.users.write) {
            (Some(fill), Some(Write { valid, address, data, .. })) => {
                m.assign(&fill.stream.ready, &valid.e().not());
                let data = valid.e().select(&data.e(), &fill.data.e().resize(word));
                let address = valid.e().select(&address.e(), &fill.address.e());
                (valid.e().or(&fill.stream.valid.e()), address, data)
            }
            (Some(fill), None) => {
                m.assign(&fill.stream.ready, &Expr::bit(true));
                (fill.stream.valid.e(), fill.address.e(), fill.data.e().resize(word))
            }
            (None, Some(Write { valid, address, data, .. })) => (valid.e(), address.e(), data.e()),
            (None, None) => (Expr::bit(false), Expr::constant(0, address_type), Expr::constant(0, word)),
        };
        Written { enable, address, data }
    }

    /// The banks that serve all references.
    fn partitioned(&self, m: &mut Module, written: &Written, drain: Option<&Drain>) -> Module {
        let of = |r: &&Read| partition::Port { copy: r.copy, optional: r.used.is_some() };
        let shape: Vec<partition::Port> = self.users.reads.iter().map(of).collect();
        let module = partition::memory(&self.module, &self.text, self.buffer, self.word.width, &shape, drain.is_some());
        let mut ports: Ports = vec![
            ("clk".into(), Connection::In(port(m, "clk"))),
            ("write_enable".into(), Connection::In(written.enable.clone())),
            ("write_address".into(), Connection::In(written.address.clone())),
            ("write_data".into(), Connection::In(written.data.clone())),
        ];
        for read in &self.users.reads {
            let mut reads = |what: &str, connection| ports.push((format!("read_{}_{what}", read.copy), connection));
            reads("address", Connection::In(read.address.e()));
            read.bank.iter().for_each(|bank| reads("bank", Connection::In(bank.e())));
            read.used.iter().for_each(|used| reads("used", Connection::In(used.e())));
            let word = m.wire(&format!("{}_{}_data", self.name, read.copy), self.word);
            m.assign(&read.data, &word.e().resize(read.data.ty()));
            reads("data", Connection::Out(word));
        }
        ports.extend(drain.into_iter().flat_map(drain_ports));
        m.instance(&self.module, &format!("u_{}", self.name), vec![], ports);
        module
    }

    /// An address in memories that have the cells of one unit: without what tells the unit.
    fn of_unit(&self, address: &Expr) -> Expr {
        let Some((low, bits)) = self.buffer.owned().and_then(|_| self.buffer.unit_bits()) else {
            return address.clone();
        };
        let mut parts = vec![];
        if low + bits < address.width() {
            parts.push(address.slice(address.width() - 1, low + bits));
        }
        if low > 0 {
            parts.push(address.slice(low - 1, 0));
        }
        if parts.is_empty() { Expr::constant(0, Type::BIT) } else { Expr::concat(&parts) }
    }

    /// A memory that holds the whole buffer, for a reference, the store process or both.
    fn copy(&self, m: &mut Module, written: &Written, copy: usize, (read, drain): (Option<&Read>, Option<&Drain>)) {
        let address_type = address_type(self.buffer);
        let read_address = match (read, drain) {
            (Some(read), Some(drain)) => drain.valid.e().select(&drain.address.e(), &read.address.e()),
            (Some(read), None) => read.address.e(),
            (None, Some(drain)) => drain.address.e(),
            (None, None) => Expr::constant(0, address_type),
        };
        let word = m.wire(&format!("{}_{copy}_data", self.name), self.word);
        for target in read.iter().map(|r| &r.data).chain(drain.iter().map(|d| &d.data)) {
            m.assign(target, &word.e().resize(target.ty()));
        }
        let ram = Ram {
            parts: &self.buffer.parts(),
            write_enable: written.enable.clone(),
            write_address: self.of_unit(&written.address),
            write_data: written.data.clone(),
            read_address: self.of_unit(&read_address),
            read_data: &word,
            style: self.buffer.style(self.before + copy),
        };
        ram.add(m, &format!("u_{}_{copy}", self.name));
    }
}

fn drain_ports(drain: &Drain) -> Ports {
    vec![
        ("drain_valid".into(), Connection::In(drain.valid.e())),
        ("drain_address".into(), Connection::In(drain.address.e())),
        ("drain_data".into(), Connection::Out(drain.data.clone())),
    ]
}
