fn main() {
    cubin_build::Builder::new().file("kernels/saxpy.ll").build();
}
