//! Variables of a module are copied in and out, at the size that the driver gives.

use crate::{
    kernels::{families, types},
    open_families, open_more, under_fake_driver,
};

#[test]
fn variables_are_copied_in_and_out() {
    under_fake_driver(
        "variables::variables_are_copied_in_and_out",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let coefficients = module.coefficients().expect("the variable");
            let shape = module.shape().expect("the variable");
            assert_ne!(coefficients.address().raw(), 0);
            let mut values = [0.0; 16];
            values[3] = 1.5;
            // SAFETY: nothing runs.
            unsafe {
                coefficients.write(&stream, &values).expect("a copy");
                assert_eq!(coefficients.read(&stream).expect("a copy"), values);
                let value = types::Shape {
                    n: 1,
                    flags: 2,
                    scale: 3.0,
                };
                shape.write(&stream, &value).expect("a copy");
                assert_eq!(shape.read(&stream).expect("a copy").scale, value.scale);
                assert_eq!(
                    module
                        .counter()
                        .expect("the variable")
                        .read(&stream)
                        .expect("a copy"),
                    0
                );
            }
            assert_eq!(
                size_of_val(&module.geo().origin().expect("the variable").address()),
                8
            );
        },
        |log| {
            let copies: Vec<_> = log.iter().filter(|line| line.starts_with("copy")).collect();
            assert_eq!(copies.len(), 5, "{log:#?}");
            assert!(
                copies[0].starts_with("copy in 0000000000000000000000000000c03f"),
                "{}",
                copies[0]
            );
        },
    );
}

#[test]
fn managed_variables_are_copied_like_others() {
    under_fake_driver(
        "variables::managed_variables_are_copied_like_others",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            let geo = module.geo();
            let bounds = geo.bounds().expect("the variable");
            let value = families::geo::Vec_f32_2 { v: [1.5, 2.5] };
            // SAFETY: nothing runs.
            unsafe {
                bounds.write(&stream, &value).expect("a copy");
                assert_eq!(bounds.read(&stream).expect("a copy").v, value.v);
            }
            let listed = families::Module::GLOBALS.iter().map(|info| info.symbol);
            assert!(listed.eq(["progress", "_ZN3geo6boundsE"]));
        },
        |log| {
            let copies = log.iter().filter(|line| line.starts_with("copy"));
            assert_eq!(copies.count(), 2, "{log:#?}");
            // The host may look at managed memory once the copy is done.
            let write = log.iter().position(|line| line.starts_with("copy in"));
            let after = &log[write.expect("a copy") + 1];
            assert!(after.starts_with("synchronize"), "{log:#?}");
        },
    );
}
