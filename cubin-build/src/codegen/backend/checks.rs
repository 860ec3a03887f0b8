    /// Why a kernel cannot be launched. All but the driver's own refusals is found before the
    /// launch is handed to the driver.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct LaunchError {
        /// C++ name of the kernel.
        pub kernel: &'static str,
        /// What is wrong.
        pub reason: Reason,
    }

    /// What is wrong with a launch.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Reason {
        /// The kernel is not in the image that was loaded.
        NotInImage(Target),
        /// The kernel belongs to another module than this one.
        OtherModule(&'static str),
        /// The stream belongs to another context than the module.
        OtherContext,
        /// The grid has a zero or too large dimension.
        Grid {
            /// Blocks along x, y and z.
            grid: (u32, u32, u32),
            /// What the device allows.
            limit: (u32, u32, u32),
        },
        /// The block has a zero or too large dimension.
        Block {
            /// Threads along x, y and z.
            block: (u32, u32, u32),
            /// What the device allows.
            limit: (u32, u32, u32),
        },
        /// More threads per block than the kernel can run with on this device.
        Threads {
            /// Threads per block.
            threads: u64,
            /// The most that its launch bounds, its registers and the device allow.
            limit: u32,
        },
        /// The kernel was compiled for exactly one block shape.
        RequiredBlock {
            /// Threads along x, y and z.
            block: (u32, u32, u32),
            /// The shape it was compiled for.
            required: [u32; 3],
        },
        /// More shared memory than the device has for a block.
        SharedMemory {
            /// Bytes of dynamic shared memory asked for.
            dynamic: u32,
            /// Bytes that the kernel itself declares.
            fixed: u64,
            /// Bytes that the device allows per block.
            limit: u64,
        },
        /// The device cannot launch cooperatively.
        Cooperative,
        /// The device cannot launch clusters.
        NoClusters,
        /// The kernel needs a cluster shape, or another one.
        RequiredCluster {
            /// The shape asked for.
            cluster: Option<(u32, u32, u32)>,
            /// The shape it was compiled for; absent when it only needs to be given one.
            required: Option<[u32; 3]>,
        },
        /// The cluster has a zero dimension or too many blocks.
        Cluster {
            /// Blocks along x, y and z.
            cluster: (u32, u32, u32),
            /// The most blocks per cluster.
            limit: u32,
        },
        /// The grid is no multiple of the cluster.
        ClusterGrid {
            /// Blocks along x, y and z.
            grid: (u32, u32, u32),
            /// Blocks per cluster along x, y and z.
            cluster: (u32, u32, u32),
        },
        //@if driver
        /// The driver refused.
        Driver(DriverError),
        //@end
    }

    impl fmt::Display for LaunchError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "cannot launch `{}`: {}", self.kernel, self.reason)
        }
    }

    impl ::core::error::Error for LaunchError {}

    impl fmt::Display for Reason {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::NotInImage(target) => write!(f, "the kernel was not compiled for {target}"),
                Self::OtherModule(module) => write!(f, "module `{module}` has no such kernel"),
                Self::OtherContext => f.write_str("the stream belongs to another context"),
                Self::Grid { grid, limit } => {
                    write!(f, "grid {grid:?}, the device allows 1 to {limit:?}")
                }
                Self::Block { block, limit } => {
                    write!(f, "block {block:?}, the device allows 1 to {limit:?}")
                }
                Self::Threads { threads, limit } => {
                    write!(f, "{threads} threads per block, the kernel allows {limit}")
                }
                Self::RequiredBlock { block, required } => {
                    write!(f, "block {block:?}, compiled for exactly {required:?}")
                }
                Self::SharedMemory {
                    dynamic,
                    fixed,
                    limit,
                } => write!(
                    f,
                    "{dynamic} bytes of dynamic and {fixed} of static shared memory, the device allows {limit} per block"
                ),
                Self::Cooperative => f.write_str("the device has no cooperative launch"),
                Self::NoClusters => f.write_str("the device has no thread block clusters"),
                Self::RequiredCluster { cluster, required } => match (cluster, required) {
                    (_, None) => f.write_str("the launch must give a cluster shape"),
                    (_, Some(required)) => {
                        write!(f, "cluster {cluster:?}, compiled for exactly {required:?}")
                    }
                },
                Self::Cluster { cluster, limit } => {
                    write!(f, "cluster {cluster:?}, at most {limit} blocks are allowed")
                }
                Self::ClusterGrid { grid, cluster } => {
                    write!(f, "grid {grid:?} is no multiple of cluster {cluster:?}")
                }
                //@if driver
                Self::Driver(error) => write!(f, "{error}"),
                //@end
            }
        }
    }

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
    fn product((x, y, z): (u32, u32, u32)) -> u64 {
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
        #[cold]
        pub(super) fn error(&self, reason: Reason) -> LaunchError {
            LaunchError {
                kernel: self.name,
                reason,
            }
        }
    }

    /// The address of an argument, for the driver to read the value from.
    #[inline]
    pub(super) fn param<T>(value: &T) -> *mut c_void {
        ::core::ptr::from_ref(value).cast_mut().cast()
    }
