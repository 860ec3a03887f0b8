//! cubin.toml, the policy and its findings: configurations as text, findings compared as JSON and as pictures with the
//! files under `golden/diag`. `BLESS=1` rewrites those; they are reviewed like code.

mod baseline;
mod check;
mod config;
mod instructions;
mod mutate;
mod reference;
mod render;
mod rules;
mod specificity;
mod support;
