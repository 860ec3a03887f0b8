#![feature(no_core, lang_items, abi_ptx, intrinsics, rustc_attrs)]
#![no_core]
#![crate_type = "lib"]
#![allow(internal_features)]
#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
impl Copy for i32 {} impl Copy for f32 {} impl Copy for u64 {}
impl<T: PointeeSized> Copy for *mut T {} 
#[no_mangle]
pub unsafe extern "ptx-kernel" fn rk(n: i32, a: f32, p: *mut f32) { *p = a; }
