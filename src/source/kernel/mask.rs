//! Masked arrays as the C program has them.

use super::{Expr, Kernel, Node, Statement};

impl Kernel {
    /// The kernel without masks: what its statements do not write they write as it was.
    pub fn unmasked(mut self) -> Kernel {
        self.arrays.iter_mut().for_each(|array| array.masked = false);
        unmask(&mut self.body);
        self
    }
}

fn unmask(nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::Loop(inner) => unmask(&mut inner.body),
            Node::If(inner) => unmask(&mut inner.body),
            Node::Statement(statement) => {
                let Statement { target, value, also, .. } = statement;
                let others = also.iter_mut().map(|write| (&write.target, &mut write.value));
                for (target, value) in std::iter::once((&*target, value)).chain(others) {
                    if let Expr::Masked { only_if, value: then } = value {
                        let ty = then.ty();
                        let otherwise = Box::new(Expr::Read { access: target.clone(), ty });
                        let (condition, then) = (only_if.clone(), then.clone());
                        *value = Expr::Select { condition, then, otherwise, ty };
                    }
                }
            }
        }
    }
}
