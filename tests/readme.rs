//! What the README shows is what the program prints.

use assert_cmd::Command;

/// Lines of a table that differ from machine to machine: times of the compiler, and where files were written.
const OF_THE_MACHINE: [&str; 4] = ["generated in", "Verilog", "VCD", "JSON"];

/// The table below the sentence that announces it, without the lines that depend on the machine.
fn table(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.starts_with("matmul with N = 64 on stratix2-ddr400"));
    let lines = lines.take_while(|line| !line.starts_with("```"));
    lines.filter(|line| !OF_THE_MACHINE.iter().any(|label| line.trim_start().starts_with(label))).collect()
}

#[test]
fn sample_output_is_todays() {
    let root = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).expect("it is here");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(root);
    // The bench is built by Verilator: the direct version runs for millions of cycles.
    command.args(["run", "examples/matmul.c", "--board", "stratix2-ddr400", "--direct", "--simulator", "verilator"]);
    let output = command.assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).expect("a table");
    let (shown, printed) = (table(&readme), table(&output));
    assert!(printed.len() > 10, "{output}");
    assert_eq!(shown.join("\n").trim_end(), printed.join("\n").trim_end());
}

/// The kernel in the text is the example's file.
#[test]
fn example_is_the_file() {
    let read =
        |name: &str| std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).expect("it is here");
    let (readme, example) = (read("README.md"), read("examples/matmul.c"));
    let shown = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a listing");
    assert_eq!(shown, example);
}
