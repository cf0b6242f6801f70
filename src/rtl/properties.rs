//! Properties of a module's handshakes, printed under `ifdef FORMAL` at its end, as in the library's cells.
//!
//! A stream's word that waits stays as it is: asserted of those out of the module, assumed of those into it. So a module that
//! holds the assumptions of the ones that it instantiates keeps their rules.

use super::module::{Kind, Module, Signal};
use super::names::Names;
use super::print::LINE_LIMIT;
use super::text::layout;

/// What a module states about its signals, beside its streams.
#[derive(Clone)]
pub(super) enum Rule {
    /// A register that goes up and down by one never goes round. Where what counts it up or down is from outside, that is assumed of
    /// it.
    Counts { register: Signal, up_from_outside: bool, down_from_outside: bool },
    /// There are never more pulses of `second` than of `first`, and as long as there are as many, `held` is low.
    Follows { first: Signal, second: Signal, held: Signal },
}

impl Rule {
    /// The rule with what has become of its signals, if all are left as they are.
    pub fn map(&self, of: impl Fn(&Signal) -> Option<Signal>) -> Option<Rule> {
        let same = |signal: &Signal| of(signal).filter(|new| new.width() == signal.width());
        Some(match self {
            &Rule::Counts { ref register, up_from_outside, down_from_outside } => {
                Rule::Counts { register: same(register)?, up_from_outside, down_from_outside }
            }
            Rule::Follows { first, second, held } => {
                Rule::Follows { first: same(first)?, second: same(second)?, held: same(held)? }
            }
        })
    }
}

/// A ready/valid stream at the module's border, whose names begin alike.
struct Stream<'m> {
    /// `s_<group>` or `m_<group>`.
    name: &'m str,
    is_output: bool,
    payload: Vec<&'m Signal>,
}

fn streams(module: &Module) -> Vec<Stream<'_>> {
    let is_ready_of = |port: &Signal, name: &str| port.name().strip_prefix(name) == Some("_ready");
    let begun = module.ports().filter_map(|port| {
        let name = port.name().strip_suffix("_valid")?;
        let ready = module.ports().find(|other| is_ready_of(other, name))?;
        let is_output = port.kind().is_output();
        (ready.kind().is_output() != is_output).then_some(Stream { name, is_output, payload: vec![] })
    });
    let mut streams: Vec<Stream> = begun.collect();
    let handshakes: Vec<String> =
        streams.iter().flat_map(|s| ["valid", "ready"].map(|end| format!("{}_{end}", s.name))).collect();
    for port in module.ports().filter(|port| handshakes.iter().all(|name| name != port.name())) {
        // `s_a_b_data` is the stream `s_a_b`'s, if there is one, not `s_a`'s.
        let is_of = |stream: &&mut Stream| {
            let rest = port.name().strip_prefix(stream.name).and_then(|rest| rest.strip_prefix('_'));
            rest.is_some() && port.kind().is_output() == stream.is_output
        };
        if let Some(stream) = streams.iter_mut().filter(is_of).max_by_key(|stream| stream.name.len()) {
            stream.payload.push(port);
        }
    }
    // Data that several streams have in common: `m_fill_data` of `m_fill_a` and `m_fill_b`.
    for port in module.ports() {
        let Some(name) = port.name().strip_suffix("_data") else { continue };
        if streams.iter().all(|stream| stream.name != name) {
            let shares = |stream: &&mut Stream| {
                stream.is_output == port.kind().is_output()
                    && stream.name.strip_prefix(name).is_some_and(|n| n.starts_with('_'))
            };
            streams.iter_mut().filter(shares).for_each(|stream| stream.payload.push(port));
        }
    }
    streams
}

/// The lines of the tail; none where nothing is to be said.
pub(super) fn tail(module: &Module, names: &mut Names) -> Vec<String> {
    let is_input = |name: &str| module.port(name).is_some_and(|port| port.kind() == Kind::Input);
    let streams = streams(module);
    if !is_input("clk") || !is_input("rst") || (streams.is_empty() && module.rules.is_empty()) {
        return vec![];
    }
    let mut tail = Tail { names, declared: vec![], clocked: vec![], assumed: vec![], checked: vec![] };
    let started = tail.names.unique("started_reg");
    streams.iter().for_each(|stream| tail.stream(stream));
    for rule in &module.rules {
        match rule {
            &Rule::Counts { ref register, up_from_outside, down_from_outside } => {
                tail.counts(register, up_from_outside, down_from_outside);
            }
            Rule::Follows { first, second, held } => tail.follows(first, second, held),
        }
    }
    let Tail { declared, clocked, assumed, checked, .. } = tail;
    let mut lines = vec![
        String::new(),
        "`ifdef FORMAL".to_string(),
        "    // A word that waits stays as it is; counters of tiles do not go round; stores follow what they store."
            .into(),
        format!("    reg {started} = 1'b0;"),
    ];
    let indented = |margin: usize, block: Vec<String>| block.into_iter().map(move |l| " ".repeat(margin) + &l);
    lines.extend(declared);
    lines.extend(["".to_string(), "    always @(posedge clk) begin".into(), format!("        {started} <= 1'b1;")]);
    lines.extend(indented(8, clocked));
    lines.extend(["    end".to_string(), "".into(), "    always @* begin".into()]);
    lines.push(format!("        assume (rst == !{started});"));
    lines.push(format!("        if ({started} && !rst) begin"));
    lines.extend(indented(12, assumed));
    lines.extend(indented(12, checked));
    lines.extend(["        end", "    end", "`endif"].map(str::to_string));
    lines
}

struct Tail<'n> {
    names: &'n mut Names,
    declared: Vec<String>,
    clocked: Vec<String>,
    assumed: Vec<String>,
    checked: Vec<String>,
}

impl Tail<'_> {
    /// A register that takes a value at every edge.
    fn register(&mut self, name: &str, width: u32, next: &str) -> String {
        let name = self.names.unique(name);
        self.declared.push(format!("    reg {}{name};", range(width)));
        self.clocked.push(format!("{name} <= {next};"));
        name
    }

    fn stream(&mut self, stream: &Stream) {
        let name = stream.name;
        let waits = self.register(&format!("{name}_waits"), 1, &format!("!rst && {name}_valid && !{name}_ready"));
        let mut kept = vec![format!("{name}_valid")];
        let width = stream.payload.iter().map(|port| port.width()).sum();
        let word = match stream.payload[..] {
            [] => None,
            [port] => Some(port.name().to_string()),
            _ => {
                let word = self.names.unique(&format!("{name}_word"));
                let fields: Vec<&str> = stream.payload.iter().map(|port| port.name()).collect();
                let fields = fields.join(&format!(",{}", super::text::soft(0)));
                self.declared.extend(layout(&format!("wire {}{word} = {{{fields}}};", range(width)), 4, LINE_LIMIT));
                Some(word)
            }
        };
        if let Some(word) = word {
            let before = self.register(&format!("{word}_before"), width, &word);
            kept.push(format!("{word} == {before}"));
        }
        for condition in kept {
            if stream.is_output {
                self.checked.push(format!("assert (!{waits} || {condition});"));
            } else {
                self.assumed.push(format!("assume (!{waits} || {condition});"));
            }
        }
        if stream.is_output {
            self.checked.push(format!("cover ({waits} && {name}_ready);"));
        }
    }

    /// Of a register of one bit, up and down look alike.
    fn counts(&mut self, register: &Signal, up_from_outside: bool, down_from_outside: bool) {
        if register.width() == 1 {
            return;
        }
        let (name, width) = (register.name(), register.width());
        let before = self.register(&format!("{name}_before"), width, &format!("rst ? {width}'d0 : {name}"));
        let ways = [
            (down_from_outside, format!("{before} != 0 || !(&{name})")),
            (up_from_outside, format!("!(&{before}) || {name} != 0")),
        ];
        for (is_from_outside, condition) in ways {
            match is_from_outside {
                true => self.assumed.push(format!("assume ({condition});")),
                false => self.checked.push(format!("assert ({condition});")),
            }
        }
        self.checked.push(format!("cover ({name} < {before});"));
    }

    fn follows(&mut self, first: &Signal, second: &Signal, held: &Signal) {
        let name = self.names.unique(&format!("{}_alone", first.name()));
        let (first, second, held) = (first.name(), second.name(), held.name());
        self.declared.push(format!("    reg {}{name};", range(4)));
        self.clocked.push(format!("{name} <= rst ? 4'd0 : {name} + {{3'd0, {first}}} - {{3'd0, {second}}};"));
        self.checked.push(format!("assert (!{second} || {name} != 0);"));
        self.checked.push(format!("assert (!{held} || {name} != 0);"));
        self.checked.push(format!("cover ({second});"));
    }
}

fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}
