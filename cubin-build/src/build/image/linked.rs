//! Kernels of a cubin that was found in an executable or a library: judged by what it says itself.

use cubin_core::{Cubin, Function};

use super::calls::Calls;
use crate::{
    config::Config,
    kernel::{self, Facts, Spills},
    signature,
};

/// What is known of every kernel of a cubin, in its order. Names come from the symbols, places are not known.
///
/// Spills are those that the cubin lists, of each kernel and the functions that it calls: the bytes that ptxas prints, or
/// less where called functions save registers (see [`cubin_core::uses::Spills`]). Instructions are counted where a budget of
/// `config` asks.
///
/// # Errors
/// When the cubin is damaged.
pub fn linked_kernels(bytes: &[u8], config: &Config) -> cubin_core::Result<Vec<Facts>> {
    let cubin = Cubin::parse(bytes)?;
    let target = cubin.target()?;
    let functions = cubin.functions()?;
    let module_constant = kernel::constant_banks(&cubin.variables()?);
    let calls = Calls::read(&cubin)?;
    let mut all = Vec::new();
    for function in functions.iter().filter(|function| function.kernel) {
        let name = signature::cxx_name(function.symbol);
        let name = name.unwrap_or_else(|| function.symbol.to_owned());
        let mut facts = Facts::of(name, target, &cubin, function)?;
        facts.spills = spills(&cubin, &functions, &calls, function)?;
        facts.module_constant.clone_from(&module_constant);
        all.push(facts);
    }
    count(&cubin, &functions, config, &mut all)?;
    Ok(all)
}

/// `None` where one of the functions has no record of them.
fn spills(
    cubin: &Cubin<'_>,
    functions: &[Function<'_>],
    calls: &Calls,
    kernel: &Function<'_>,
) -> cubin_core::Result<Option<Spills>> {
    let mut all = Spills::default();
    let called = calls.reached(kernel.symbol_index);
    let reached = |function: &&Function<'_>| {
        function.symbol_index == kernel.symbol_index || called.contains(&function.symbol_index)
    };
    for function in functions.iter().filter(reached) {
        let Some(own) = cubin.spills(function)? else {
            return Ok(None);
        };
        all.stores = all.stores.saturating_add(own.store_bytes.into());
        all.loads = all.loads.saturating_add(own.load_bytes.into());
    }
    Ok(Some(all))
}

#[cfg(feature = "instructions")]
fn count(
    cubin: &Cubin<'_>,
    functions: &[Function<'_>],
    config: &Config,
    all: &mut [Facts],
) -> cubin_core::Result<()> {
    if !crate::policy::counts_instructions(config) {
        return Ok(());
    }
    let target = cubin.target()?;
    let counter = super::instructions::Counter::new(cubin, functions, target, None)?;
    let kernels = functions.iter().filter(|function| function.kernel);
    for (facts, function) in all.iter_mut().zip(kernels) {
        facts.instructions = counter.of(function);
    }
    Ok(())
}

/// Nothing: `config` refuses budgets that ask.
#[cfg(not(feature = "instructions"))]
#[expect(clippy::unnecessary_wraps, reason = "the other one's signature")]
fn count(_: &Cubin<'_>, _: &[Function<'_>], _: &Config, _: &mut [Facts]) -> cubin_core::Result<()> {
    Ok(())
}
