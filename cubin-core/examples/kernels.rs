//! Lists the kernels of cubins with what each needs: `cargo run --example kernels -- FILE...`
//!
//! `examples/saxpy.sm_90.cubin` is one to try: `examples/saxpy/kernels/saxpy.cu` of the repository by nvcc 13.5.

use std::{env, error::Error, fs};

use cubin_core::{Cubin, Params};

fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args_os().skip(1) {
        let path = std::path::PathBuf::from(path);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // The reader knows no files: the caller says which one it was.
        let list = list(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        print!("{list}");
    }
    Ok(())
}

fn list(bytes: &[u8]) -> cubin_core::Result<String> {
    let cubin = Cubin::parse(bytes)?;
    let mut list = format!("{}\n", cubin.target()?);
    for kernel in cubin.kernels()? {
        let resources = &kernel.resources;
        let params = match &kernel.params {
            Params::Recorded { size, .. } => size.to_string(),
            Params::NotRecorded => "?".to_owned(),
        };
        let stack = resources
            .stack
            .bytes()
            .map_or("?".to_owned(), |bytes| bytes.to_string());
        list += &format!(
            "  {}: {} registers, {stack} bytes of stack, {} of shared memory, {params} of parameters\n",
            kernel.symbol, resources.registers, resources.static_shared
        );
    }
    Ok(list)
}
