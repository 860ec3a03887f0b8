    /// A compute target: `sm_90`, `sm_90a`, `sm_100f`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Target {
        /// Ten times the major compute capability plus the minor one.
        pub number: u16,
        /// The letter behind the number.
        pub suffix: Suffix,
    }

    /// The letter behind the number of a target.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Suffix {
        /// Runs on this and later minor revisions of the same major one.
        None,
        /// `a`: runs on exactly this revision.
        Accelerated,
        /// `f`: runs on the same family.
        Family,
    }

    impl Target {
        /// `sm_N`
        #[must_use]
        pub const fn new(number: u16) -> Self {
            Self {
                number,
                suffix: Suffix::None,
            }
        }

        /// `sm_Na`
        #[must_use]
        pub const fn accelerated(number: u16) -> Self {
            Self {
                number,
                suffix: Suffix::Accelerated,
            }
        }

        /// `sm_Nf`
        #[must_use]
        pub const fn family(number: u16) -> Self {
            Self {
                number,
                suffix: Suffix::Family,
            }
        }

        /// Whether code for this target runs on a device of compute capability `major.minor`.
        #[must_use]
        pub const fn runs_on(self, (major, minor): (u16, u16)) -> bool {
            let (own_major, own_minor) = (self.number / 10, self.number % 10);
            if own_major != major {
                return false;
            }
            match self.suffix {
                Suffix::Accelerated => own_minor == minor,
                // 10.1 is a family of its own within its major revision.
                Suffix::Family if major == 10 && (own_minor == 1 || minor == 1) => {
                    own_minor == minor
                }
                Suffix::None | Suffix::Family => own_minor <= minor,
            }
        }

        /// Whether two targets are the same, in `const` context.
        #[must_use]
        pub const fn is(self, other: Self) -> bool {
            self.number == other.number && self.suffix as u8 == other.suffix as u8
        }
    }

    impl fmt::Display for Target {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let suffix = match self.suffix {
                Suffix::None => "",
                Suffix::Accelerated => "a",
                Suffix::Family => "f",
            };
            write!(f, "sm_{}{suffix}", self.number)
        }
    }

    /// A cubin within this program.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct Image {
        /// What it was compiled for.
        pub target: Target,
        /// Name of the file it was read from when this program was built.
        pub file: &'static str,
        /// The file's bytes, aligned to 16.
        pub bytes: &'static [u8],
    }

    impl fmt::Debug for Image {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Image")
                .field("target", &self.target)
                .field("file", &self.file)
                .field("bytes", &self.bytes.len())
                .finish()
        }
    }

    /// The image for a device of compute capability `major.minor`: the exact one, or else the closest
    /// lower minor revision; the more special instruction set first.
    #[must_use]
    pub fn choose(images: &'static [Image], device: (u16, u16)) -> Option<&'static Image> {
        let rank = |image: &&Image| {
            let special = match image.target.suffix {
                Suffix::None => 0,
                Suffix::Family => 1,
                Suffix::Accelerated => 2,
            };
            (image.target.number, special)
        };
        let fits = |image: &&Image| image.target.runs_on(device);
        images.iter().filter(fits).max_by_key(rank)
    }

    /// Bytes at an address that the driver likes.
    #[repr(C, align(16))]
    pub(super) struct Aligned<T: ?Sized>(pub(super) T);

    /// What is known of a kernel from its source and its machine code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KernelInfo {
        /// Name in the machine code.
        pub symbol: &'static str,
        /// Name in C++, template arguments included.
        pub name: &'static str,
        /// In the order of the call.
        pub params: &'static [ParamInfo],
        /// One entry per image that holds the kernel.
        pub resources: &'static [Resources],
    }

    impl KernelInfo {
        /// What the kernel needs when compiled for `target`; absent when it was not.
        #[must_use]
        pub const fn resources(&self, target: Target) -> Option<&'static Resources> {
            let mut index = 0;
            while index < self.resources.len() {
                if self.resources[index].target.is(target) {
                    return Some(&self.resources[index]);
                }
                index += 1;
            }
            None
        }
    }

    /// A kernel parameter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ParamInfo {
        /// Name in the source; empty when it has none.
        pub name: &'static str,
        /// C++ type.
        pub c_type: &'static str,
        /// Bytes.
        pub size: u64,
        /// Alignment in bytes.
        pub align: u64,
    }

    impl ParamInfo {
        pub(super) const fn new(
            name: &'static str,
            c_type: &'static str,
            size: u64,
            align: u64,
        ) -> Self {
            Self {
                name,
                c_type,
                size,
                align,
            }
        }
    }

    /// What a kernel needs on one target, and what its source demands of the launch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Resources {
        /// The target.
        pub target: Target,
        /// Registers per thread.
        pub registers: u32,
        /// Stack bytes per thread; absent when not known statically.
        pub stack: Option<u32>,
        /// Bytes of spill stores and of spill loads per thread, where the compiler was asked.
        pub spills: Option<(u64, u64)>,
        /// Static shared memory in bytes per block.
        pub static_shared: u64,
        /// Named barriers, where recorded.
        pub barriers: Option<u8>,
        /// Bytes of machine code.
        pub code_bytes: u64,
        /// The largest block, as x, y and z of which only the product counts.
        pub max_threads: Option<[u32; 3]>,
        /// The only block shape.
        pub required_threads: Option<[u32; 3]>,
        /// The only cluster shape.
        pub cluster: Option<[u32; 3]>,
        /// The launch must give a cluster shape.
        pub explicit_cluster: bool,
        /// The most blocks per cluster.
        pub max_cluster_rank: Option<u32>,
    }

    impl Resources {
        /// Nothing, and no bounds.
        pub(super) const NONE: Self = Self {
            target: Target::new(0),
            registers: 0,
            stack: None,
            spills: None,
            static_shared: 0,
            barriers: None,
            code_bytes: 0,
            max_threads: None,
            required_threads: None,
            cluster: None,
            explicit_cluster: false,
            max_cluster_rank: None,
        };

        /// The most threads per block that the source allows; `u32::MAX` when it sets no bound.
        #[must_use]
        pub const fn max_threads_total(&self) -> u32 {
            match self.max_threads {
                Some([x, y, z]) => x.saturating_mul(y).saturating_mul(z),
                None => u32::MAX,
            }
        }
    }

    /// An address in device memory, typed by what it points to; eight bytes, as in C++.
    ///
    /// As an argument it stands for any pointer, null included. Nothing orders uses of raw addresses
    /// between streams: that is up to the caller.
    #[repr(transparent)]
    pub struct DeviceAddress<T>(u64, PhantomData<fn() -> T>);

    impl<T> DeviceAddress<T> {
        /// The null pointer.
        #[must_use]
        pub const fn null() -> Self {
            Self::new(0)
        }

        /// An address that the driver gave.
        #[must_use]
        pub const fn new(address: u64) -> Self {
            Self(address, PhantomData)
        }

        /// The address as a number.
        #[must_use]
        pub const fn raw(self) -> u64 {
            self.0
        }

        /// The same address with another element type.
        #[must_use]
        pub const fn cast<U>(self) -> DeviceAddress<U> {
            DeviceAddress::new(self.0)
        }
    }

    impl<T> Clone for DeviceAddress<T> {
        fn clone(&self) -> Self {
            *self
        }
    }

    impl<T> Copy for DeviceAddress<T> {}

    impl<T> PartialEq for DeviceAddress<T> {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    impl<T> Eq for DeviceAddress<T> {}

    impl<T> Default for DeviceAddress<T> {
        fn default() -> Self {
            Self::null()
        }
    }

    impl<T> fmt::Debug for DeviceAddress<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{:#x}", self.0)
        }
    }

    /// The `width` bits from bit `first` of `bytes` on, in the order of the device.
    pub(super) const fn bits(bytes: &[u8], first: usize, width: u32) -> u64 {
        let mut value = 0_u64;
        let mut index = 0;
        while index < width {
            let at = first + index as usize;
            let bit = (bytes[at / 8] >> (at % 8)) & 1;
            value |= (bit as u64) << index;
            index += 1;
        }
        value
    }

    /// Writes the lower `width` bits of `value` to bit `first` of `bytes` on.
    pub(super) const fn set_bits(bytes: &mut [u8], first: usize, width: u32, value: u64) {
        let mut index = 0;
        while index < width {
            let at = first + index as usize;
            let bit = ((value >> index) & 1) as u8;
            bytes[at / 8] = (bytes[at / 8] & !(1 << (at % 8))) | (bit << (at % 8));
            index += 1;
        }
    }

    /// The lower `width` bits as a signed number.
    pub(super) const fn sign_extend(bits: u64, width: u32) -> i64 {
        let unused = 64 - width;
        (bits << unused).cast_signed() >> unused
    }
