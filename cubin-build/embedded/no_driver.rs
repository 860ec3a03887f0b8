//! Stands in for the driver crate where none is used: what is checked before a driver is asked needs its error as a
//! type only.

use core::fmt;

/// An error of a driver, of which there is none: no value of it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriverError {}

impl fmt::Display for DriverError {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl core::error::Error for DriverError {}
