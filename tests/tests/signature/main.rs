//! Kernel signatures: real nvcc on hard parameters, recorded side files, damaged side files.

mod damaged;
mod dump;
mod guarded;
mod mismatch;
mod oracle;
mod recorded;
mod torture;
mod variables;
