//! Puts `polyhedral/isl/defining_equality.rs` in the place of isl's own function and `no_piece.rs` before another one, where
//! the linker can.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        for function in ["isl_basic_map_has_defining_equality", "isl_basic_map_inequality_to_equality"] {
            println!("cargo:rustc-link-arg=-Wl,--wrap={function}");
        }
    }
}
