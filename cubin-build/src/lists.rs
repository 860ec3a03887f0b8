//! Lists of what iterators yield, light to compile; and lines of large texts, quick without optimisation.
//!
//! `collect` finds the fastest way for each kind of iterator, at the cost of a dozen functions for each place that calls it,
//! in every clean build of every user. Lists here are short, so one loop does.

use std::io::BufRead as _;

/// Iterators that become lists.
pub(crate) trait CollectVec: Iterator {
    /// All that is yielded, in order.
    fn collect_vec(self) -> Vec<Self::Item>;
}

impl<I: Iterator> CollectVec for I {
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn collect_vec(mut self) -> Vec<I::Item> {
        let mut items = Vec::new();
        while let Some(item) = self.next() {
            items.push(item);
        }
        items
    }
}

/// Lines with their ends.
pub(crate) struct Lines<'t>(pub(crate) &'t [u8]);

impl<'t> Iterator for Lines<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        next(&mut self.0, b'\n')
    }
}

/// Pieces of a text that end in a byte, with that; what is behind the last one is none.
pub(crate) struct Pieces<'t>(pub(crate) &'t [u8], pub(crate) u8);

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        next(&mut self.0, self.1).filter(|piece| piece.last() == Some(&self.1))
    }
}

/// By the standard library's own search for bytes: build scripts are compiled without optimisation, and a preprocessed text
/// has a million bytes.
fn next<'t>(rest: &mut &'t [u8], byte: u8) -> Option<&'t [u8]> {
    let all = *rest;
    let length = rest.skip_until(byte).unwrap_or(0);
    (length > 0).then(|| &all[..length])
}

/// Iterators over what may be missing.
pub(crate) trait CollectSome<T> {
    /// All that is yielded, in order; `None` when something is missing.
    fn collect_some(self) -> Option<Vec<T>>;
}

impl<T, I: Iterator<Item = Option<T>>> CollectSome<T> for I {
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn collect_some(mut self) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while let Some(item) = self.next() {
            items.push(item?);
        }
        Some(items)
    }
}

/// Iterators over what may have failed.
pub(crate) trait CollectOk<T, E> {
    /// All that is yielded, in order.
    ///
    /// # Errors
    /// The first error that is yielded.
    fn collect_ok(self) -> Result<Vec<T>, E>;
}

impl<T, E, I: Iterator<Item = Result<T, E>>> CollectOk<T, E> for I {
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn collect_ok(mut self) -> Result<Vec<T>, E> {
        let mut items = Vec::new();
        while let Some(item) = self.next() {
            items.push(item?);
        }
        Ok(items)
    }
}

/// What text can be put together of.
pub(crate) trait Piece {
    /// Adds it to a text.
    fn add_to(self, text: &mut String);
}

impl Piece for char {
    fn add_to(self, text: &mut String) {
        text.push(self);
    }
}

impl Piece for &str {
    fn add_to(self, text: &mut String) {
        text.push_str(self);
    }
}

impl Piece for String {
    fn add_to(self, text: &mut String) {
        text.push_str(&self);
    }
}

/// Iterators that become text.
pub(crate) trait CollectText {
    /// All that is yielded, in order.
    fn collect_text(self) -> String;
}

impl<P: Piece, I: Iterator<Item = P>> CollectText for I {
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn collect_text(mut self) -> String {
        let mut text = String::new();
        while let Some(piece) = self.next() {
            piece.add_to(&mut text);
        }
        text
    }
}

/// Lists that grow by what is yielded; light to compile, as [`CollectVec`] is.
pub(crate) trait AddAll<T> {
    /// Adds all, in order.
    fn add_all(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T> AddAll<T> for Vec<T> {
    fn add_all(&mut self, items: impl IntoIterator<Item = T>) {
        for item in items {
            self.push(item);
        }
    }
}

/// Figures of what an iterator yields; light to compile, as [`CollectVec`] is.
pub(crate) trait Figures: Iterator + Sized {
    /// How many are yielded.
    fn how_many(mut self) -> usize {
        let mut count = 0;
        while self.next().is_some() {
            count += 1;
        }
        count
    }

    /// The largest, the last of several; `None` of nothing.
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn largest(mut self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut largest = self.next()?;
        while let Some(item) = self.next() {
            if item >= largest {
                largest = item;
            }
        }
        Some(largest)
    }

    /// The smallest, the first of several; `None` of nothing.
    #[expect(
        clippy::while_let_on_iterator,
        reason = "`for` is a function more for each iterator"
    )]
    fn smallest(mut self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut smallest = self.next()?;
        while let Some(item) = self.next() {
            if item < smallest {
                smallest = item;
            }
        }
        Some(smallest)
    }
}

impl<I: Iterator> Figures for I {}
