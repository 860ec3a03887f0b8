//! Values as bytes, for files that only this crate reads: what was expensive to find out, kept from one build to the next.
//!
//! Small and light to compile, which a framework for serialisation is not. Reading trusts nothing: every length is held
//! against what is left, and whatever does not fit is `None`.

/// Writes values one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// All that was written.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// A number, seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A length, or an index.
    pub(crate) fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    pub(crate) fn wide(&mut self, number: i128) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.bytes.push(flag.into());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Whether there is a value, which is to be written next.
    pub(crate) fn option<T>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.size(items.len());
        for item in items {
            write(self, item);
        }
    }
}

/// Reads what an [`Encoder`] wrote.
#[derive(Debug)]
pub(crate) struct Decoder<'b> {
    rest: &'b [u8],
}

impl<'b> Decoder<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        let mut shift = 0;
        loop {
            let byte = *self.take(1)?.first()?;
            let part = u64::from(byte & 0x7f);
            // The tenth byte has one bit left.
            if shift == 63 && part > 1 {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    pub(crate) fn wide(&mut self) -> Option<i128> {
        Some(i128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.size()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let text = std::str::from_utf8(self.bytes()?).ok()?;
        Some(text.to_owned())
    }

    /// What may be there; the outer `None` is damage.
    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.flag()? {
            read(self).map(Some)
        } else {
            Some(None)
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let length = self.size()?;
        // Every item has a byte at least.
        if length > self.rest.len() {
            return None;
        }
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(read(self)?);
        }
        Some(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::MAX - 1, u64::MAX];
        let mut encoder = Encoder::default();
        encoder.list(&numbers, |encoder, number| encoder.number(*number));
        encoder.text("ü");
        encoder.wide(-1);
        encoder.option(Some(&7_u64), |encoder, number| encoder.number(*number));
        encoder.option(None::<&u64>, |encoder, number| encoder.number(*number));
        let bytes = encoder.finish();
        let read = |bytes: &[u8]| {
            let mut decoder = Decoder::new(bytes);
            let found = (
                decoder.list(Decoder::number)?,
                decoder.text()?,
                decoder.wide()?,
                decoder.option(Decoder::number)?,
                decoder.option(Decoder::number)?,
            );
            decoder.is_empty().then_some(found)
        };
        let expected = (numbers.to_vec(), "ü".to_owned(), -1, Some(7), None);
        assert_eq!(read(&bytes), Some(expected));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn damage_is_nothing() {
        assert_eq!(Decoder::new(&[0xff; 11]).number(), None);
        assert_eq!(Decoder::new(&[0x80; 9]).number(), None);
        let ten = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        assert_eq!(Decoder::new(&ten).number(), None, "more than 64 bits");
        // A length beyond the end takes no memory.
        let mut huge = Encoder::default();
        huge.number(u64::MAX);
        let huge = huge.finish();
        assert_eq!(Decoder::new(&huge).text(), None);
        assert_eq!(Decoder::new(&huge).list(Decoder::flag), None);
        assert_eq!(Decoder::new(&[2]).flag(), None);
        assert_eq!(Decoder::new(&[1, 0xff]).text(), None, "not UTF-8");
    }
}
