/// What all modules of this file share: facts about kernels, device addresses, launch checks.
#[allow(dead_code, unreachable_pub)]
#[allow(clippy::nursery)]
pub mod runtime {
    use ::core::ffi::c_void;
    use ::core::fmt;
    use ::core::hash::{Hash, Hasher};
    use ::core::marker::PhantomData;

    //@include facts
    //@include checks
    //@include variables

    impl KernelInfo {
        /// Checks a launch of the code for `target`, [`Image::assembled`] of the image that was loaded, as far as
        /// can be known before the driver is asked.
        ///
        /// # Errors
        /// When the kernel was not compiled for `target`, or the launch asks for more than the kernel or
        /// the device allows.
        pub fn check(
            &self,
            target: Target,
            limits: &Limits,
            launch: &Shape,
        ) -> Result<(), LaunchError> {
            let Some(resources) = self.resources(target) else {
                return Err(self.error(Reason::NotInImage(target)));
            };
            let checked = limits.check(resources, launch);
            checked.map_err(|reason| self.error(reason))
        }
    }
}
