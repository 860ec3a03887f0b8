fn main() {
    cubin_build::Builder::new().dir("kernels").build();
}
