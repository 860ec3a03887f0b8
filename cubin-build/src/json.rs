//! JSON text: strings escaped, members in the order they are given. Writing only; nothing here reads JSON.

/// `text` as a JSON string, quotes included.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// Appends `text` as a JSON string, quotes included (RFC 8259, section 7).
pub fn push_string(out: &mut String, text: &str) {
    // Writing into a string does not fail.
    let _ = cubin_core::escape::json_string(out, text);
}

/// `[a,b,c]` of parts that are JSON already.
pub fn array(parts: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&part);
    }
    out.push(']');
    out
}

/// An object on one line, built member by member.
#[derive(Debug, Clone, Default)]
pub struct Object(String);

impl Object {
    /// No members yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member whose value is JSON already.
    #[must_use]
    pub fn raw(mut self, key: &str, value: impl AsRef<str>) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value.as_ref());
        self
    }

    /// Adds a string member.
    #[must_use]
    pub fn string(self, key: &str, value: &str) -> Self {
        self.raw(key, string(value))
    }

    /// Adds an integer member.
    #[must_use]
    pub fn number(self, key: &str, value: impl Into<u64>) -> Self {
        self.raw(key, value.into().to_string())
    }

    /// Adds `true` or `false`.
    #[must_use]
    pub fn bool(self, key: &str, value: bool) -> Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// Adds an integer, or `null` where the value is not known.
    #[must_use]
    pub fn number_or_null(self, key: &str, value: Option<impl Into<u64>>) -> Self {
        match value {
            Some(value) => self.number(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// The text.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            string("a\"b\\c\n\u{1}\u{2028}é"),
            "\"a\\\"b\\\\c\\n\\u0001\\u2028é\""
        );
    }

    #[test]
    fn objects() {
        assert_eq!(Object::new().finish(), "{}");
        let object = Object::new()
            .string("a", "x")
            .number("b", 3_u32)
            .bool("c", true)
            .number_or_null("d", None::<u32>)
            .raw("e", array(["1".into(), "2".into()]));
        assert_eq!(
            object.finish(),
            r#"{"a":"x","b":3,"c":true,"d":null,"e":[1,2]}"#
        );
    }
}
