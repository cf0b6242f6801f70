//! What all objects of isl have in common.

use std::ffi::c_void;
use std::fmt;

unsafe extern "C" {
    fn free(pointer: *mut c_void);
}

/// Writes what isl has printed. isl hands the string over and isl_rs never frees it: `text` is not to be used afterwards.
pub(super) fn write(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let result = f.write_str(text);
    unsafe { free(text.as_ptr() as *mut c_void) };
    result
}

/// Struct, ownership, clone and print of one isl type.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            pub(super) object: std::rc::Rc<isl_rs::$name>,
            pub(super) context: $crate::polyhedral::isl::Context,
        }

        impl $name {
            pub(super) fn own(context: &Context, result: Result<isl_rs::$name, isl_rs::LibISLError>) -> Result<Self> {
                Ok($name { object: std::rc::Rc::new(context.settle(result)?), context: context.clone() })
            }

            /// A copy for an operation that consumes it.
            pub(super) fn take(&self) -> Result<isl_rs::$name> {
                self.context.settle(self.object.copy())
            }

            pub fn context(&self) -> &Context {
                &self.context
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // At its limit isl gives no text at all, which isl_rs reads.
                let text = self.context.unlimited(|| self.object.to_str());
                let text = self.context.settle(text).map_err(|_| std::fmt::Error)?;
                $crate::polyhedral::isl::object::write(f, text)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ident),*) -> $result:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(&self, $($argument: &$kind),*) -> Result<$result> {
                $result::own(&self.context, self.take()?.$name($($argument.take()?),*))
            }
        )*
    };
}

macro_rules! coalesces {
    () => {
        /// The same points in fewer pieces, or in as many where isl gives up on it: isl 0.27 takes variables out of a
        /// piece while it still looks at it, and refuses ("total dimensionality changed unexpectedly").
        pub fn coalesce(&self) -> Result<Self> {
            match Self::own(&self.context, self.take()?.coalesce()) {
                Err(error)
                    if error
                        .downcast_ref::<$crate::polyhedral::isl::Failure>()
                        .is_some_and(|f| f.kind == isl_rs::Error::Internal) =>
                {
                    Ok(self.clone())
                }
                result => result,
            }
        }
    };
}

macro_rules! predicates {
    ($($name:ident($($argument:ident: $kind:ident),*);)*) => {
        $(
            pub fn $name(&self, $($argument: &$kind),*) -> Result<bool> {
                self.context.settle(self.object.$name($(&$argument.object),*))
            }
        )*
    };
}

pub(super) use {coalesces, object, operations, predicates};
