//! Indented JSON in which a list of numbers takes one line: a matrix reads as one.

use std::io::{Result, Write};

use serde_json::ser::{Formatter, PrettyFormatter};

/// `PrettyFormatter`, but for lists of numbers.
#[derive(Default)]
pub(super) struct Rows {
    pretty: PrettyFormatter<'static>,
    /// An element has begun of which is not known yet what it is; whether it is the first.
    pending: Option<bool>,
    /// The element that has begun last is a number.
    is_number: bool,
}

impl Rows {
    /// The element is a number: it stays in the line.
    fn number<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        match self.pending.take() {
            None => Ok(()),
            Some(first) => {
                self.is_number = true;
                if first { Ok(()) } else { writer.write_all(b", ") }
            }
        }
    }

    /// The element is none: it gets a line of its own.
    fn other<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        match self.pending.take() {
            None => Ok(()),
            Some(first) => self.pretty.begin_array_value(writer, first),
        }
    }
}

/// The methods of all that counts as a number.
macro_rules! numbers {
    ($($method:ident $kind:ty),*) => {
        $(fn $method<W: ?Sized + Write>(&mut self, writer: &mut W, value: $kind) -> Result<()> {
            self.number(writer)?;
            self.pretty.$method(writer, value)
        })*
    };
}

impl Formatter for Rows {
    numbers! {
        write_bool bool, write_f32 f32, write_f64 f64, write_i8 i8, write_i16 i16, write_i32 i32, write_i64 i64,
        write_i128 i128, write_u8 u8, write_u16 u16, write_u32 u32, write_u64 u64, write_u128 u128
    }

    /// An undefined number.
    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.number(writer)?;
        self.pretty.write_null(writer)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.other(writer)?;
        self.pretty.begin_string(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.other(writer)?;
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.other(writer)?;
        self.pending = Some(first);
        Ok(())
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if std::mem::take(&mut self.is_number) {
            return Ok(());
        }
        self.pretty.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.other(writer)?;
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.pretty.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::{Value, json};

    fn written(value: &Value) -> String {
        let mut bytes = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Rows::default())).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn rows_of_numbers_take_a_line_each() {
        let text = written(&json!({"m": [[1.5, null], [2, 3]], "s": ["a", "b"], "e": []}));
        let expected = "{\n  \"e\": [],\n  \"m\": [\n    [1.5, null],\n    [2, 3]\n  ],\n  \"s\": [\n    \"a\",\n    \"b\"\n  ]\n}";
        assert_eq!(text, expected);
    }

    /// Whatever stands beside each other, it reads back as it was.
    #[test]
    fn everything_reads_back() {
        for value in [
            json!([1, "a", true, -3, [1, [2, {"x": [true, false, 1.25, {}]}]], null, {"y": null}]),
            json!({"a": [[], [[]], {}], "b": -1, "c": [[-1, -2], ["z", 0]]}),
            json!(3.5),
        ] {
            assert_eq!(serde_json::from_str::<Value>(&written(&value)).unwrap(), value);
        }
    }
}
