//! `y[i] = a * x[i] + y[i]` as a Rust kernel, which needs no target to be installed: what it takes of `core` stands here.
//!
//! With `rustup target add nvptx64-nvidia-cuda` and a nightly compiler, a kernel is `#![no_std]` and has all of `core`.
//! `saxpy.ll` beside this was made of it by
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 rustc +1.95 --target nvptx64-nvidia-cuda -Ctarget-cpu=sm_75 -Copt-level=3 -Cdebuginfo=2 \
//!     --remap-path-prefix=$PWD=kernels --emit=llvm-ir saxpy.rs
//! ```
#![feature(abi_ptx, arbitrary_self_types, intrinsics, lang_items)]
#![feature(link_llvm_intrinsics, no_core, rustc_attrs)]
#![allow(internal_features, dead_code)]
#![crate_type = "lib"]
#![no_core]

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn thread() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    fn block() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    fn block_size() -> u32;
}

/// # Safety
/// `x` and `y` have `n` elements each.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
    let i = block() * block_size() + thread();
    if i < n {
        let x = arith_offset(x, i as isize);
        let y = arith_offset(y as *const f32, i as isize) as *mut f32;
        *y = a * *x + *y;
    }
}

// What `core` has.

#[rustc_intrinsic]
const unsafe fn arith_offset<T>(to: *const T, by: isize) -> *const T;

#[lang = "pointee_sized"]
trait PointeeSized {}
#[lang = "meta_sized"]
trait MetaSized: PointeeSized {}
#[lang = "sized"]
trait Sized: MetaSized {}
#[lang = "copy"]
trait Copy {}
impl Copy for u32 {}
impl Copy for isize {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *const T {}
impl<T: PointeeSized> Copy for *mut T {}

#[lang = "mul"]
trait Mul<Other = Self> {
    type Output;
    fn mul(self, other: Other) -> Self::Output;
}
impl Mul for u32 {
    type Output = u32;
    fn mul(self, other: u32) -> u32 {
        self * other
    }
}
impl Mul for f32 {
    type Output = f32;
    fn mul(self, other: f32) -> f32 {
        self * other
    }
}
#[lang = "add"]
trait Add<Other = Self> {
    type Output;
    fn add(self, other: Other) -> Self::Output;
}
impl Add for u32 {
    type Output = u32;
    fn add(self, other: u32) -> u32 {
        self + other
    }
}
impl Add for f32 {
    type Output = f32;
    fn add(self, other: f32) -> f32 {
        self + other
    }
}
#[lang = "eq"]
trait PartialEq<Other: PointeeSized = Self>: PointeeSized {
    fn eq(&self, other: &Other) -> bool;
}
#[lang = "partial_ord"]
trait PartialOrd<Other: PointeeSized = Self>: PartialEq<Other> {
    fn lt(&self, other: &Other) -> bool;
}
impl PartialEq for u32 {
    fn eq(&self, other: &u32) -> bool {
        *self == *other
    }
}
impl PartialOrd for u32 {
    fn lt(&self, other: &u32) -> bool {
        *self < *other
    }
}
impl Copy for bool {}
