//! Functions with their resources, and variables.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Display;

use super::{Text, escaped, full, hex, line};
use crate::{Cubin, Cuobjdump, Function, Params, Result, uses::References, variable::Space};

impl Text<'_> {
    pub(super) fn functions(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let functions = match cubin.functions() {
            Ok(functions) => functions,
            Err(error) => return self.error(&error),
        };
        let shown = match cubin.cuobjdump(&functions) {
            Ok(shown) => shown,
            Err(error) => {
                self.error(&error)?;
                Vec::new()
            }
        };
        for (at, function) in functions.iter().enumerate() {
            self.function(cubin, function, shown.get(at))?;
        }
        match cubin.references(&functions) {
            Ok(references) => {
                for (function, uses) in functions.iter().zip(references) {
                    if uses != References::default() {
                        line!(
                            self,
                            "references of {}: {} textures, {} surfaces, {} samplers",
                            escaped(function.symbol.as_bytes()),
                            uses.textures,
                            uses.surfaces,
                            uses.samplers
                        )?;
                    }
                }
                Ok(())
            }
            Err(error) => self.error(&error),
        }
    }

    fn function(
        &mut self,
        cubin: &Cubin<'_>,
        function: &Function<'_>,
        shown: Option<&Cuobjdump>,
    ) -> Result<()> {
        let kind = if function.kernel {
            "kernel"
        } else {
            "function"
        };
        line!(self, "{kind} {}", escaped(function.symbol.as_bytes()))?;
        let resources = &function.resources;
        line!(
            self,
            "  section {} symbol {} code {} bytes",
            function.section,
            function.symbol_index,
            resources.code_bytes
        )?;
        let unbounded = if resources.stack.is_unbounded() {
            " (not statically known)"
        } else {
            ""
        };
        line!(
            self,
            "  registers {} stack {}{unbounded} frame {} barriers {}",
            resources.registers,
            maybe(resources.stack.bytes()),
            maybe(resources.frame),
            maybe(resources.barriers)
        )?;
        line!(
            self,
            "  shared {} + {} reserved{}, local {}, constant {}",
            resources.static_shared,
            resources.reserved_shared,
            match resources.dynamic_shared {
                Some(true) => " + dynamic",
                Some(false) => "",
                None if function.kernel => " + perhaps dynamic",
                None => "",
            },
            resources.local,
            banks(&resources.constant)
        )?;
        match cubin.spills(function) {
            Ok(Some(spills)) => line!(
                self,
                "  spills {}: {} stores of {} bytes, {} loads of {} bytes, {} other",
                maybe(resources.spill_instructions),
                spills.stores,
                spills.store_bytes,
                spills.loads,
                spills.load_bytes,
                spills.other
            )?,
            Ok(None) => line!(self, "  spills {}", maybe(resources.spill_instructions))?,
            Err(error) => self.error(&error)?,
        }
        match &function.params {
            Params::NotRecorded => line!(self, "  parameters not recorded")?,
            Params::Recorded { base, size, params } => {
                line!(
                    self,
                    "  {} parameters, {size} bytes at {base:#x}",
                    params.len()
                )?;
            }
        }
        let launch = &function.launch;
        for (name, value) in [
            ("max threads", launch.max_threads),
            ("required threads", launch.required_threads),
            ("cluster", launch.cluster),
        ] {
            if let Some([x, y, z]) = value {
                line!(self, "  {name} {x} {y} {z}")?;
            }
        }
        if launch.explicit_cluster {
            line!(self, "  explicit cluster")?;
        }
        if let Some(rank) = launch.max_cluster_rank {
            line!(self, "  max cluster rank {rank}")?;
        }
        if let Some(cap) = launch.max_registers {
            line!(self, "  register cap {cap}")?;
        }
        match cubin.externs(function) {
            Ok(externs) if externs.is_empty() => {}
            Ok(externs) => line!(self, "  externs {}", externs.join(" "))?,
            Err(error) => self.error(&error)?,
        }
        let Some(shown) = shown else {
            return Ok(());
        };
        let stack = match shown.stack {
            Some(stack) => stack.to_string(),
            None => "UNKNOWN".to_owned(),
        };
        line!(
            self,
            "  cuobjdump REG:{} STACK:{stack} SHARED:{} LOCAL:{} CONSTANT {}",
            shown.reg,
            shown.shared,
            shown.local,
            banks(&resources.constant)
        )
    }

    pub(super) fn variables(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let variables = match cubin.variables() {
            Ok(variables) => variables,
            Err(error) => return self.error(&error),
        };
        for variable in variables {
            write!(
                self.out,
                "variable {} {} section {} offset {:#x} size {} ",
                escaped(variable.symbol.as_bytes()),
                variable.binding,
                variable.section,
                variable.offset,
                variable.size
            )
            .map_err(full)?;
            match variable.space {
                Space::Global => write!(self.out, "global"),
                Space::Constant(bank) => write!(self.out, "constant {bank}"),
            }
            .map_err(full)?;
            if variable.managed {
                write!(self.out, " managed").map_err(full)?;
            }
            match variable.initial {
                // Enough to recognise it by.
                Some(bytes) => line!(self, " = {}", hex(bytes.get(..32).unwrap_or(bytes)))?,
                None => line!(self, " = zeros")?,
            }
        }
        Ok(())
    }
}

fn maybe(value: Option<impl Display>) -> String {
    value.map_or("unknown".to_owned(), |value| value.to_string())
}

fn banks(banks: &[(u8, u64)]) -> String {
    if banks.is_empty() {
        return "none".to_owned();
    }
    let list: Vec<_> = banks
        .iter()
        .map(|(bank, bytes)| format!("[{bank}]:{bytes}"))
        .collect();
    list.join(" ")
}
