//! The call graph: calls, prototypes, recursion, unified functions and data, relocation actions.

use alloc::{borrow::ToOwned, string::ToString};

use super::{Text, escaped, full, line};
use crate::{
    Result,
    callgraph::{self, Call},
    elf::Elf,
    unified::{self, Unified},
};

impl Text<'_> {
    pub(super) fn calls(&mut self, elf: &Elf<'_>) -> Result<()> {
        match callgraph::calls(elf) {
            Ok(calls) => {
                for call in calls {
                    match call {
                        Ok(call) => self.call(&call)?,
                        Err(error) => self.error(&error)?,
                    }
                }
            }
            Err(error) => self.error(&error)?,
        }
        match callgraph::prototypes(elf) {
            Ok(prototypes) => {
                for prototype in prototypes {
                    match prototype {
                        Ok(prototype) => line!(
                            self,
                            "prototype {} {}",
                            prototype.function,
                            escaped(prototype.prototype)
                        )?,
                        Err(error) => self.error(&error)?,
                    }
                }
            }
            Err(error) => self.error(&error)?,
        }
        match callgraph::recursive(elf) {
            Ok(symbols) => {
                for symbol in symbols {
                    line!(self, "recursive {symbol}")?;
                }
            }
            Err(error) => self.error(&error)?,
        }
        for (what, entries) in [
            ("function", unified::functions(elf)),
            ("variable", unified::variables(elf)),
        ] {
            match entries {
                Ok(entries) => {
                    for entry in entries {
                        match entry {
                            Ok(entry) => self.unified(what, &entry)?,
                            Err(error) => self.error(&error)?,
                        }
                    }
                }
                Err(error) => self.error(&error)?,
            }
        }
        match callgraph::rel_actions(elf) {
            Ok(Some(actions)) => {
                line!(self, "relocation actions from {:#x}", actions.first)?;
                for action in actions.descriptors() {
                    line!(self, "  {:#018x}", action.0)?;
                }
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) => self.error(&error),
        }
    }

    fn unified(&mut self, what: &str, entry: &Unified) -> Result<()> {
        let [first, second] = entry.id;
        line!(
            self,
            "unified {what} {} word {} at {:#x} id {first:#x} {second:#x}",
            entry.symbol,
            entry.word,
            entry.offset
        )
    }

    fn call(&mut self, call: &Call<'_>) -> Result<()> {
        match call {
            Call::Direct { caller, callee } => line!(self, "call {caller} -> {callee}"),
            Call::Indirect { caller, target } => {
                line!(self, "indirect call {caller} -> {target}")
            }
            Call::AddressTaken {
                function,
                prototype,
            } => line!(self, "address taken {function} {}", escaped(prototype)),
            Call::IndirectCaller { caller, prototype } => {
                line!(self, "indirect caller {caller} {}", escaped(prototype))
            }
            Call::Unknown { mark, words } => {
                let mark = mark.map_or("none".to_owned(), |mark| mark.0.to_string());
                let [first, second] = words;
                line!(self, "call list {mark}: {first:#x} {second:#x}")
            }
        }
    }
}
