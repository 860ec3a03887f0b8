//! Programs that must not compile, and what the compiler says of them. `TRYBUILD=overwrite` rewrites the
//! messages.

#[test]
fn misuse_of_wrappers_does_not_compile() {
    trybuild::TestCases::new().compile_fail("ui/codegen/*.rs");
}
