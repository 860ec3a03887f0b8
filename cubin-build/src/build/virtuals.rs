//! Virtual architectures that targets share: those that machine code of a target can be made of.

use cubin_core::{Sm, arch::Suffix};

use super::{
    problem::{Mistake, Origin, Problem},
    request::BuildRequest,
};
use crate::{
    config::{self, Config},
    diag::Sink,
    source::Span,
};

/// The method of `Builder`.
const METHOD: &str = "virtual_arch";

/// The virtual architecture of each target that has not its own. Where the environment names targets that cannot be made
/// of it, they have their own.
pub(super) fn resolve(
    request: &BuildRequest,
    config: &Config,
    targets: &[Sm],
    from_environment: bool,
    sink: &mut Sink,
) -> Vec<(Sm, Sm)> {
    let written = config.build.virtual_arch.as_ref();
    let mut of_all: Option<(Sm, Option<&Span>)> =
        written.map(|arch| (arch.value, Some(&arch.span)));
    if let Some(name) = &request.virtual_arch {
        match config::compute(name) {
            Ok(arch) => of_all = Some((arch, None)),
            Err((message, help)) => {
                let mistake = Mistake::VirtualName { message, help };
                sink.push(Problem::Asked(mistake, Origin::Script(METHOD)).into());
            }
        }
    }
    let mut all: Vec<(Sm, Sm)> = Vec::new();
    for &target in targets {
        let mut chosen = of_all;
        let name = target.to_string();
        for table in &config.target_options {
            if let Some(arch) = &table.virtual_arch
                && table
                    .arch
                    .iter()
                    .any(|pattern| pattern.value.matches(&name))
            {
                chosen = Some((arch.value, Some(&arch.span)));
            }
        }
        let Some((arch, span)) = chosen else { continue };
        if all.iter().any(|(known, _)| *known == target) {
            continue;
        }
        if is_made_of(target, arch) {
            all.push((target, arch));
        } else if !from_environment {
            let mistake = Mistake::VirtualTarget { arch, target };
            sink.push(Problem::Asked(mistake, Origin::new(span, METHOD)).into());
        }
    }
    all
}

/// Whether nvcc makes machine code for a target of PTX for a virtual architecture: without a letter of every older one, with
/// `a` of its own alone, with `f` within its family (tried with 13.5).
fn is_made_of(target: Sm, arch: Sm) -> bool {
    match arch.suffix {
        Suffix::None => arch.number <= target.number,
        Suffix::Accelerated => arch == target,
        Suffix::Family => arch.runs_on(target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nvcc_makes_machine_code_of() {
        for (arch, target, made) in [
            ("sm_80", "sm_80", true),
            ("sm_80", "sm_120f", true),
            ("sm_90", "sm_90a", true),
            ("sm_90", "sm_89", false),
            ("sm_90a", "sm_90a", true),
            ("sm_90a", "sm_90", false),
            ("sm_90a", "sm_100a", false),
            ("sm_100f", "sm_103", true),
            ("sm_100f", "sm_103a", true),
            ("sm_103f", "sm_100f", false),
            ("sm_100f", "sm_120f", false),
        ] {
            let [arch, target] = [arch, target].map(|name| name.parse().unwrap());
            assert_eq!(is_made_of(target, arch), made, "{arch} {target}");
        }
    }
}
