//! `.nv.callgraph` list marks and `.nv.rel.action`.

open_set! {
    /// Second word of a `.nv.callgraph` pair whose first word is 0: opens one of four lists.
    ///
    /// A pair is two 32-bit values; anything but these marks is an entry of the list opened last.
    CallgraphMark(i32), prefix "" {
        /// Direct calls follow: caller and callee symbol index.
        DIRECT_CALLS = -1;
        /// Functions whose address is taken follow: symbol index and string-table offset of the prototype.
        ADDRESS_TAKEN = -2;
        /// Callers of indirect calls follow: symbol index and string-table offset of the prototype.
        INDIRECT_CALLERS = -3;
        /// Indirect calls follow: caller and possible target. From CUDA 12.0.
        INDIRECT_CALLS = -4;
    }
}

/// What nvlink or a loader does for one relocation type, as `.nv.rel.action` stores it: 8 bytes per type from the
/// section's base type on (the low half of its first 8 bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RelAction(
    /// The descriptor as the file holds it. Its bit fields are not established.
    pub u64,
);

#[cfg(test)]
mod tests {
    use super::CallgraphMark;

    #[test]
    fn marks_are_negative() {
        assert!(CallgraphMark::KNOWN.iter().all(|mark| mark.0 < 0));
        assert_eq!(CallgraphMark(-3), CallgraphMark::INDIRECT_CALLERS);
    }
}
