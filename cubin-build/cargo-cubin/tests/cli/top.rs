//! `top` on recorded files.

use serde_json::Value;

use crate::cubin;

const FILE: &str = "cubins/basic-13.5-sm_90-lineinfo.cubin";

#[test]
fn the_least_occupancy_comes_first_with_what_would_buy_more() {
    let shown = cubin(&["top", FILE]).ends_with(0);
    cubin_tests::tools::same_as_recorded("cli/top.txt", &shown.stdout);
    let json = cubin(&["top", "--json", "-n", "3", FILE]).ends_with(0);
    let rows: Vec<Value> = json
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 3);
    let warps: Vec<u64> = rows
        .iter()
        .map(|row| row["warps"].as_u64().expect("a number"))
        .collect();
    assert!(warps.is_sorted(), "{warps:?}");
    // 96 registers: two blocks of 256 threads; 80 would be three.
    assert_eq!(rows[0]["name"], "spills(float const*, float*)");
    assert_eq!(
        (&rows[0]["registers"], &rows[0]["warps"]),
        (&96.into(), &16.into())
    );
    assert_eq!(rows[0]["gain"]["less"], 16);
    assert_eq!(rows[0]["gain"]["warps"], 24);
    let other = cubin(&["top", "--json", "-n", "1", "--block", "1024", FILE]).ends_with(0);
    assert!(other.stdout.contains("\"block\":1024"), "{}", other.stdout);
    cubin(&["top", "--block", "0", FILE]).ends_with(2);
    cubin(&["top", "fatbins/none.o"])
        .ends_with(1)
        .says("fatbins/none.o");
}
