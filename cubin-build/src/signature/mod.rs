//! Kernel signatures from the files that nvcc leaves beside the PTX.
pub mod model;
