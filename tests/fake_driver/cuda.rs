//! A stand-in for the CUDA driver library: answers the functions that cudarc and generated wrappers call,
//! and writes down what it is asked. Built as `libcuda.so` by rustc alone, for the tests `codegen_driver` and
//! `codegen_ptx` and the benchmark `launch` (`cubin_tests::fake_driver`).
//!
//! Environment:
//! - `FAKE_DRIVER_LOG`: file that each call is appended to, one line each. Without it the driver is quiet: of a
//!   launch it does only what any driver must, which is to copy the arguments into a parameter block;
//! - `FAKE_DRIVER_PARAMS`: file with a line `symbol offset:size offset:size …` per kernel, as the cubin
//!   records them;
//! - `FAKE_DRIVER_DEVICE`: compute capability of the device, `9.0` by default;
//! - `FAKE_DRIVER_ELF`: status that loading a cubin ends with, 0 by default;
//! - `FAKE_DRIVER_PTX`: status that loading PTX ends with, 0 by default;
//! - `FAKE_DRIVER_LAUNCH_NS`: nanoseconds that a launch takes at least, if the driver is quiet.
//!
//! A launch is logged with the parameter block as a driver builds it: from each pointer, as many bytes as
//! the cubin records, put where the cubin records them. On a stream that is being captured it is kept as a node
//! of the graph instead, and logged when the graph is launched.
#![crate_type = "cdylib"]
#![allow(non_snake_case, clippy::missing_safety_doc)]

mod device;
mod graphs;
mod launch;
mod log;
mod memory;
mod modules;
mod state;
mod status;
mod streams;
