//! Lists of what iterators yield, light to compile.
//!
//! `collect` finds the fastest way for each kind of iterator, at the cost of a dozen functions for each place that calls it,
//! in every clean build of every user. Lists here are short, so one loop does.

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
