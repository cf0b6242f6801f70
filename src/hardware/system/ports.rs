//! What the ports of generated modules are for: the words beside them in the Verilog. Ports are called alike in all
//! modules, so what a name means is said once, here.

use crate::hardware::context::Context;
use crate::hardware::tile::bounds::TileBound;
use crate::rtl::{Module, Signal, legal};

/// Says beside every port of a module what it is for. Signals of buses that have a standard are left to that.
pub fn explain(context: &Context, module: &mut Module) {
    let role = module.name().strip_prefix(&context.kernel.name).unwrap_or_default().trim_start_matches('_').to_string();
    let ports: Vec<Signal> = module.ports().cloned().collect();
    for port in ports {
        if let Some(text) = text(context, &role, port.name()) {
            module.remark(&port, &text);
        }
    }
}

/// Whether the port is a bus's own, whose standard says what it is.
fn is_of_a_standard(port: &str) -> bool {
    ["s_axil_", "m_axi_", "avs_", "avm_"].iter().any(|prefix| without_port(port).starts_with(prefix))
}

/// The name that it has of the first memory port: `m_load_valid` of `m_load1_valid`, `load_rows` of `load1_rows`.
fn without_port(name: &str) -> String {
    const NUMBERED: [&str; 8] = ["load", "store", "m_load", "m_store", "m_write", "m_axi", "s_read", "s_written"];
    let numbered = NUMBERED.iter().find_map(|group| {
        let rest = name.strip_prefix(group)?;
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (behind.is_empty() || behind.starts_with('_')).then(|| format!("{group}{behind}"))
    });
    numbered.unwrap_or_else(|| name.to_string())
}

fn text(context: &Context, role: &str, port: &str) -> Option<String> {
    if is_of_a_standard(port) {
        return None;
    }
    let (role, port) = (&*without_port(role), &*without_port(port));
    let plain = |text: &str| Some(text.to_string());
    if role.starts_with("buffer_") {
        return of_buffer(context, port);
    }
    if role.starts_with("table_") {
        return plain(match port {
            "clk" => "clock",
            "s_index" => "a place",
            _ => "its value, two cycles later",
        });
    }
    if let Some(text) = of_kernel(context, port).or_else(|| of_array(context, port)) {
        return Some(text);
    }
    let on_a_bus = context.bus.is_some();
    let tile = match (role, port.starts_with("s_")) {
        ("tiles", _) | ("load", true) => "a tile to load",
        ("load", false) | ("compute", true) if on_a_bus => "a tile that is being loaded",
        ("load", false) | ("compute", true) => "a tile that is in the buffers",
        ("compute", false) | ("store", true) if on_a_bus => "a tile that is being computed",
        ("compute", false) | ("store", true) => "a tile that is computed",
        ("tile_rows" | "direct_rows", _) => "the walk begins",
        _ => "a tile to walk",
    };
    let burst = match role {
        "load" => "a burst to read",
        "store" => "a burst to write",
        _ => "a burst",
    };
    plain(match port {
        "clk" => "clock",
        "rst" => "synchronous reset",
        "start" => "pulse: a run begins",
        "done" => "high from the end of a run to the next start",
        "memory_idle" => "no command is queued or under way, all data are in memory",
        "memory_ready" => "memory is initialised",
        "s_counter_index" => "a counter to look at",
        "m_counter" | "counter" => "its value",
        "clear" => "pulse: the errors of the bus are forgotten",
        "status" => "errors of the bus",
        "irq" => "interrupt: a run has ended or was refused",
        "s_start_valid" => "the tiles of a run are asked for",
        "s_start_ready" => "they are under way",
        "s_tile_valid" | "m_tile_valid" => tile,
        "s_tile_ready" | "m_tile_ready" => "it is taken",
        "s_tile_data" | "m_tile_data" => "its indices, bounds and, in bit 0, whether it is the end mark",
        "s_tile_first" | "m_tile_first" => "it is the first of its strip",
        "s_tile_band" => "its band",
        "s_tile_end" => "it is the mark behind the last tile",
        "s_computed" | "m_computed" => "pulse: a tile is computed",
        "s_stored" | "m_stored" => "pulse: a tile has left the buffers",
        "s_loaded" | "m_loaded" => "pulse: a tile is in the buffers",
        "m_flush" => "no more words of the tile come",
        "s_in_memory" => "pulse: what a tile stores is in memory",
        "m_finished" => "pulse: the last tile has left the buffers",
        "m_row_valid" => "a row, or the end mark of the tile",
        "m_row_ready" => "it is taken",
        "m_row_end" => "it is the end mark",
        "m_row_kind" => "which array or statement it is of",
        "m_row_first" => "innermost index of its first element",
        "m_row_last" => "innermost index of its last element",
        "m_row_follows" => "it lies one extent behind the row before",
        "m_row_more" => "so many rows follow on it, all alike",
        "m_cmd_valid" | "m_load_valid" | "m_store_valid" => match port {
            "m_load_valid" => "a burst to read",
            "m_store_valid" => "a burst to write",
            _ => burst,
        },
        "m_cmd_ready" | "m_load_ready" | "m_store_ready" => "it is taken",
        "m_cmd_address" | "m_load_address" | "m_store_address" => "its first word",
        "m_cmd_length" | "m_load_length" | "m_store_length" => "its words",
        "m_cmd_write" => "it is to be written",
        "m_cmd_last" => "no other one of its tile follows",
        "s_written" => "pulse: a burst that was written is in memory",
        "m_write_valid" => "a word to memory",
        "m_write_ready" | "s_read_ready" => "it is taken",
        "m_write_data" | "s_read_data" | "m_fill_data" => "its bits",
        "m_fill_elements" => "which elements of the beat are the row's",
        "m_write_strobe" => "the bytes of it that are written",
        "s_read_valid" => "a word from memory",
        "s_reg_write" => "a register is written",
        "s_reg_address" => "which register, in words",
        "s_reg_data" => "what it takes",
        "m_reg_data" => "what it has, in the next cycle",
        "busy" => match role {
            "compute" => "an iteration starts",
            "load" => "rows or words are on their way",
            _ => "words are on their way",
        },
        "stall" => "an iteration waits",
        _ => return of_pins(port).or_else(|| of_index(port)),
    })
}

/// Indices and bounds of tiles and rows.
fn of_index(port: &str) -> Option<String> {
    if let Some(index) = port.strip_prefix("s_tile_") {
        return Some(format!("index {index} of the tile"));
    }
    let index = port.strip_prefix("m_row_")?;
    Some(match index.strip_prefix("origin").is_some_and(|number| number.parse::<u32>().is_ok()) {
        true => "what an index of it takes from the tile".to_string(),
        false => format!("its index {index}"),
    })
}

/// Sizes, scalars and bounds, which have names of the kernel.
fn of_kernel(context: &Context, port: &str) -> Option<String> {
    if let Some(argument) = port.strip_prefix("arg_") {
        let named = |name: &str| legal(&format!("arg_{name}")) == port;
        let units = context.offload.first_units();
        if let Some(units) = units.filter(|units| named(&units.name)) {
            return Some(format!("number of the unit: 0 to {}", units.count - 1));
        }
        let size = context.kernel.parameters.iter().find(|p| named(&p.name));
        let size = size.map(|p| format!("size {argument}: {} to {}", p.min, p.max.unwrap_or(p.min)));
        return Some(size.unwrap_or_else(|| format!("argument {argument}")));
    }
    let is = |bound: &&TileBound| format!("s_tile_{}", bound.port()) == port;
    context.tile_bounds.iter().find(is).map(TileBound::text)
}

/// Ports that are there once per array.
fn of_array(context: &Context, port: &str) -> Option<String> {
    let elements = if context.beats.whole { "elements" } else { "an element" };
    context.kernel.arrays.iter().find_map(|array| {
        let name = &array.name;
        if port == legal(&format!("base_{name}")) {
            return Some(format!("where {name} begins in memory"));
        }
        let rest = |prefix: &str| port.strip_prefix(prefix)?.strip_prefix(name.as_str())?.strip_prefix('_');
        let lent = |prefix: &str| port.strip_prefix(prefix) == Some(name.as_str());
        if lent("s_fill_") {
            return Some(format!("the load process has the write port of {name}'s buffer"));
        }
        if lent("s_drain_") {
            return Some(format!("the store process has the read port of {name}'s buffer"));
        }
        if lent("s_filled_") {
            return Some(format!("no word waits for the write port of {name}'s buffer"));
        }
        if lent("m_takes_") || lent("s_takes_") {
            return Some(format!("an iteration begins that takes a cycle of the write port of {name}'s buffer"));
        }
        if lent("m_asks_") {
            return Some(format!("the load process wants a cycle of the write port of {name}'s buffer"));
        }
        let text = if let Some(what) = rest("m_fill_") {
            match what {
                "valid" => format!("{elements} for {name}'s buffer"),
                "ready" => "it is taken".to_string(),
                "address" => "its place there".to_string(),
                _ => return None,
            }
        } else if let Some(what) = rest("m_drain_").or(rest("s_drain_")) {
            match what {
                "valid" => {
                    format!("{elements} of {name}'s buffer {} read", if context.beats.whole { "are" } else { "is" })
                }
                "address" => "its place there".to_string(),
                "data" => "its bits, in the next cycle".to_string(),
                _ => return None,
            }
        } else if let Some(what) = rest("m_write_") {
            match what {
                "valid" => format!("a result for {name}'s buffer"),
                "address" => "its place there".to_string(),
                "data" => "its bits".to_string(),
                "words" => "which words of the group are written".to_string(),
                _ => return None,
            }
        } else {
            let (copy, what) = rest("m_read_").or(rest("s_read_"))?.split_once('_')?;
            copy.parse::<u32>().ok()?;
            match what {
                "address" => format!("{name}'s buffer, port {copy}: the place that is read"),
                "along" => "the subscript that the words there lie along".to_string(),
                "bank" => "the bank that it is in".to_string(),
                "used" => "it is wanted".to_string(),
                "data" => "what is there, in the next cycle".to_string(),
                _ => return None,
            }
        };
        Some(text)
    })
}

/// Ports of a buffer's own module.
fn of_buffer(context: &Context, port: &str) -> Option<String> {
    let (what, of) = match port.split_once('_') {
        Some(("fill", of)) if context.beats.whole => ("a beat from memory", of),
        Some(("drain", of)) if context.beats.whole => ("a beat to memory", of),
        Some(("fill", of)) => ("an element from memory", of),
        Some(("drain", of)) => ("an element to memory", of),
        Some(("write", of)) => ("a result", of),
        Some(("read", of)) => ("an operand", of.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')),
        _ => ("clock", ""),
    };
    Some(match of {
        "" => what.to_string(),
        "valid" | "enable" => format!("{what} is there"),
        "address" => format!("where {what} is"),
        "bank" => "in which bank".to_string(),
        "used" => "it is wanted".to_string(),
        "along" => "along which subscript".to_string(),
        "words" => "which words of the group are written".to_string(),
        _ => format!("{what}, its bits"),
    })
}

/// Pins of the memory's PHY.
fn of_pins(port: &str) -> Option<String> {
    let slot = |text: &str| match port.chars().last() {
        Some('0') => format!("{text} of the first clock of the cycle"),
        Some('1') => format!("{text} of the second clock of the cycle"),
        _ => text.to_string(),
    };
    let pin = port.strip_prefix("phy_")?;
    Some(match pin {
        "cke" => "clock enable of the memory".to_string(),
        "write_enable" => "a word goes to the memory".to_string(),
        "write_data" => "its bits".to_string(),
        "write_mask" => "the bytes of it that are not written".to_string(),
        "read_enable" => "a word is to be caught".to_string(),
        "read_valid" => "a word has been caught".to_string(),
        "read_data" => "its bits".to_string(),
        _ if pin.starts_with("command") => slot("command"),
        _ if pin.starts_with("bank") => slot("bank"),
        _ if pin.starts_with("address") => slot("address"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::hardware::interface::link::Link;
    use crate::rtl::{Design, Module};
    use crate::source::Source;
    use crate::{Options, board, hardware};

    fn designs(kernel: &str, name: &str) -> [Design; 2] {
        let path = format!("{}/{kernel}", env!("CARGO_MANIFEST_DIR"));
        let source = Source::read(path.as_ref(), vec![]).expect("a kernel");
        let board = board::load(name).expect("a board");
        let offload = crate::analyze(&source, &board, &Options::default()).expect("it is accepted");
        let link: Link = board.memory.link();
        [hardware::generate(&offload, link), hardware::generate_direct(&offload, link)].map(|d| d.expect("a design"))
    }

    /// Every port, but those of buses with a standard, in modules of all sorts.
    #[test]
    fn every_port_is_explained() {
        let kernels = [
            ("examples/matmul.c", "stratix2-ddr400"),
            ("examples/matmul_lanes.c", "generic-axi4"),
            ("examples/row_sums.c", "ulx3s"),
            ("tests/kernels/windows.c", "generic-avalon"),
            ("tests/kernels/gemver.c", "stratix2-ddr400"),
            // Several ports.
            ("tests/kernels/sum_of_three.c", "pynq-z2"),
            ("tests/kernels/gemver.c", "pynq-z2"),
        ];
        for (kernel, board) in kernels {
            for module in designs(kernel, board).iter().flat_map(|design| &design.modules) {
                let silent: Vec<&str> = Module::ports(module)
                    .filter(|port| !super::is_of_a_standard(port.name()) && module.remark_of(port).is_none())
                    .map(|port| port.name())
                    .collect();
                assert_eq!(silent, Vec::<&str>::new(), "{} of {kernel} on {board}", module.name());
            }
        }
    }
}
