//! Kernels whose source is PTX: what their parameters become, compared with the cubins that ptxas makes of them.

mod corpus;
mod cxx;
mod findings;
mod table;

/// The launch method of a kernel in a generated file, on one line, behind the launch configuration.
fn parameters(generated: &str, kernel: &str) -> String {
    let start = generated
        .find(&format!("fn {kernel}("))
        .unwrap_or_else(|| panic!("no wrapper {kernel} in:\n{generated}"));
    let end = generated[start..].find(") ->").expect("an end");
    let line: Vec<&str> = generated[start..start + end].split_whitespace().collect();
    let line = line.join(" ");
    let (_, params) = line
        .split_once("launch: impl Into<runtime::Launch>,")
        .unwrap_or(("", ""));
    params.trim().trim_end_matches(',').to_owned()
}
