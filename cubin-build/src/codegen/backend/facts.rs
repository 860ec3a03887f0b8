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

    impl Suffix {
        const fn letter(self) -> &'static str {
            match self {
                Self::None => "",
                Self::Accelerated => "a",
                Self::Family => "f",
            }
        }
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

        /// Whether a driver can compile PTX for the virtual architecture of this number (`compute_90` of `sm_90`)
        /// for a device of compute capability `major.minor`.
        #[must_use]
        pub const fn compiles_for(self, (major, minor): (u16, u16)) -> bool {
            match self.suffix {
                Suffix::None => {
                    let (own_major, own_minor) = (self.number / 10, self.number % 10);
                    own_major < major || (own_major == major && own_minor <= minor)
                }
                Suffix::Accelerated | Suffix::Family => self.runs_on((major, minor)),
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
            write!(f, "sm_{}{}", self.number, self.suffix.letter())
        }
    }

    /// What an image holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Format {
        /// Machine code.
        Cubin,
        /// Text that the driver compiles for its device when it is loaded.
        Ptx,
    }

    /// A cubin or PTX within this program.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub struct Image {
        /// What it was compiled for; of PTX the virtual architecture: `sm_90` stands for `compute_90`.
        pub target: Target,
        /// What it holds.
        pub format: Format,
        /// The target under which [`KernelInfo::resources`] says what a launch must keep to: of a cubin its own,
        /// of PTX the one that it was assembled for when this program was built. PTX fixes launch bounds, cluster
        /// shapes and static shared memory; registers, stack and spills are up to the driver.
        pub assembled: Target,
        /// Name of the file it was read from when this program was built.
        pub file: &'static str,
        /// The file's bytes, aligned to 16; PTX ends in a zero byte, as drivers want it.
        pub bytes: &'static [u8],
    }

    impl Image {
        pub(super) const fn cubin(
            target: Target,
            file: &'static str,
            bytes: &'static [u8],
        ) -> Self {
            Self {
                target,
                format: Format::Cubin,
                assembled: target,
                file,
                bytes,
            }
        }

        pub(super) const fn ptx(
            target: Target,
            assembled: Target,
            file: &'static str,
            bytes: &'static [u8],
        ) -> Self {
            Self {
                target,
                format: Format::Ptx,
                assembled,
                file,
                bytes,
            }
        }

        /// Whether it can be loaded on a device of compute capability `major.minor`.
        #[must_use]
        pub const fn runs_on(&self, device: (u16, u16)) -> bool {
            match self.format {
                Format::Cubin => self.target.runs_on(device),
                Format::Ptx => self.target.compiles_for(device),
            }
        }
    }

    /// `sm_90`, or `PTX compute_90`.
    impl fmt::Display for Image {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.format {
                Format::Cubin => write!(f, "{}", self.target),
                Format::Ptx => {
                    let number = self.target.number;
                    write!(f, "PTX compute_{number}{}", self.target.suffix.letter())
                }
            }
        }
    }

    impl fmt::Debug for Image {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Image")
                .field("target", &self.target)
                .field("format", &self.format)
                .field("assembled", &self.assembled)
                .field("file", &self.file)
                .field("bytes", &self.bytes.len())
                .finish()
        }
    }

    /// The image for a device of compute capability `major.minor`: the exact cubin, or else that of the closest
    /// lower minor revision, the more special instruction set first; where no cubin runs, the newest PTX that
    /// can be compiled for the device.
    #[must_use]
    pub fn choose(images: &'static [Image], device: (u16, u16)) -> Option<&'static Image> {
        let rank = |image: &&Image| {
            let special = match image.target.suffix {
                Suffix::None => 0,
                Suffix::Family => 1,
                Suffix::Accelerated => 2,
            };
            let cubin = matches!(image.format, Format::Cubin);
            (cubin, image.target.number, special)
        };
        let fits = |image: &&Image| image.runs_on(device);
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

    impl<T> Hash for DeviceAddress<T> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

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
