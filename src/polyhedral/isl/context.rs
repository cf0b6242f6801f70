//! isl's context: its errors as ours, and the operations that it may take.

use std::ffi::c_void;
use std::fmt;
use std::rc::Rc;

use anyhow::{Result, anyhow};
use isl_rs::{Error, LibISLError, Options, Val};

use super::Bounded;

unsafe extern "C" {
    /// Counts one operation; negative where the limit is reached.
    fn isl_ctx_next_operation(context: *mut c_void) -> i32;
}

/// isl's operations for all of one analysis: five to ten seconds, and the same result on every machine. Kernels of
/// PolyBench take up to 1.3 million, five convolution layers in a row 5 million, a step of Lattice-Boltzmann on nine directions 15 million.
const ALL_OPERATIONS: u64 = 16_000_000;

/// So many sizes make operations no slower than none.
const USUAL_SIZES: usize = 16;

/// `isl_ctx`, with errors reported to the caller instead of printed.
#[derive(Clone)]
pub struct Context(pub(super) Rc<isl_rs::Context>);

const ON_ERROR_CONTINUE: i32 = 1;

/// isl has used up the operations it was given: those of a [`Context::within`], or of the whole analysis.
#[derive(Debug)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("isl: too many operations")
    }
}

impl std::error::Error for Exhausted {}

/// What isl says of an operation that it did not do.
#[derive(Debug)]
pub struct Failure {
    /// isl's own class of it.
    pub kind: Error,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "isl: {}", self.message)
    }
}

impl std::error::Error for Failure {}

impl Context {
    pub fn new() -> Result<Self> {
        let context = isl_rs::Context::alloc();
        if context.ptr == 0 {
            return Err(anyhow!("isl gives no context"));
        }
        let context = Context(Rc::new(context));
        context.settle(Options::set_on_error(&context.0, ON_ERROR_CONTINUE))?;
        context.0.set_max_operations(ALL_OPERATIONS);
        Ok(context)
    }

    /// Turns isl's error into ours, and forgets it in the context: a later call would report it again.
    pub(super) fn settle<T>(&self, result: Result<T, LibISLError>) -> Result<T> {
        result.map_err(|error| {
            // The error's kind is private; it is printed first. What comes behind the limit may have another one, as what
            // isl's parser makes of it.
            let is_over = self.0.last_error() == Error::Quota || error.to_string().starts_with("[Quota]");
            if is_over || unsafe { isl_ctx_next_operation(self.0.ptr as *mut c_void) } < 0 {
                self.0.reset_error();
                return anyhow!(Exhausted);
            }
            // The operating system's refusal, no fault.
            if self.0.last_error() == Error::Alloc || error.to_string().starts_with("[Alloc]") {
                self.0.reset_error();
                return std::io::Error::from(std::io::ErrorKind::OutOfMemory).into();
            }
            let kind = self.0.last_error();
            if kind == Error::None_ {
                // The library has taken the error out of the context already.
                let text = error.to_string();
                let is_of = |name: &str| text.starts_with(name);
                let kind = match () {
                    _ if is_of("[Unknown]") => Error::Unknown,
                    _ if is_of("[Internal]") => Error::Internal,
                    _ => kind,
                };
                return anyhow!(Failure { kind, message: error.to_string() });
            }
            let message = format!("{error}: {}", self.0.last_error_msg());
            self.0.reset_error();
            anyhow!(Failure { kind, message })
        })
    }

    /// The same for relations over so many sizes: every operation goes through rows of all of them, so that beyond
    /// [`USUAL_SIZES`] there are as many operations fewer.
    pub fn of_sizes(sizes: usize) -> Result<Self> {
        let context = Context::new()?;
        context.grant(sizes);
        Ok(context)
    }

    /// As many operations as a new context [`Context::of_sizes`] has: those done so far are of another analysis.
    pub fn grant(&self, sizes: usize) {
        let usual = USUAL_SIZES.min(sizes.max(1)) as u64;
        self.0.set_max_operations(self.operations() + ALL_OPERATIONS * usual / sizes.max(1) as u64);
    }

    /// What `compute` gives, or `None` where isl needs more than `operations` of its own for it: the same on every
    /// machine. A hundred thousand take about a tenth of a second. Calls nest: what is done inside counts outside, too, and
    /// where it is the outer limit that is reached, the error goes on to there.
    pub fn within<T>(&self, operations: u64, compute: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        let outer = self.0.get_max_operations();
        let own = self.operations() + operations;
        if own >= outer {
            return compute().map(Some);
        }
        self.0.set_max_operations(own);
        let result = compute();
        self.0.set_max_operations(outer);
        match result {
            Err(error) if error.is::<Exhausted>() => Ok(None),
            result => result.map(Some),
        }
    }

    /// How many operations are left.
    pub fn operations_left(&self) -> u64 {
        self.0.get_max_operations().saturating_sub(self.operations())
    }

    /// What `compute` gives, however many operations that takes: they count all the same.
    pub(super) fn unlimited<T>(&self, compute: impl FnOnce() -> T) -> T {
        let limit = self.0.get_max_operations();
        self.0.set_max_operations(0);
        let result = compute();
        self.0.set_max_operations(limit);
        result
    }

    /// How many operations isl has done, give or take those of this call: it does not tell by itself, but counts one
    /// more where its limit is higher.
    pub fn operations(&self) -> u64 {
        let limit = self.0.get_max_operations();
        let (mut least, mut most) = (0, limit);
        while least < most {
            let middle = least + (most - least) / 2;
            self.0.set_max_operations(middle + 1);
            if unsafe { isl_ctx_next_operation(self.0.ptr as *mut c_void) } < 0 {
                self.0.reset_error();
                least = middle + 1;
            } else {
                (least, most) = (least + 1, middle + 1);
            }
        }
        self.0.set_max_operations(limit);
        least
    }

    pub(super) fn value(&self, integer: i64) -> Result<Val> {
        self.settle(Val::int_from_si(&self.0, integer))
    }

    pub(super) fn integer(&self, value: &Val) -> Result<Bounded> {
        if self.settle(value.is_int())? {
            return Ok(Bounded::Finite(self.settle(value.get_num_si())?));
        }
        if self.settle(value.is_infty())? || self.settle(value.is_neginfty())? {
            return Ok(Bounded::Infinite);
        }
        Ok(Bounded::Empty)
    }
}
