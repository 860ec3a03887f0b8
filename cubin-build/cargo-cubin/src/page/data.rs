//! What the page shows, as values that become its JSON. Text in it is for eyes: unseen characters stand as escapes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cubin_core::{
    escape::{visible, visible_lines},
    occupancy::occupancy,
};
use serde::Serialize;

use super::{
    budgets::{Budget, Budgets},
    curves::{Curve, Curves, LIMITERS},
    history::{History, What},
};
use crate::{
    diff::since::Since,
    facts::{Facts, Mix, SpillBytes, USUAL_BLOCK, bare},
    report::{Finding, Level},
    top,
};

/// Everything.
#[derive(Serialize)]
pub(super) struct Data {
    title: String,
    /// What this run is called.
    label: String,
    /// Whether groups are packages, not files.
    workspace: bool,
    errors: usize,
    warnings: usize,
    /// Names of what limits occupancy, by bit of a curve's `limits`.
    limiters: Vec<String>,
    curves: Vec<Curve>,
    budgets: Vec<Vec<Budget>>,
    kernels: Vec<Kernel>,
    findings: Vec<Found>,
    since: Option<Since>,
    history: History,
}

/// What the data is made of.
pub(super) struct Input<'a> {
    pub(super) title: String,
    pub(super) label: String,
    pub(super) workspace: bool,
    pub(super) dynamic_shared: u64,
    pub(super) groups: Vec<Group<'a>>,
    pub(super) since: Option<Since>,
    pub(super) history: History,
}

/// The kernels of a package or a file.
pub(super) struct Group<'a> {
    pub(super) name: String,
    pub(super) kernels: Vec<&'a Facts>,
    pub(super) findings: &'a [Finding],
    pub(super) policy: Option<super::budgets::File>,
}

/// A kernel on a target.
#[derive(Serialize)]
struct Kernel {
    /// Without parameters.
    name: String,
    /// Types of its parameters, where the symbol tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    types: Option<String>,
    symbol: String,
    /// The package or file.
    group: String,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    toolkit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    registers: u32,
    stack: Option<u32>,
    stack_status: String,
    spills: Option<u64>,
    shared: u64,
    /// The most that a block may have here.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_limit: Option<u32>,
    dynamic_shared: Option<bool>,
    local: u64,
    constant: BTreeMap<String, u64>,
    barriers: Option<u32>,
    code: u64,
    param_bytes: Option<u32>,
    /// Offset and size of each.
    params: Option<Vec<(u32, u32)>>,
    max_threads: Option<[u32; 3]>,
    required_threads: Option<[u32; 3]>,
    cluster: Option<[u32; 3]>,
    max_cluster_rank: Option<u32>,
    max_registers: Option<u32>,
    externs: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupancy: Option<Resident>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mix: Option<Counts>,
    /// A place in [`Data::budgets`].
    budgets: usize,
    /// Budgets that it is over, of those that the table draws.
    over: Vec<&'static str>,
    /// Places in [`Data::findings`].
    findings: Vec<usize>,
    /// A place in the rows of [`Data::since`].
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<usize>,
}

/// How much of a multiprocessor a kernel fills.
#[derive(Serialize)]
struct Resident {
    /// Threads per block that this is for.
    block: u32,
    /// Whether the source declares that block.
    declared: bool,
    warps: u32,
    max_warps: u32,
    limited_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<Gain>,
    /// A place in [`Data::curves`].
    curve: usize,
}

#[derive(Serialize)]
struct Gain {
    less: u64,
    of: &'static str,
    warps: u32,
}

/// What the code is made of.
#[derive(Serialize)]
struct Counts {
    total: u64,
    in_loops: Option<u64>,
    fp64: u64,
    /// Class, how many, how many in loops; those of which there are any.
    classes: Vec<(String, u64, u64)>,
    /// `global load, 16 bytes`, how many.
    accesses: Vec<(String, u64)>,
}

/// A finding, as a build would show it.
#[derive(Serialize)]
struct Found {
    group: String,
    code: String,
    level: Level,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    labels: Vec<(String, String)>,
    notes: Vec<String>,
    help: Vec<String>,
}

impl Data {
    pub(super) fn new(input: Input<'_>) -> Self {
        let mut curves = Curves::default();
        let mut budgets = Budgets::default();
        let mut kernels = Vec::new();
        let mut findings = Vec::new();
        let mut now = BTreeSet::new();
        let changed = by_kernel(input.since.as_ref());
        let (mut errors, mut warnings) = (0, 0);
        for group in &input.groups {
            // Of each kernel, by its name as rules have it.
            let mut of_kernel: HashMap<&str, Vec<usize>> = HashMap::new();
            for finding in group.findings {
                match finding.level {
                    Level::Deny => errors += 1,
                    Level::Warn => warnings += 1,
                    Level::Allow => {}
                }
                if let Some(kernel) = &finding.kernel {
                    of_kernel.entry(kernel).or_default().push(findings.len());
                    now.insert(What {
                        package: shown(&group.name),
                        kernel: shown(kernel),
                        code: shown(&finding.code),
                    });
                }
                findings.push(Found::new(&group.name, finding));
            }
            for facts in &group.kernels {
                let mut kernel = Kernel::new(facts, input.dynamic_shared, &mut curves);
                kernel.group = shown(&group.name);
                kernel.budgets = budgets.of(group.policy.as_ref(), facts);
                kernel.over = over(budgets.get(kernel.budgets), facts);
                let own = of_kernel.get(bare(facts.name()));
                kernel.findings = own.cloned().unwrap_or_default();
                let keys = [&facts.function, bare(facts.name())];
                let target = facts.target.as_str();
                kernel.changed = keys.iter().find_map(|name| {
                    let packages = [Some(group.name.as_str()), None];
                    let mut at = packages.iter().map(|package| (*package, *name, target));
                    at.find_map(|key| changed.get(&key).copied())
                });
                kernels.push(kernel);
            }
        }
        let mut history = input.history;
        history.add(&shown(&input.label), now);
        let mut since = input.since;
        for row in since.iter_mut().flat_map(|since| &mut since.rows) {
            row.make_visible();
        }
        Self {
            title: shown(&input.title),
            label: shown(&input.label),
            workspace: input.workspace,
            errors,
            warnings,
            limiters: LIMITERS.iter().map(ToString::to_string).collect(),
            curves: curves.into_all(),
            budgets: budgets.into_all(),
            kernels,
            findings,
            since,
            history,
        }
    }

    /// How many kernel images there are.
    pub(super) fn kernels(&self) -> usize {
        self.kernels.len()
    }
}

/// Rows by package, name or symbol, and target; not those of kernels that are gone.
type ByKernel<'s> = HashMap<(Option<&'s str>, &'s str, &'s str), usize>;

fn by_kernel(since: Option<&Since>) -> ByKernel<'_> {
    let mut places = HashMap::new();
    let rows = since.iter().flat_map(|since| since.rows.iter().enumerate());
    for (at, row) in rows.filter(|(_, row)| !row.is_gone()) {
        let package = row.package.as_deref();
        for name in [row.symbol.as_deref(), Some(bare(&row.name))] {
            let key = name.map(|name| (package, name, row.target.as_str()));
            places.extend(key.map(|key| (key, at)));
        }
    }
    places
}

/// Which of the budgets that the table draws are broken. Others are told by findings.
fn over(budgets: &[Budget], facts: &Facts) -> Vec<&'static str> {
    let figure = |key| match key {
        "registers" => Some(facts.registers.into()),
        "stack" => facts.stack.map(u64::from),
        "static-shared" => Some(facts.static_shared),
        "spills" => facts.spill_bytes.map(SpillBytes::total),
        _ => None,
    };
    let broken = budgets.iter().filter(|budget| {
        let most = budget.most;
        most.is_some_and(|most| figure(budget.key).is_some_and(|figure| figure > most))
    });
    broken.map(|budget| budget.key).collect()
}

fn shown(text: &str) -> String {
    visible(text).into_owned()
}

impl Kernel {
    fn new(facts: &Facts, dynamic_shared: u64, curves: &mut Curves) -> Self {
        let full = cubin_core::demangle::demangle(&facts.function);
        let types = full.as_deref().and_then(|full| {
            let (_, types) = full.split_once(bare(full))?;
            (!types.is_empty()).then(|| shown(types))
        });
        let source = facts.source.as_ref();
        let params = facts.params.as_ref().map(|params| {
            let mut params = params.clone();
            params.sort_by_key(|param| param.ordinal);
            let places = params.iter().map(|param| (param.offset, param.size));
            places.collect()
        });
        Self {
            name: shown(bare(facts.name())),
            types,
            symbol: shown(&facts.function),
            group: String::new(),
            target: shown(&facts.target),
            toolkit: facts.toolkit.as_deref().map(shown),
            source: source.map(|source| shown(&format!("{}:{}", source.file, source.line))),
            registers: facts.registers,
            stack: facts.stack,
            stack_status: shown(&facts.stack_status),
            spills: facts.spill_bytes.map(SpillBytes::total),
            shared: facts.static_shared,
            shared_limit: facts.limits().map(|limits| limits.block_shared),
            dynamic_shared: facts.dynamic_shared,
            local: facts.local,
            constant: facts.constant.clone(),
            barriers: facts.barriers,
            code: facts.code_bytes,
            param_bytes: facts.param_bytes,
            params,
            max_threads: facts.max_threads,
            required_threads: facts.required_threads,
            cluster: facts.cluster,
            max_cluster_rank: facts.max_cluster_rank,
            max_registers: facts.max_registers,
            externs: facts.externs.iter().map(|name| shown(name)).collect(),
            occupancy: Resident::new(facts, dynamic_shared, curves),
            mix: Counts::new(facts),
            budgets: 0,
            over: Vec::new(),
            findings: Vec::new(),
            changed: None,
        }
    }
}

impl Resident {
    /// `None` where the target's limits are not known.
    fn new(facts: &Facts, dynamic_shared: u64, curves: &mut Curves) -> Option<Self> {
        let limits = facts.limits()?;
        let declared = facts.declared_block();
        let mut block = facts.block(declared.unwrap_or(USUAL_BLOCK));
        block.dynamic_shared = dynamic_shared;
        let found = occupancy(limits, &block);
        let gain = top::gain(limits, &block).map(|gain| Gain {
            less: gain.less,
            of: gain.what,
            warps: gain.warps,
        });
        Some(Self {
            block: block.threads,
            declared: declared.is_some(),
            warps: found.warps,
            max_warps: limits.warps,
            limited_by: found.limiters().map(|one| one.to_string()).collect(),
            gain,
            curve: curves.of(limits, block),
        })
    }
}

impl Counts {
    fn new(facts: &Facts) -> Option<Self> {
        let instructions = facts.instructions.as_ref()?;
        let all = &instructions.all;
        let in_loops = instructions.in_loops.as_ref();
        let of_loops = |class: &str| {
            let counts = in_loops.and_then(|mix: &Mix| mix.classes.get(class));
            counts.copied().unwrap_or(0)
        };
        let classes = all.classes.iter().filter(|(_, count)| **count > 0);
        let mut classes: Vec<(String, u64, u64)> = classes
            .map(|(class, count)| (class.clone(), *count, of_loops(class)))
            .collect();
        classes.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        let accesses = all.accesses.iter().map(|access| {
            let what = if access.store { "store" } else { "load" };
            let width = match access.bytes {
                Some(1) => "1 byte".to_owned(),
                Some(bytes) => format!("{bytes} bytes"),
                None => "width not known".to_owned(),
            };
            (format!("{} {what}, {width}", access.space), access.count)
        });
        Some(Self {
            total: all.total,
            in_loops: in_loops.map(|mix| mix.total),
            fp64: all.fp64,
            accesses: accesses.collect(),
            classes,
        })
    }
}

impl Found {
    fn new(group: &str, finding: &Finding) -> Self {
        let labels = finding.labels.iter().map(|label| {
            let place = format!("{}:{}:{}", label.file, label.line, label.column);
            (shown(&place), shown(&label.text))
        });
        let lines = |texts: &[String]| {
            let shown = texts.iter().map(|text| visible_lines(text).into_owned());
            shown.collect()
        };
        Self {
            group: shown(group),
            code: shown(&finding.code),
            level: finding.level,
            message: shown(&finding.message),
            kernel: finding.kernel.as_deref().map(shown),
            labels: labels.collect(),
            notes: lines(&finding.notes),
            help: lines(&finding.help),
        }
    }
}
