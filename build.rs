//! Puts `polyhedral/isl/defining_equality.rs` in the place of isl's own function, where the linker can.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg=-Wl,--wrap=isl_basic_map_has_defining_equality");
    }
}
