//! Source lines in damaged files. That lines are those of nvdisasm is tested where the command shows them.

use cubin_core::{
    Cubin,
    lines::{self, Lines},
};
use cubin_tests::recorded;

/// Whatever stands in `.debug_line` and its relocations: an error or lines, no panic, no endless chain.
#[test]
fn damage_is_an_error_or_another_line() {
    let whole = recorded::file("sass", "lines-13.5-sm_90.cubin");
    let cubin = Cubin::parse(&whole).expect("a cubin");
    let lines = Lines::read(&cubin).expect("lines").expect("lines");
    let deepest = |lines: &Lines| (0..lines.rows()).map(|row| lines.places(row).len()).max();
    assert_eq!(deepest(&lines), Some(3));
    let sections = [b".debug_line".as_slice(), b".rela.debug_line"];
    let mut read = 0;
    for name in sections {
        let section = cubin.elf().section_named(name).expect("the section");
        let start = usize::try_from(section.offset).expect("fits");
        let end = start + usize::try_from(section.size).expect("fits");
        for at in start..end {
            for value in [0, 1, 0x7f, 0x90, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let cubin = Cubin::parse(&damaged).expect("only lines are damaged");
                if let Ok(Some(lines)) = Lines::read(&cubin) {
                    assert!(deepest(&lines) <= Some(lines::DEPTH));
                    let _ = lines.row(9, 0x40);
                    read += 1;
                }
            }
        }
    }
    assert!(read > 1000, "{read}");
}
