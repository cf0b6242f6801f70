//! Tests of the whole room: C text in, kernel or diagnostic out.

mod accepts;
mod countdowns;
mod directives;
mod effects;
mod endings;
mod exits;
mod forms;
mod hiding;
mod interpreter;
mod kept_steps;
mod left;
mod memory;
mod native;
mod oracle;
mod polybench;
mod random;
mod refusals;
mod robustness;
mod rounds;
mod seeded;
mod stated;
mod structs;
mod temporaries;
mod typed;
mod wandering;
mod whole;
mod wires;

use super::kernel::{Kernel, Loop, Node, Statement};
use super::{Source, parse};
use crate::diagnostic::Diagnostic;
use crate::polyhedral::settle_domain;

pub fn source(text: &str) -> Source {
    Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] }
}

pub fn kernel(text: &str) -> Kernel {
    match parse(&source(text)) {
        Ok(kernel) => kernel,
        Err(error) => panic!("{error}: {:?}\n{text}", error.downcast_ref::<Diagnostic>()),
    }
}

pub fn diagnostic(text: &str) -> Diagnostic {
    let settled = parse(&source(text)).and_then(|mut kernel| settle_domain(&mut kernel).map(|()| kernel));
    match settled {
        Ok(kernel) => panic!("accepted as {kernel:?}\n{text}"),
        Err(error) => error.downcast::<Diagnostic>().expect("a diagnostic"),
    }
}

/// The loops from outside in, and the one statement inside.
pub fn perfect(kernel: &Kernel) -> (Vec<&Loop>, &Statement) {
    let mut loops = Vec::new();
    let mut nodes = &kernel.body;
    loop {
        match &nodes[..] {
            [Node::Loop(l)] => {
                loops.push(l);
                nodes = &l.body;
            }
            [Node::Statement(statement)] => return (loops, statement),
            other => panic!("no perfect nest: {other:?}"),
        }
    }
}
