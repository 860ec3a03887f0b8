//! What a launch asks for, held against what device and kernel allow.

use core::ffi::c_void;

use super::error::{LaunchError, Reason};
use super::kernel::{KernelInfo, Resources};
use super::target::Target;

/// What a device allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Blocks along x, y and z.
    pub grid: (u32, u32, u32),
    /// Threads of a block along x, y and z.
    pub block: (u32, u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic plus static shared memory per block without asking for more.
    pub shared: u64,
    /// The same after asking for more.
    pub shared_optin: u64,
    /// Whether blocks can be launched to be resident all at once.
    pub cooperative: bool,
    /// Whether blocks can be launched in clusters.
    pub clusters: bool,
}

/// What a launch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks along x, y and z.
    pub grid: (u32, u32, u32),
    /// Threads of a block along x, y and z.
    pub block: (u32, u32, u32),
    /// Bytes of dynamic shared memory per block.
    pub shared: u32,
    /// All blocks resident at once.
    pub cooperative: bool,
    /// Blocks of a cluster along x, y and z, where the launch gives them.
    pub cluster: Option<(u32, u32, u32)>,
}

#[inline]
pub(super) fn product((x, y, z): (u32, u32, u32)) -> u64 {
    u64::from(x)
        .saturating_mul(u64::from(y))
        .saturating_mul(u64::from(z))
}

fn within((x, y, z): (u32, u32, u32), limit: (u32, u32, u32)) -> bool {
    let one = |value, limit| 0 < value && value <= limit;
    one(x, limit.0) && one(y, limit.1) && one(z, limit.2)
}

impl Limits {
    /// Holds a launch against the device and against what the kernel was compiled for.
    ///
    /// # Errors
    /// What the launch asks for beyond either.
    pub fn check(&self, resources: &Resources, launch: &Shape) -> Result<(), Reason> {
        let (grid, block, dynamic) = (launch.grid, launch.block, launch.shared);
        if !within(grid, self.grid) {
            return Err(Reason::Grid {
                grid,
                limit: self.grid,
            });
        }
        if !within(block, self.block) {
            return Err(Reason::Block {
                block,
                limit: self.block,
            });
        }
        let shape = [block.0, block.1, block.2];
        let other = resources
            .required_threads
            .filter(|&required| required != shape);
        if let Some(required) = other {
            return Err(Reason::RequiredBlock { block, required });
        }
        let threads = product(block);
        let limit = resources.max_threads_total().min(self.threads);
        if threads > u64::from(limit) {
            return Err(Reason::Threads { threads, limit });
        }
        if u64::from(dynamic).saturating_add(resources.static_shared) > self.shared_optin {
            return Err(Reason::SharedMemory {
                dynamic,
                fixed: resources.static_shared,
                limit: self.shared_optin,
            });
        }
        if dynamic == 0 && resources.dynamic_shared == Some(true) {
            return Err(Reason::NoDynamicShared);
        }
        if launch.cooperative && !self.cooperative {
            return Err(Reason::Cooperative);
        }
        self.check_cluster(resources, launch)
    }

    fn check_cluster(&self, resources: &Resources, launch: &Shape) -> Result<(), Reason> {
        let required = resources.cluster;
        let cluster = match (launch.cluster, required) {
            (None, None) if resources.explicit_cluster => {
                return Err(Reason::RequiredCluster {
                    cluster: None,
                    required,
                });
            }
            (None, None) => return Ok(()),
            (None, Some([x, y, z])) => (x, y, z),
            (Some(cluster), None) => cluster,
            (Some(cluster), Some([x, y, z])) => {
                if cluster != (x, y, z) {
                    return Err(Reason::RequiredCluster {
                        cluster: Some(cluster),
                        required,
                    });
                }
                cluster
            }
        };
        if !self.clusters {
            return Err(Reason::NoClusters);
        }
        // Eight blocks are portable; more need the kernel's own promise, and the driver decides.
        let limit = resources.max_cluster_rank.unwrap_or(16).min(16);
        let (x, y, z) = cluster;
        if product(cluster) == 0 || product(cluster) > u64::from(limit) {
            return Err(Reason::Cluster { cluster, limit });
        }
        let grid = launch.grid;
        let whole =
            grid.0.is_multiple_of(x) && grid.1.is_multiple_of(y) && grid.2.is_multiple_of(z);
        if !whole {
            return Err(Reason::ClusterGrid { grid, cluster });
        }
        Ok(())
    }
}

impl KernelInfo {
    /// Checks a launch of the code for `target`, [`Image::assembled`](super::Image::assembled) of the image that was
    /// loaded, as far as can be known before the driver is asked.
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
        let checked = limits.check(&resources, launch);
        checked.map_err(|reason| self.error(reason))
    }
}

/// The address of an argument, for the driver to read the value from.
#[doc(hidden)]
#[inline]
pub fn param<T>(value: &T) -> *mut c_void {
    core::ptr::from_ref(value).cast_mut().cast()
}
