//! The launches that are compared, each written in every way.

use std::{ffi::c_void, fmt::Debug, hint::black_box, ptr, sync::Arc};

#[cfg(feature = "launch-builder")]
use cudarc::driver::PushKernelArg;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError,
    LaunchConfig, result, sys,
};

mod generated {
    include!("../../golden/codegen/both.rs");
}

use generated::{
    kinds, more,
    runtime::{self, DeviceAddress},
    types,
};

/// A way to launch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Wrapper,
    Direct,
    Careful,
    #[cfg(feature = "launch-builder")]
    Builder,
}

#[cfg(not(feature = "launch-builder"))]
pub(crate) const WAYS: [Way; 3] = [Way::Wrapper, Way::Direct, Way::Careful];
#[cfg(feature = "launch-builder")]
pub(crate) const WAYS: [Way; 4] = [Way::Wrapper, Way::Direct, Way::Careful, Way::Builder];

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wrapper => "wrapper",
            Self::Direct => "direct",
            Self::Careful => "careful",
            #[cfg(feature = "launch-builder")]
            Self::Builder => "builder",
        }
    }
}

/// What is launched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// `saxpy(int, float, const float *, float *)` with raw addresses.
    Addresses,
    /// The same with slices, in a context of one stream.
    Slices,
    /// The same with slices of another stream, so that events order their uses.
    Ordered,
    /// `use_shared(Shape, Vec<float, 4>, Mixed, float *)`: records of 16, 16 and 12 bytes by value.
    Records,
    /// `big(Big, float *)`: a record of 6,000 bytes by value.
    Big,
}

pub(crate) const CASES: [Case; 5] = [
    Case::Addresses,
    Case::Slices,
    Case::Ordered,
    Case::Records,
    Case::Big,
];

impl Case {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Addresses => "addresses",
            Self::Slices => "slices",
            Self::Ordered => "ordered",
            Self::Records => "records",
            Self::Big => "big",
        }
    }

    /// Waits, records and launches of one launch.
    pub(crate) fn driver_calls(self) -> usize {
        // Waits for the write of x and for the read and the write of y; records the read of x and the write of y.
        if self == Self::Ordered { 6 } else { 1 }
    }

    /// Waits of two slices that are dropped at the end.
    pub(crate) fn last_calls(self) -> usize {
        if self == Self::Ordered { 4 } else { 0 }
    }
}

const CONFIG: LaunchConfig = LaunchConfig {
    grid_dim: (1, 1, 1),
    block_dim: (64, 1, 1),
    shared_mem_bytes: 0,
};

/// Everything that launches need, made before they are measured.
pub(crate) struct Fixture {
    case: Case,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    kinds: kinds::Module,
    more: more::Module,
    function: sys::CUfunction,
    #[cfg(feature = "launch-builder")]
    built: cudarc::driver::CudaFunction,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    /// Where they lie.
    at: (sys::CUdeviceptr, sys::CUdeviceptr),
    events: [CudaEvent; 4],
    big: Box<kinds::Big>,
}

/// The launches that are counted and timed; callgrind finds this function by its name.
#[inline(never)]
fn measured<E: Debug>(count: u32, mut launch: impl FnMut() -> Result<(), E>) {
    for _ in 0..count {
        launch().expect("a launch");
    }
}

fn arg<T>(value: &T) -> *mut c_void {
    ptr::from_ref(value).cast_mut().cast()
}

impl Fixture {
    pub(crate) fn new(case: Case) -> Self {
        let context = runtime::context(0).expect("the fake driver");
        let default = context.default_stream();
        let stream = if case == Case::Ordered {
            context.new_stream().expect("a stream")
        } else {
            Arc::clone(&default)
        };
        let kinds = kinds::Module::load(&context).expect("an image");
        let more = more::Module::load(&context).expect("an image");
        let function = match case {
            Case::Records => more.cu_function(&more::info::USE_SHARED),
            Case::Big => kinds.cu_function(&kinds::info::BIG),
            _ => kinds.cu_function(&kinds::info::SAXPY),
        };
        #[cfg(feature = "launch-builder")]
        let built = {
            let image = if case == Case::Records {
                more.image().bytes
            } else {
                kinds.image().bytes
            };
            let symbol = match case {
                Case::Records => "use_shared",
                Case::Big => "big",
                _ => "saxpy",
            };
            let image = cudarc::nvrtc::Ptx::from_binary(image.to_vec());
            let module = context.load_module(image).expect("an image");
            module.load_function(symbol).expect("a kernel")
        };
        let x = default.alloc_zeros(8).expect("memory");
        let mut y = stream.alloc_zeros(8).expect("memory");
        let at = (x.device_ptr(&stream).0, y.device_ptr_mut(&stream).0);
        let event = || context.new_event(None).expect("an event");
        Self {
            case,
            x,
            y,
            at,
            events: [event(), event(), event(), event()],
            function: function.expect("a kernel"),
            #[cfg(feature = "launch-builder")]
            built,
            context,
            stream,
            kinds,
            more,
            big: Box::default(),
        }
    }

    /// Launches `count` times.
    pub(crate) fn launch(&mut self, way: Way, count: u32) {
        match self.case {
            Case::Addresses => self.addresses(way, count),
            Case::Slices | Case::Ordered => self.slices(way, count),
            Case::Records => self.records(way, count),
            Case::Big => self.big(way, count),
        }
    }

    fn addresses(&mut self, way: Way, count: u32) {
        let (kinds, stream, context) = (&self.kinds, &*self.stream, &*self.context);
        let (n, a, function) = (black_box(8), black_box(2.0), self.function);
        let x = DeviceAddress::new(black_box(0x1000));
        let mut y = DeviceAddress::new(black_box(0x2000));
        match way {
            Way::Wrapper => measured(count, || {
                // SAFETY: nothing runs.
                unsafe { kinds.saxpy(stream, black_box(CONFIG), n, a, &x, &mut y) }
            }),
            Way::Direct => measured(count, || {
                submit(function, stream, [arg(&n), arg(&a), arg(&x), arg(&y)])
            }),
            Way::Careful => measured(count, || {
                context.bind_to_thread()?;
                submit(function, stream, [arg(&n), arg(&a), arg(&x), arg(&y)])
            }),
            #[cfg(feature = "launch-builder")]
            Way::Builder => measured(count, || {
                let mut builder = stream.launch_builder(&self.built);
                builder.arg(&n).arg(&a).arg(&x).arg(&y);
                // SAFETY: nothing runs.
                unsafe { builder.launch(black_box(CONFIG)) }.map(drop)
            }),
        }
    }

    fn slices(&mut self, way: Way, count: u32) {
        let (kinds, stream, context) = (&self.kinds, &*self.stream, &*self.context);
        let (n, a, function) = (black_box(8), black_box(2.0), self.function);
        let (x, y) = (&self.x, &mut self.y);
        match way {
            Way::Wrapper => measured(count, || {
                // SAFETY: nothing runs.
                unsafe { kinds.saxpy(stream, black_box(CONFIG), n, a, x, y) }
            }),
            Way::Direct => {
                let (x, y) = self.at;
                let launch = || submit(function, stream, [arg(&n), arg(&a), arg(&x), arg(&y)]);
                if self.case == Case::Slices {
                    return measured(count, launch);
                }
                let [x_read, x_write, y_read, y_write] =
                    self.events.each_ref().map(CudaEvent::cu_event);
                let stream = stream.cu_stream();
                let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
                measured(count, || {
                    for event in [x_write, y_read, y_write] {
                        // SAFETY: both live.
                        unsafe { result::stream::wait_event(stream, event, flags) }?;
                    }
                    launch()?;
                    for event in [y_write, x_read] {
                        // SAFETY: both live.
                        unsafe { result::event::record(event, stream) }?;
                    }
                    Ok::<(), DriverError>(())
                });
            }
            Way::Careful => measured(count, || {
                context.bind_to_thread()?;
                let (x, _read) = x.device_ptr(stream);
                let (y, _written) = y.device_ptr_mut(stream);
                submit(function, stream, [arg(&n), arg(&a), arg(&x), arg(&y)])
            }),
            #[cfg(feature = "launch-builder")]
            Way::Builder => measured(count, || {
                let mut builder = stream.launch_builder(&self.built);
                builder.arg(&n).arg(&a).arg(x).arg(&mut *y);
                // SAFETY: nothing runs.
                unsafe { builder.launch(black_box(CONFIG)) }.map(drop)
            }),
        }
    }

    fn records(&mut self, way: Way, count: u32) {
        let (more, stream, context) = (&self.more, &*self.stream, &*self.context);
        let function = self.function;
        let s = black_box(types::Shape {
            n: 1,
            flags: 2,
            scale: 3.0,
        });
        let v = black_box(types::geo::Vec_f32_4 {
            v: [1.0, 2.0, 3.0, 4.0],
        });
        let m = black_box(more::Mixed::default());
        let mut out = DeviceAddress::new(black_box(0x1000));
        match way {
            Way::Wrapper => measured(count, || {
                // SAFETY: nothing runs.
                unsafe { more.use_shared(stream, black_box(CONFIG), s, v, m, &mut out) }
            }),
            Way::Direct => measured(count, || {
                submit(function, stream, [arg(&s), arg(&v), arg(&m), arg(&out)])
            }),
            Way::Careful => measured(count, || {
                context.bind_to_thread()?;
                submit(function, stream, [arg(&s), arg(&v), arg(&m), arg(&out)])
            }),
            #[cfg(feature = "launch-builder")]
            Way::Builder => measured(count, || {
                let mut builder = stream.launch_builder(&self.built);
                builder.arg(&s).arg(&v).arg(&m).arg(&out);
                // SAFETY: nothing runs.
                unsafe { builder.launch(black_box(CONFIG)) }.map(drop)
            }),
        }
    }

    fn big(&mut self, way: Way, count: u32) {
        let (kinds, stream, context) = (&self.kinds, &*self.stream, &*self.context);
        let (big, function) = (black_box(&*self.big), self.function);
        let mut out = DeviceAddress::new(black_box(0x1000));
        match way {
            Way::Wrapper => measured(count, || {
                // SAFETY: nothing runs.
                unsafe { kinds.big(stream, black_box(CONFIG), big, &mut out) }
            }),
            Way::Direct => measured(count, || submit(function, stream, [arg(big), arg(&out)])),
            Way::Careful => measured(count, || {
                context.bind_to_thread()?;
                submit(function, stream, [arg(big), arg(&out)])
            }),
            #[cfg(feature = "launch-builder")]
            Way::Builder => measured(count, || {
                let mut builder = stream.launch_builder(&self.built);
                builder.arg(big).arg(&out);
                // SAFETY: nothing runs.
                unsafe { builder.launch(black_box(CONFIG)) }.map(drop)
            }),
        }
    }
}

/// The driver's call.
fn submit<const N: usize>(
    function: sys::CUfunction,
    stream: &CudaStream,
    mut arguments: [*mut c_void; N],
) -> Result<(), DriverError> {
    let config = black_box(CONFIG);
    // SAFETY: nothing runs; one pointer per parameter.
    unsafe {
        result::launch_kernel(
            function,
            config.grid_dim,
            config.block_dim,
            config.shared_mem_bytes,
            stream.cu_stream(),
            &mut arguments,
        )
    }
}
