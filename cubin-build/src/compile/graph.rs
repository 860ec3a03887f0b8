//! The steps of a request as a graph: preprocess, then cicc, of each source for each virtual architecture, then ptxas for
//! each target; or nvcc whole. A step that can run waits for a job; of several the one that begins the longest chain goes
//! first, by the times of the last build or, without them, by the size of what is to be worked on.
//!
//! Preprocessing comes before all: it takes little, finds most mistakes, and says how much there is to do.

use std::{
    ffi::OsString,
    path::Path,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use cubin_core::Sm;

use super::{
    Cause, Failure, Source, Unit,
    back::{Assembled, Back, Ptx},
    front::{Front, Next, Prepared, Translated},
    inputs::Inputs,
    kind::Kind,
    progress::{Ahead, Progress, Tool},
    run, times,
    unit::{Common, Parts},
    whole,
};
use crate::{
    cache::ContentHash,
    jobs::{self, Queue},
    lists::{CollectVec, Figures},
};

/// Steps, by the names that are kept with their times.
const PREPROCESS: Tool = "preprocess";
const CICC_STEP: Tool = "cicc";

/// What the last step of a plan runs.
fn tool(way: &Way<'_>) -> Tool {
    match way {
        Way::Steps(..) | Way::Ptx(_) => "ptxas",
        #[cfg(feature = "nvvm")]
        Way::Nvvm(_) => "libnvvm",
        Way::Whole(_) | Way::Fails(_) => "nvcc",
    }
}

/// Milliseconds of cicc for a million bytes of text that is not of system headers, and of ptxas for a million bytes of
/// PTX: they only order steps that have not run before.
const CICC: u64 = 20_000;
const PTXAS: u64 = 2_500;

/// Hears of each source and target that was compiled, when it is done, and why.
pub(super) type Told<'t> = dyn Fn(&Path, Sm, &str) + Sync + 't;

/// A source for a target.
pub(super) struct Plan<'a> {
    pub(super) source: &'a Source,
    pub(super) target: Sm,
    pub(super) way: Way<'a>,
}

/// How a plan is carried out.
pub(super) enum Way<'a> {
    /// By the steps of a front, by its number, and then ptxas.
    Steps(usize, Back<'a>),
    /// By ptxas alone.
    Ptx(Back<'a>),
    /// By libnvvm and ptxas.
    #[cfg(feature = "nvvm")]
    Nvvm(super::nvvm::Plan<'a>),
    /// By nvcc.
    Whole(whole::Plan<'a>),
    /// Not at all.
    Fails(Box<Failure>),
}

/// Steps that wait, and what came of those that ran.
pub(super) struct Graph<'g, 'a> {
    common: &'g Common<'a>,
    fronts: &'g [Front<'a>],
    plans: &'g [Plan<'a>],
    translated: Vec<OnceLock<Translated>>,
    state: Mutex<State>,
    told: &'g Told<'g>,
    progress: Progress,
}

#[derive(Default)]
struct State {
    /// Priority, step, why it runs.
    ready: Vec<(u64, Node, String)>,
    /// Steps that began, in order, and why.
    taken: Vec<(Node, String)>,
    prepared: Vec<Option<Prepared>>,
    /// By plan.
    results: Vec<Option<Result<Parts, Box<Failure>>>>,
    /// Each of another key.
    assembling: Vec<Assembling>,
}

/// A plan that ptxas runs for.
struct Assembling {
    /// Of all that decides what it makes.
    key: ContentHash,
    plan: usize,
    /// Plans that wait for the same, and why.
    waiting: Vec<(usize, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Preprocess(usize),
    Translate(usize),
    Plan(usize),
}

impl<'g, 'a> Graph<'g, 'a> {
    pub(super) fn new(
        common: &'g Common<'a>,
        fronts: &'g [Front<'a>],
        plans: &'g [Plan<'a>],
        told: &'g Told<'g>,
    ) -> Self {
        let mut state = State::default();
        state.prepared.resize_with(fronts.len(), || None);
        state.results.resize_with(plans.len(), || None);
        Self {
            common,
            fronts,
            plans,
            translated: fronts.iter().map(|_| OnceLock::new()).collect_vec(),
            state: Mutex::new(state),
            told,
            progress: Progress::new(common.env),
        }
    }

    /// Takes earlier results where they hold, and runs what else is needed. By plan.
    pub(super) fn run(self) -> Vec<Result<Unit, Box<Failure>>> {
        for (number, front) in self.fronts.iter().enumerate() {
            match front.check(self.common) {
                Ok(translated) => self.front_done(number, Ok(translated)),
                Err(reason) => self.push(u64::MAX, Node::Preprocess(number), reason),
            }
        }
        for (number, plan) in self.plans.iter().enumerate() {
            let known = match &plan.way {
                Way::Steps(..) => continue,
                Way::Fails(failure) => {
                    self.done(number, Err(failure.clone()));
                    continue;
                }
                Way::Ptx(back) => {
                    let assembled = back.check(self.common, Ptx::Source);
                    assembled.map(|assembled| ptx_parts(self.common, plan, assembled))
                }
                #[cfg(feature = "nvvm")]
                Way::Nvvm(nvvm) => nvvm.up_to_date(self.common),
                Way::Whole(whole) => whole.up_to_date(self.common),
            };
            match known {
                Ok(parts) => self.done(number, Ok(parts)),
                Err(reason) => self.push(self.time_of(number), Node::Plan(number), reason),
            }
        }
        if self.ready() {
            let _guard = run::Guard::new();
            self.progress.starts(self.ahead().len());
            jobs::run_queue(self.common.env, &self);
        }
        let state = self.state.into_inner();
        let results = state.unwrap_or_else(PoisonError::into_inner).results;
        let mut units = Vec::with_capacity(results.len());
        for (plan, result) in self.plans.iter().zip(results) {
            if let Some(result) = result {
                units.push(result.map(|parts| parts.unit(plan.source, plan.target)));
            }
        }
        units
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, priority: u64, node: Node, reason: String) {
        self.state().ready.push((priority, node, reason));
    }

    fn done(&self, plan: usize, result: Result<Parts, Box<Failure>>) {
        if let Ok(Parts { ran: Some(why), .. }) = &result {
            let Plan { source, target, .. } = &self.plans[plan];
            (self.told)(&source.path, *target, why);
        }
        self.state().results[plan] = Some(result);
    }

    /// The plans that a front is for.
    fn plans_of(&self, front: usize) -> Vec<(usize, &'g Back<'a>)> {
        let mut found = Vec::new();
        for (number, plan) in self.plans.iter().enumerate() {
            match &plan.way {
                Way::Steps(of, back) if *of == front => found.push((number, back)),
                _ => {}
            }
        }
        found
    }

    fn front_done(&self, number: usize, result: Result<Translated, Box<Failure>>) {
        let plans = self.plans_of(number);
        let translated = match result {
            Ok(translated) => self.translated[number].get_or_init(|| translated),
            Err(failure) => {
                for (plan, back) in plans {
                    let mut failure = failure.clone();
                    failure.targets = vec![back.target];
                    self.done(plan, Err(failure));
                }
                return;
            }
        };
        let front = &self.fronts[number];
        if self.common.request.options.front_end_only {
            for (plan, back) in plans {
                self.done(plan, declared(front, translated, back));
            }
            return;
        }
        for (plan, back) in plans {
            match back.check(self.common, Ptx::Made(translated)) {
                Ok(assembled) => self.done(plan, Ok(parts(front, translated, assembled))),
                Err(reason) => {
                    let reason = translated.ran.clone().unwrap_or(reason);
                    self.assemble(plan, back.key(translated), reason);
                }
            }
        }
    }

    /// Lets ptxas run for a plan, unless it does, or did, the same for another one.
    fn assemble(&self, plan: usize, key: ContentHash, reason: String) {
        let mut state = self.state();
        let State {
            assembling,
            results,
            ..
        } = &mut *state;
        match assembling.iter_mut().find(|known| known.key == key) {
            None => {
                assembling.push(Assembling {
                    key,
                    plan,
                    waiting: Vec::new(),
                });
                drop(state);
                self.push(self.time_of(plan), Node::Plan(plan), reason);
            }
            Some(known) if results[known.plan].is_none() => known.waiting.push((plan, reason)),
            Some(known) => {
                let first = known.plan;
                drop(state);
                self.share(first, plan, reason);
            }
        }
    }

    /// Gives a plan what another one has made, or lets it make its own.
    fn share(&self, first: usize, plan: usize, reason: String) {
        match self.adopt(plan, first, &reason) {
            Some(parts) => self.done(plan, Ok(parts)),
            None => self.push(self.time_of(plan), Node::Plan(plan), reason),
        }
    }

    /// Those that wait for what a plan makes.
    fn waiting(&self, first: usize) -> Vec<(usize, String)> {
        let mut state = self.state();
        let mut all = state.assembling.iter_mut();
        match all.find(|known| known.plan == first) {
            Some(known) => std::mem::take(&mut known.waiting),
            None => Vec::new(),
        }
    }

    fn adopt(&self, plan: usize, from: usize, reason: &str) -> Option<Parts> {
        if !matches!(self.state().results[from], Some(Ok(_))) {
            return None;
        }
        let of = |plan: usize| match &self.plans[plan].way {
            Way::Steps(front, back) => {
                let translated = self.translated[*front].get()?;
                Some((&self.fronts[*front], translated, back))
            }
            _ => None,
        };
        let ((front, translated, back), (_, other_made, other)) = (of(plan)?, of(from)?);
        let other = (other, other_made.ptx.as_path());
        let assembled = back.adopt(self.common, other, translated, reason)?;
        Some(parts(front, translated, assembled))
    }

    /// Milliseconds that the last step of a plan will take.
    fn time_of(&self, plan: usize) -> u64 {
        match &self.plans[plan].way {
            Way::Steps(front, back) => times::last(&back.dir, "ptxas").unwrap_or_else(|| {
                let translated = self.translated[*front].get();
                let ptx = translated.and_then(|translated| translated.ptx.metadata().ok());
                ptx.map_or(0, |ptx| ptx.len()) * PTXAS / 1_000_000
            }),
            Way::Ptx(back) => times::last(&back.dir, "ptxas").unwrap_or(0),
            _ => {
                let path = self.common.request.root.join(&self.plans[plan].source.path);
                path.metadata().map_or(0, |meta| meta.len())
            }
        }
    }

    /// Milliseconds of cicc and of the longest ptxas behind it.
    fn chain_of(&self, number: usize, own: usize) -> u64 {
        let front = &self.fronts[number];
        let guess = own as u64 * CICC / 1_000_000;
        let cicc = times::last(&front.dir, "cicc").unwrap_or(guess);
        let plans = self.plans_of(number);
        let behind = plans
            .iter()
            .map(|(_, back)| times::last(&back.dir, "ptxas").unwrap_or(0));
        cicc + behind.largest().unwrap_or(0)
    }

    /// What a step runs, on what, and for which target.
    fn words(&self, node: Node) -> (Tool, &'g Path, String) {
        match node {
            Node::Preprocess(front) | Node::Translate(front) => {
                let tool = if matches!(node, Node::Preprocess(_)) {
                    PREPROCESS
                } else {
                    CICC_STEP
                };
                let front = &self.fronts[front];
                (tool, &front.source.path, front.steps.virtual_arch.clone())
            }
            Node::Plan(plan) => {
                let plan = &self.plans[plan];
                (tool(&plan.way), &plan.source.path, plan.target.to_string())
            }
        }
    }

    /// The steps that are not done, as far as is known now.
    fn ahead(&self) -> Vec<Ahead> {
        let state = self.state();
        let mut ahead = Vec::new();
        for (number, plan) in self.plans.iter().enumerate() {
            if state.results[number].is_some() {
                continue;
            }
            let (chain, dir) = match &plan.way {
                // Nothing follows the front end.
                Way::Steps(..) if self.common.request.options.front_end_only => continue,
                Way::Steps(front, back) => (*front, Some(&back.dir)),
                Way::Ptx(back) => (self.fronts.len() + number, Some(&back.dir)),
                _ => (self.fronts.len() + number, None),
            };
            let tool = tool(&plan.way);
            let last = dir.and_then(|dir| times::last(dir, tool));
            ahead.push(Ahead { tool, last, chain });
        }
        for (chain, front) in self.fronts.iter().enumerate() {
            let waits = |(number, plan): (usize, &Plan<'_>)| {
                state.results[number].is_none()
                    && matches!(&plan.way, Way::Steps(of, _) if *of == chain)
            };
            if self.translated[chain].get().is_some() || !self.plans.iter().enumerate().any(waits) {
                continue;
            }
            let taken = |wanted: Node| state.taken.iter().any(|(node, _)| *node == wanted);
            let mut tools = vec![CICC_STEP];
            if !taken(Node::Translate(chain)) && state.prepared[chain].is_none() {
                tools.push(PREPROCESS);
            }
            for tool in tools {
                let last = times::last(&front.dir, tool);
                ahead.push(Ahead { tool, last, chain });
            }
        }
        ahead
    }

    fn preprocess(&self, number: usize, reason: &str) {
        let front = &self.fronts[number];
        match front.prepare(self.common, reason) {
            Ok(Next::Keep(translated)) => self.front_done(number, Ok(*translated)),
            Ok(Next::Translate(prepared)) => {
                let priority = self.chain_of(number, prepared.own);
                let mut state = self.state();
                state.prepared[number] = Some(*prepared);
                state
                    .ready
                    .push((priority, Node::Translate(number), String::new()));
            }
            Err(failure) => self.front_done(number, Err(failure)),
        }
    }

    fn plan(&self, number: usize, reason: &str) -> Result<Parts, Box<Failure>> {
        let plan = &self.plans[number];
        match &plan.way {
            Way::Steps(front, back) => {
                let Some(translated) = self.translated[*front].get() else {
                    let why = "a step ran before what it needs".to_owned();
                    return Err(self.fronts[*front].step().failure(Cause::Spawn(why)));
                };
                let front = &self.fronts[*front];
                let ptx = Ptx::Made(translated);
                let assembled = back.assemble(self.common, ptx, reason)?;
                Ok(parts(front, translated, assembled))
            }
            Way::Ptx(back) => {
                let made = back.assemble(self.common, Ptx::Source, reason)?;
                Ok(ptx_parts(self.common, plan, made))
            }
            #[cfg(feature = "nvvm")]
            Way::Nvvm(nvvm) => nvvm.build(self.common, reason),
            Way::Whole(whole) => whole.build(self.common, reason),
            Way::Fails(failure) => Err(failure.clone()),
        }
    }
}

impl Queue for Graph<'_, '_> {
    fn ready(&self) -> bool {
        !self.state().ready.is_empty()
    }

    fn next(&self) -> Option<usize> {
        let mut state = self.state();
        let ready = &mut state.ready;
        let mut first = 0;
        for (at, (priority, ..)) in ready.iter().enumerate() {
            if *priority > ready[first].0 {
                first = at;
            }
        }
        if ready.is_empty() {
            return None;
        }
        let (_, node, reason) = ready.remove(first);
        state.taken.push((node, reason));
        Some(state.taken.len() - 1)
    }

    fn threads(&self, number: usize) -> usize {
        let taken = self.state().taken.get(number).cloned();
        match taken {
            Some((Node::Translate(front), _)) => self.fronts[front].steps.threads(),
            Some((Node::Plan(plan), _)) => match &self.plans[plan].way {
                Way::Steps(front, _) => self.fronts[*front].steps.threads(),
                _ => 1,
            },
            _ => 1,
        }
    }

    fn look(&self) {
        self.progress.tell(&|| self.ahead());
    }

    fn run(&self, number: usize) {
        let taken = self.state().taken.get(number).cloned();
        let Some((node, reason)) = taken else { return };
        let (tool, source, target) = self.words(node);
        self.progress.begins(number, tool, source, &target);
        match node {
            Node::Preprocess(front) => self.preprocess(front, &reason),
            Node::Translate(number) => {
                let prepared = self.state().prepared[number].take();
                if let Some(prepared) = prepared {
                    let front = &self.fronts[number];
                    let result = front.translate(self.common, prepared);
                    self.front_done(number, result);
                }
            }
            Node::Plan(number) => {
                let result = self.plan(number, &reason);
                self.done(number, result);
                for (plan, reason) in self.waiting(number) {
                    self.share(number, plan, reason);
                }
            }
        }
        self.progress.ends(number);
    }
}

/// The parts of a unit that cicc and ptxas made.
fn parts(front: &Front<'_>, translated: &Translated, assembled: Assembled) -> Parts {
    let both = format!("{}\n{}", translated.identity, assembled.identity);
    Parts {
        cubin: assembled.cubin,
        side_files: Some((translated.stub.clone(), translated.gpu.clone())),
        ptx: translated.ptx.clone(),
        inputs: translated.inputs.clone(),
        includes: front.watched_dirs(),
        log: format!("{}{}", translated.log, assembled.log),
        identity: ContentHash::of(both.as_bytes()),
        ran: translated.ran.clone().or(assembled.ran),
    }
}

/// The parts of a unit that goes no further than the front end; its cubin is a name without a file.
fn declared(
    front: &Front<'_>,
    translated: &Translated,
    back: &Back<'_>,
) -> Result<Parts, Box<Failure>> {
    // What is read of it is kept there.
    if let Err(error) = std::fs::create_dir_all(&back.dir) {
        let step = front.step();
        return Err(step.io(&back.dir)(error));
    }
    Ok(Parts {
        cubin: back.dir.join("none.cubin"),
        side_files: Some((translated.stub.clone(), translated.gpu.clone())),
        ptx: translated.ptx.clone(),
        inputs: translated.inputs.clone(),
        includes: front.watched_dirs(),
        log: translated.log.clone(),
        identity: translated.identity,
        ran: translated.ran.clone(),
    })
}

/// The parts of a unit whose source is PTX.
fn ptx_parts(common: &Common<'_>, plan: &Plan<'_>, assembled: Assembled) -> Parts {
    let path = &plan.source.path;
    Parts {
        cubin: assembled.cubin,
        side_files: None,
        ptx: common.request.root.join(path),
        inputs: Inputs::of_file(path),
        includes: Vec::new(),
        log: assembled.log,
        identity: assembled.identity,
        ran: assembled.ran,
    }
}

/// The kinds of a request, each once.
#[derive(Default)]
pub(super) struct Kinds(Vec<(Vec<OsString>, Kind)>);

impl Kinds {
    pub(super) fn add(&mut self, common: &Common<'_>, words: Vec<OsString>) {
        if self.get(&words).is_none() {
            let kind = Kind::of(common, &words);
            self.0.push((words, kind));
        }
    }

    pub(super) fn get(&self, words: &[OsString]) -> Option<&Kind> {
        let mut kinds = self.0.iter();
        kinds
            .find(|(known, _)| known == words)
            .map(|(_, kind)| kind)
    }

    /// Why nvcc compiles as a whole.
    pub(super) fn not_understood(&self) -> Option<&str> {
        self.0.iter().find_map(|(_, kind)| match kind {
            Kind::Whole(why) => Some(why.as_str()),
            _ => None,
        })
    }
}
