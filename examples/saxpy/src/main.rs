#![doc = include_str!("../README.md")]

pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
fn main() {}
